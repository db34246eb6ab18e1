// Several threads of each process make, use and free communicators at once (MPI_THREAD_MULTIPLE), each thread on its own.
// cluster: nodes=2 ranks=4 env=MARSHAL_SELF_CHECK=on
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { threads = 4, rounds = 25 };
static MPI_Comm of_thread[threads];
static long sums[threads];
static int me;

static void* work(void* argument) {
  const int thread = *(int*)argument;
  long sum = 0;
  for (int round = 0; round < rounds; round++) {
    MPI_Comm half, copy;
    int rank, size, total;
    MPI_Comm_split(of_thread[thread], (me + round) % 2, round % 3 ? me : -me, &half);
    MPI_Comm_dup(half, &copy);
    MPI_Comm_free(&half);
    MPI_Comm_rank(copy, &rank);
    MPI_Comm_size(copy, &size);
    MPI_Allreduce(&me, &total, 1, MPI_INT, MPI_SUM, copy);
    MPI_Group group, world;
    MPI_Comm_group(copy, &group);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    int back;
    MPI_Group_translate_ranks(group, 1, &rank, world, &back);
    sum = sum * 31 % 1000003 + 1000 * back + 100 * rank + 10 * size + total;
    MPI_Group_free(&group);
    MPI_Group_free(&world);
    MPI_Comm_free(&copy);
  }
  sums[thread] = sum;
  return NULL;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  if (provided < MPI_THREAD_MULTIPLE) {
    printf("no MPI_THREAD_MULTIPLE here\n");
    MPI_Finalize();
    return 0;
  }
  pthread_t thread[threads];
  int number[threads];
  for (int i = 0; i < threads; i++) MPI_Comm_dup(MPI_COMM_WORLD, &of_thread[i]);
  for (int i = 0; i < threads; i++) {
    number[i] = i;
    pthread_create(&thread[i], NULL, work, &number[i]);
  }
  for (int i = 0; i < threads; i++) pthread_join(thread[i], NULL);
  for (int i = 0; i < threads; i++) {
    printf("rank %d, thread %d: %ld\n", me, i, sums[i]);
    MPI_Comm_free(&of_thread[i]);
  }
  MPI_Finalize();
  return 0;
}
