/* Erroneous exchanges by nodes end as the host's PMPI functions end them: the class of the code, and the calls of the program's handler.
 * All processes make the same mistake. The calls afterwards are right. */
// cluster: sizes=1,3,2 env=MARSHAL_EXCHANGE=on exchanges=yes
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { most_ranks = 64 };
static int rank, size, handled, handled_class;

static void handle(MPI_Comm *comm, int *code, ...) {
  (void)comm;
  ++handled;
  MPI_Error_class(*code, &handled_class);
}

struct arguments {
  int count;
  MPI_Datatype type;
  void *out, *in;
  int more; /* that are sent than received */
};

static int all_to_all(int bare, struct arguments a, MPI_Comm comm) {
  return (bare ? PMPI_Alltoall : MPI_Alltoall)(a.out, a.count + a.more, a.type, a.in, a.count, a.type, comm);
}
static int all_to_all_v(int bare, struct arguments a, MPI_Comm comm) {
  int sent[most_ranks], counts[most_ranks], places[most_ranks];
  for (int i = 0; i < size; ++i) counts[i] = a.count, sent[i] = a.count + a.more, places[i] = 2 * i;
  return (bare ? PMPI_Alltoallv : MPI_Alltoallv)(a.out, sent, places, a.type, a.in, counts, places, a.type, comm);
}
static int all_to_all_w(int bare, struct arguments a, MPI_Comm comm) {
  int sent[most_ranks], counts[most_ranks], places[most_ranks];
  MPI_Datatype types[most_ranks];
  for (int i = 0; i < size; ++i) counts[i] = a.count, sent[i] = a.count + a.more, places[i] = 8 * i, types[i] = a.type;
  return (bare ? PMPI_Alltoallw : MPI_Alltoallw)(a.out, sent, places, types, a.in, counts, places, types, comm);
}

int main(int argc, char **argv) {
  int out[most_ranks] = {0}, in[most_ranks] = {0}, failures = 0;
  MPI_Errhandler handler;
  MPI_Datatype raw;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler); /* Open MPI calls that for some mistakes */
  MPI_Type_vector(2, 1, 2, MPI_SHORT, &raw); /* not committed */
  const struct {
    const char *what;
    struct arguments of;
  } cases[] = {{"right", {1, MPI_INT, out, in, 0}},
               {"count < 0", {-1, MPI_INT, out, in, 0}},
               {"no type", {1, MPI_DATATYPE_NULL, out, in, 0}},
               {"a type that is not committed", {1, raw, out, in, 0}},
               {"nothing of no type", {0, MPI_DATATYPE_NULL, out, in, 0}},
               {"nothing, without buffers", {0, MPI_INT, NULL, NULL, 0}},
#ifndef OPEN_MPI /* it reads them */
               {"something, without buffers", {1, MPI_INT, NULL, NULL, 0}},
               {"nowhere to receive", {1, MPI_INT, out, NULL, 0}},
               {"one buffer for both", {1, MPI_INT, in, in, 0}},
#endif
               {"received in place", {1, MPI_INT, out, MPI_IN_PLACE, 0}},
               {"more than is received", {1, MPI_INT, out, in, 1}},
               {"less than is received", {2, MPI_INT, out, in, -1}}};
  int (*const calls[])(int, struct arguments, MPI_Comm) = {all_to_all, all_to_all_v, all_to_all_w};
  for (size_t k = 0; k < sizeof calls / sizeof *calls; ++k)
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
      int code[2], class[2], times[2], of_handler[2];
      for (int bare = 0; bare < 2; ++bare) {
        MPI_Comm comm; /* what a mistake leaves behind is nobody's */
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_set_errhandler(comm, handler);
        calls[k](bare, cases[0].of, comm);
        handled = handled_class = 0;
        code[bare] = calls[k](bare, cases[i].of, comm);
        MPI_Error_class(code[bare], &class[bare]);
        times[bare] = handled, of_handler[bare] = handled_class;
        for (int again = 0; again < 2 && cases[i].of.more == 0; ++again)
          if (calls[k](bare, cases[0].of, comm) != MPI_SUCCESS) failures = 1, printf("rank %d: an error afterwards\n", rank);
        PMPI_Barrier(MPI_COMM_WORLD);
        MPI_Comm_free(&comm);
      }
      if (class[0] == class[1] && times[0] == times[1] && of_handler[0] == of_handler[1]) continue;
      printf("rank %d, call %zu, %s: class %d, handler called %d times, with %d; bare %d, %d, %d\n", rank, k, cases[i].what,
             class[0], times[0], of_handler[0], class[1], times[1], of_handler[1]);
      failures = 1;
    }
  MPI_Type_free(&raw);
  MPI_Errhandler_free(&handler);
  MPI_Finalize();
  return failures;
}
