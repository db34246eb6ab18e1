// Communicators and groups made and freed over and over leave no memory behind. With an argument: as many thousand cycles.
// cluster: nodes=1 ranks=2
#include <malloc.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void cycle(int i) {
  MPI_Comm a, b;
  MPI_Group group, part;
  const int zero = 0;
  MPI_Comm_dup(MPI_COMM_SELF, &a);
  MPI_Comm_split(MPI_COMM_SELF, 0, i, &b);
  MPI_Comm_group(a, &group);
  MPI_Group_incl(group, i % 2, &zero, &part);
  MPI_Group_free(&part);
  MPI_Group_free(&group);
  MPI_Comm_free(i % 2 ? &a : &b);
  MPI_Comm_free(i % 2 ? &b : &a);
}

static size_t in_use(void) {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

int main(int argc, char** argv) {
  const int cycles = 1000 * (argc > 1 ? atoi(argv[1]) : 20);
  MPI_Init(&argc, &argv);
  for (int i = 0; i < 2000; i++) cycle(i);
  const size_t before = in_use();
  for (int i = 0; i < cycles; i++) cycle(i);
  const size_t after = in_use();
  const long grown = (long)after - (long)before;
  // The hosts keep a few pages in pools of their own.
  const int bad = grown > 64 * 1024;
  if (bad) fprintf(stderr, "%d cycles left %ld bytes behind\n", cycles, grown);
  MPI_Finalize();
  return bad;
}
