// Transposed matrices arrive as they were sent, whichever side has them by columns, however many are under way, and where less comes than
// was expected.
//
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=on
// cluster: nodes=1 ranks=2 env=MARSHAL_MESSAGES=on env=UCX_TLS=tcp,self
// cluster: nodes=2 ranks=2
// cluster: nodes=2 ranks=2 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n = 184, most_elements = 2 * n * n, at_once = 140, rounds = 24 };
static int me, wrong;

static void check(int good, const char* what, int element) {
  if (good) return;
  if (wrong++ < 10) printf("rank %d: %s, elements of %d bytes\n", me, what, element);
}

static unsigned char value(int i, int round, int byte) { return (unsigned char)(7 * i + 13 * round + 31 * byte + (i >> 8)); }

static void fill(unsigned char* matrices, int element, int round) {
  for (int i = 0; i < most_elements; i++)
    for (int b = 0; b < element; b++) matrices[i * element + b] = value(i, round, b);
}

// Whether `count` matrices are as fill() made them, transposed or not, and all behind them untouched.
static int are(const unsigned char* matrices, int element, int round, int count, int transposed) {
  for (int i = 0; i < most_elements; i++) {
    const int in_matrix = i % (n * n), from = transposed ? i - in_matrix + in_matrix % n * n + in_matrix / n : i;
    for (int b = 0; b < element; b++)
      if (matrices[i * element + b] != (i < count * n * n ? value(from, round, b) : 0xEE)) return 0;
  }
  return 1;
}

// The columns of a matrix, one after the other.
static MPI_Datatype columns_of(MPI_Datatype of, int element) {
  MPI_Datatype column, next_to_each_other, columns;
  MPI_Type_vector(n, 1, n, of, &column);
  MPI_Type_create_resized(column, 0, element, &next_to_each_other);
  MPI_Type_contiguous(n, next_to_each_other, &columns);
  MPI_Type_commit(&columns);
  MPI_Type_free(&column);
  MPI_Type_free(&next_to_each_other);
  return columns;
}

struct message {
  MPI_Datatype type;
  int count;
};

static void one(unsigned char* matrices, int element, int round, struct message sent, struct message expected, int transposed, const char* what) {
  if (me == 0) {
    fill(matrices, element, round);
    MPI_Send(matrices, sent.count, sent.type, 1, 0, MPI_COMM_WORLD);
  } else {
    memset(matrices, 0xEE, (size_t)(most_elements * element));
    MPI_Recv(matrices, expected.count, expected.type, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    check(are(matrices, element, round, 1, transposed), what, element);
  }
}

// More than there is memory for.
static void many(int element, MPI_Datatype columns) {
  static MPI_Request requests[at_once];
  unsigned char* all = malloc((size_t)at_once * most_elements * element);
  for (int i = 0; i < at_once; i++) {
    unsigned char* const matrices = all + (size_t)i * most_elements * element;
    if (me == 0) {
      fill(matrices, element, i);
      MPI_Isend(matrices, 1, columns, 1, i, MPI_COMM_WORLD, &requests[i]);
    } else {
      memset(matrices, 0xEE, (size_t)(most_elements * element));
      MPI_Irecv(matrices, 1, columns, 0, i, MPI_COMM_WORLD, &requests[i]);
    }
  }
  MPI_Waitall(at_once, requests, MPI_STATUSES_IGNORE);
  for (int i = 0; me == 1 && i < at_once; i++)
    check(are(all + (size_t)i * most_elements * element, element, i, 1, 0), "one of many", element);
  free(all);
}

static void all_of(MPI_Datatype of) {
  int element;
  MPI_Type_size(of, &element);
  MPI_Datatype columns = columns_of(of, element);
  const struct message by_columns = {columns, 1}, by_rows = {of, n * n}, more_columns = {columns, 2};
  unsigned char* matrices = malloc((size_t)(most_elements * element));
  for (int round = 0; round < rounds; round++) {
    one(matrices, element, round, by_columns, by_rows, 1, "sent by columns");
    one(matrices, element, round, by_rows, by_columns, 1, "received by columns");
    one(matrices, element, round, by_columns, by_columns, 0, "by columns at both sides");
    one(matrices, element, round, by_columns, more_columns, 0, "less than was expected");
  }
  if (of == MPI_DOUBLE) many(element, columns);
  free(matrices);
  MPI_Type_free(&columns);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  all_of(MPI_DOUBLE);
  all_of(MPI_FLOAT);
  all_of(MPI_C_DOUBLE_COMPLEX);
  MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) puts(wrong ? "FAILED" : "OK");
  MPI_Finalize();
  return wrong != 0;
}
