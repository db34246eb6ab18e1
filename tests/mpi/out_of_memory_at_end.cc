// Memory is full when the job ends: on the rank that the first argument names, or on all, and from the allocation of
// Marshal's on that the second one says. No rank waits for another one for ever, and the program ends as bare. With
// "once" that allocation alone fails, and the program says how many there were (tests/mpi/traffic/lacks_no_process).
// cluster: nodes=2 ranks=4 timeout=60 report=any args=0,1
// cluster: nodes=2 ranks=4 timeout=60 report=any args=1,1
// cluster: nodes=2 ranks=4 timeout=60 report=any args=2,1
// cluster: nodes=2 ranks=4 timeout=60 report=any args=all,1
// cluster: nodes=2 ranks=4 timeout=60 report=any args=all,30
// cluster: nodes=2 ranks=4 timeout=60 report=any args=all,300
#include <mpi.h>

#include <cstdio>
#include <cstdlib>

#include "tests/mpi/failing_allocations.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int me, size, sum = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  dl_iterate_phdr(find_marshal, nullptr);
  for (int step = 0; step < size; ++step) {
    MPI_Request request;
    MPI_Isend(&me, 1, MPI_INT, (me + step) % size, 0, MPI_COMM_WORLD, &request);
    int got = -1;
    MPI_Recv(&got, 1, MPI_INT, (me + size - step) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    sum += got;
  }
  if (sum != size * (size - 1) / 2) MPI_Abort(MPI_COMM_WORLD, 2);
  fails_for_good = argc <= 3;
  first_to_fail = argc > 2 ? std::atol(argv[2]) : 1;
  armed = argc > 1 && (std::strcmp(argv[1], "all") == 0 || std::atoi(argv[1]) == me);
  MPI_Finalize();
  armed = false;
  if (!fails_for_good && seen > 0) std::printf("%ld allocations\n", seen);
  return 0;
}
