/* MPI_Dims_create by each of Marshal's rules: for whatever it is asked, errors are the host's, and no result is one that the standard
   forbids: given dimensions stay, the product is the number of processes, and what was filled in does not increase. */
// cluster: ranks=2 env=MARSHAL_DIMS=host args=host
// cluster: nodes=2 ranks=6 env=MARSHAL_DIMS=balanced args=balanced
// cluster: nodes=2 ranks=6 env=MARSHAL_DIMS=node args=node
// cluster: ranks=6 env=MARSHAL_TOPOLOGY=nodes:4,2 env=MARSHAL_DIMS=node args=node
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_dims = 6, questions = 400, most_processes = 2000 };

static unsigned state = 20261121;

static int pick(int low, int high) {
  state = state * 1664525u + 1013904223u;
  return low + (int)((state >> 8) % (unsigned)(high - low + 1));
}

static int class_of(int code) {
  int class;
  MPI_Error_class(code, &class);
  return class;
}

static int allowed(int processes, int ndims, const int* asked, const int* got) {
  long product = 1;
  int last = processes;
  for (int d = 0; d < ndims; ++d) {
    product *= got[d];
    if (asked[d] != 0 && got[d] != asked[d]) return 0;
    if (asked[d] == 0 && (got[d] < 1 || got[d] > last)) return 0;
    if (asked[d] == 0) last = got[d];
  }
  return product == processes;
}

int main(int argc, char** argv) {
  int rank, failures = 0, answered = 0, refused = 0, other_than_host = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int by_host = argc > 1 && strcmp(argv[1], "host") == 0, by_node = argc > 1 && strcmp(argv[1], "node") == 0;
  for (int question = 0; question < questions && rank == 0; ++question) { /* a local call */
    int asked[most_dims], got[most_dims], of_host[most_dims], open = 0;
    const int ndims = pick(1, most_dims);
    int processes = pick(1, 300);
    for (int d = 0; d < ndims; ++d) {
      asked[d] = pick(0, 2) == 0 ? pick(1, 12) : 0;
      if (pick(0, 200) == 0) asked[d] = -pick(1, 3);
      /* Mostly what can be answered. */
      if (asked[d] > 1 && pick(0, 9) > 0 && processes % asked[d] != 0 && processes * asked[d] <= most_processes) processes *= asked[d];
      open += asked[d] == 0;
    }
    if (pick(0, 300) == 0) processes = -pick(0, 5);
    memcpy(got, asked, sizeof asked);
    memcpy(of_host, asked, sizeof asked);
    const int host_code = PMPI_Dims_create(processes, ndims, of_host), code = MPI_Dims_create(processes, ndims, got);
    int good = class_of(code) == class_of(host_code);
    const int differs = memcmp(got, of_host, sizeof(int) * (size_t)ndims) != 0;
    /* Open MPI 4.1 answers some questions that have no answer; so it does then under Marshal. */
    if (code == MPI_SUCCESS && differs) good = good && allowed(processes, ndims, asked, got);
    if (by_host || open == 0) good = good && !differs;
    answered += code == MPI_SUCCESS;
    refused += code != MPI_SUCCESS;
    other_than_host += differs;
    if (!good && ++failures < 5 && rank == 0) {
      printf("%d processes, class %d (host %d):", processes, class_of(code), class_of(host_code));
      for (int d = 0; d < ndims; ++d) printf(" %d -> %d (host %d)", asked[d], got[d], of_host[d]);
      printf("\n");
    }
  }
  /* A test in which nothing is answered or refused tests nothing. MPICH's own answers are the most balanced ones. */
  if (rank == 0 && (answered < questions / 2 || refused == 0 || (by_node && other_than_host == 0))) ++failures;
  if (rank == 0 && failures != 0) printf("%d answered, %d refused, %d other than the host's\n", answered, refused, other_than_host);
  MPI_Finalize();
  return failures != 0;
}
