// Work that MARSHAL_PAPI counts around, in two threads where the host lets it: packs of many sizes, and ranks
// translated between groups. A child process packs nothing and ends, and the parent's counters go on.
// cluster: nodes=2 ranks=4 env=MARSHAL_PAPI=perf::PAGE-FAULTS,perf::TASK-CLOCK,PAPI_TOT_INS,no_such_event env=MARSHAL_PACK=mars
// cluster: ranks=2 env=MARSHAL_PAPI=perf::PAGE-FAULTS
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { rows = 4096, times = 20 };

static void* packs(void* type) {
  MPI_Datatype column = *(MPI_Datatype*)type;
  double* packed = malloc(rows * sizeof *packed);
  for (int time = 0; time < times; time++) {
    // A fresh plate is pages never touched: some to fault in within MPI_Unpack.
    double* plate = malloc(4 * rows * sizeof *plate);
    for (int i = 0; i < rows; i++) packed[i] = time + i;
    int position = 0;
    MPI_Unpack(packed, rows * (int)sizeof *packed, &position, plate, 1, column, MPI_COMM_SELF);
    position = 0;
    MPI_Pack(plate, 1, column, packed, rows * (int)sizeof *packed, &position, MPI_COMM_SELF);
    for (int i = 0; i < rows; i++)
      if (packed[i] != time + i) MPI_Abort(MPI_COMM_WORLD, 1);
    free(plate);
  }
  free(packed);
  return NULL;
}

int main(int argc, char** argv) {
  int level;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  MPI_Datatype column;
  MPI_Type_vector(rows, 1, 4, MPI_DOUBLE, &column);
  MPI_Type_commit(&column);
  packs(&column);
  const pid_t child = fork();
  if (child == 0) exit(3);
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 3)
    MPI_Abort(MPI_COMM_WORLD, 2);
  pthread_t other;
  if (level == MPI_THREAD_MULTIPLE) {
    pthread_create(&other, NULL, packs, &column);
    packs(&column);
    pthread_join(other, NULL);
  } else {
    packs(&column);
  }
  MPI_Type_free(&column);
  MPI_Group all, some;
  int ranks, first[1] = {0}, found[1];
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  MPI_Group_incl(all, 1, first, &some);
  MPI_Group_translate_ranks(some, 1, first, all, found);
  if (found[0] != 0) MPI_Abort(MPI_COMM_WORLD, 3);
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  MPI_Finalize();
  return 0;
}
