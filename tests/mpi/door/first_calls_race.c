/* Many threads make the first calls that Marshal sees, all at once: MPI_Init went past it. Each is answered, as by the
 * bare host. */
// cluster: nodes=1 ranks=2 report=no
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

enum { threads = 16, calls = 200 };
static pthread_barrier_t start;
static int wrong[threads];

static void* make_types(void* number) {
  int* failed = &wrong[(long)number];
  pthread_barrier_wait(&start);
  for (int i = 0; i < calls; i++) {
    MPI_Datatype made, copy;
    int size = 0;
    if ((long)number % 2)
      MPI_Type_vector(3, 2, 4, MPI_INT, &made);
    else
      MPI_Type_contiguous(6, MPI_INT, &made);
    MPI_Type_dup(made, &copy);
    MPI_Type_size(copy, &size);
    *failed += size != 6 * (int)sizeof(int);
    MPI_Type_commit(&copy);
    MPI_Type_free(&copy);
    MPI_Type_free(&made);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int provided, all = 0;
  pthread_t thread[threads];
  PMPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  if (provided == MPI_THREAD_MULTIPLE) {
    pthread_barrier_init(&start, NULL, threads);
    for (long i = 0; i < threads; i++) pthread_create(&thread[i], NULL, make_types, (void*)i);
    for (int i = 0; i < threads; i++) pthread_join(thread[i], NULL), all += wrong[i];
  }
  printf("%d wrong\n", all);
  PMPI_Finalize();
  return all != 0;
}
