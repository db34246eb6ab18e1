// Four threads commit and free types of one place at once. Each keeps a few, and frees some that its neighbour has made.
// cluster: nodes=1 ranks=2
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { threads = 4, rounds = 2000, kept = 10, handed = 50 };
static MPI_Datatype from[threads][handed];
static pthread_barrier_t all_made;

static MPI_Datatype make(int blocks) {
  MPI_Datatype type;
  MPI_Type_vector(blocks, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  return type;
}

static void *work(void *argument) {
  const int me = *(int *)argument;
  for (int i = 0; i < rounds; ++i) {
    MPI_Datatype type = make(2 + i % 7);
    if (i < kept) continue;
    MPI_Type_free(&type);
  }
  for (int i = 0; i < handed; ++i) from[me][i] = make(3);
  pthread_barrier_wait(&all_made);
  for (int i = 0; i < handed; ++i) MPI_Type_free(&from[(me + 1) % threads][i]);
  return NULL;
}

int main(int argc, char **argv) {
  int level, numbers[threads], rank;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  if (level != MPI_THREAD_MULTIPLE) {
    printf("SKIP: no MPI_THREAD_MULTIPLE\n");
    return MPI_Finalize();
  }
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  pthread_t thread[threads];
  pthread_barrier_init(&all_made, NULL, threads);
  for (int i = 0; i < threads; ++i) numbers[i] = i, pthread_create(&thread[i], NULL, work, &numbers[i]);
  for (int i = 0; i < threads; ++i) pthread_join(thread[i], NULL);
  if (rank == 0) printf("objects MPI_Type_commit %d %d -\n", threads * (rounds + handed), threads * kept);
  fflush(stdout);
  return MPI_Finalize();
}
