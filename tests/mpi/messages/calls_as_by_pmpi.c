// Calls with datatypes give what the host's own functions give: memory, codes, statuses, and calls of error handlers.
//
// cluster: nodes=1 ranks=4 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
// cluster: nodes=2 ranks=4 env=MARSHAL_MESSAGES=calls env=MARSHAL_PACK=mars
// cluster: nodes=1 ranks=4 env=MARSHAL_MESSAGES=auto
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kinds = 4, rows = 60, room = 1 << 16, ranks = 4 };
static int me, wrong, handled;
static MPI_Datatype type[kinds];
static unsigned char *from, *marshals, *hosts;

static void check(int good, const char* what, int n) {
  if (good) return;
  printf("rank %d: %s, %d: not as by the host\n", me, what, n);
  wrong++;
}

static void on_error(MPI_Comm* comm, int* code, ...) {
  (void)comm, (void)code;
  handled++;
}

static int class_of(int code) {
  int class = MPI_SUCCESS;
  if (code != MPI_SUCCESS) MPI_Error_class(code, &class);
  return class;
}

static void fill(void) {
  for (int i = 0; i < room; i++) from[i] = (unsigned char)(i * 7 + me);
  memset(marshals, 0x55, room);
  memset(hosts, 0x55, room);
}
static void same_memory(const char* what, int n) { check(memcmp(marshals, hosts, room) == 0, what, n); }

static void same_status(const MPI_Status* a, const MPI_Status* b, MPI_Datatype t, const char* what) {
  int counts[2], elements[2];
  MPI_Get_count(a, t, &counts[0]);
  MPI_Get_count(b, t, &counts[1]);
  MPI_Get_elements(a, t, &elements[0]);
  MPI_Get_elements(b, t, &elements[1]);
  check(a->MPI_SOURCE == b->MPI_SOURCE && a->MPI_TAG == b->MPI_TAG && a->MPI_ERROR == b->MPI_ERROR &&
            counts[0] == counts[1] && elements[0] == elements[1],
        what, counts[1]);
}

static void make_types(void) {
  const int lengths[2] = {1, 3};
  const MPI_Aint places[2] = {0, 8};
  const MPI_Datatype parts[2] = {MPI_DOUBLE, MPI_CHAR};
  MPI_Datatype tight;
  MPI_Type_vector(rows, 3, 7, MPI_INT, &type[0]);
  MPI_Type_create_struct(2, lengths, places, parts, &tight);
  MPI_Type_create_resized(tight, 0, 24, &type[1]);
  MPI_Type_free(&tight);
  MPI_Type_contiguous(9, MPI_SHORT, &type[2]);
  for (int i = 0; i < 3; i++) MPI_Type_commit(&type[i]);
  type[3] = MPI_INT;
}

static void exchange_with_all(void) {
  int counts[ranks], from_counts[ranks], places[ranks];
  MPI_Datatype to[ranks], of[ranks];
  for (int n = 0; n < 6; n++) {
    for (int r = 0; r < ranks; r++) {
      to[r] = of[r] = type[(me + r + n) % kinds];
      counts[r] = from_counts[r] = n == 5 ? 0 : (me * r + n) % 4;
      places[r] = r * (room / ranks);
    }
    fill();
    MPI_Alltoallw(from, counts, places, to, marshals, from_counts, places, of, MPI_COMM_WORLD);
    PMPI_Alltoallw(from, counts, places, to, hosts, from_counts, places, of, MPI_COMM_WORLD);
    same_memory("MPI_Alltoallw", n);
  }
}

static void exchange_with_neighbours(MPI_Comm grid, int periodic) {
  enum { neighbours = 4 };
  int counts[neighbours], others[neighbours], out_of[neighbours], into[neighbours];
  MPI_Aint places[neighbours];
  MPI_Datatype types[neighbours];
  for (int n = 0; n < kinds; n++) {
    fill();
    MPI_Neighbor_alltoall(from, 2, type[n], marshals, 2, type[n], grid);
    PMPI_Neighbor_alltoall(from, 2, type[n], hosts, 2, type[n], grid);
    same_memory("MPI_Neighbor_alltoall", n + 10 * periodic);
    fill();
    MPI_Neighbor_allgather(from, 2, type[n], marshals, 2, type[n], grid);
    PMPI_Neighbor_allgather(from, 2, type[n], hosts, 2, type[n], grid);
    same_memory("MPI_Neighbor_allgather", n + 10 * periodic);
    for (int k = 0; k < neighbours; k++) {
      counts[k] = 2;
      places[k] = k * (room / neighbours);
      types[k] = type[(n + k / 2) % kinds];
    }
    fill();
    MPI_Neighbor_alltoallw(from, counts, places, types, marshals, counts, places, types, grid);
    PMPI_Neighbor_alltoallw(from, counts, places, types, hosts, counts, places, types, grid);
    same_memory("MPI_Neighbor_alltoallw", n + 10 * periodic);
    for (int k = 0; k < neighbours; k++) {
      others[k] = k / 2;
      out_of[k] = 1 + 5 * k;
      into[k] = periodic ? 16 - 4 * k : 8 * (k / 2);  // over the edge, nothing comes to the same place
    }
    fill();
    MPI_Neighbor_alltoallv(from, others, out_of, type[n], marshals, others, into, type[n], grid);
    PMPI_Neighbor_alltoallv(from, others, out_of, type[n], hosts, others, into, type[n], grid);
    same_memory("MPI_Neighbor_alltoallv", n + 10 * periodic);
    fill();
    MPI_Neighbor_allgatherv(from, 2, type[n], marshals, counts, into, type[n], grid);
    PMPI_Neighbor_allgatherv(from, 2, type[n], hosts, counts, into, type[n], grid);
    same_memory("MPI_Neighbor_allgatherv", n + 10 * periodic);
  }
}

static void exchange_with_one(void) {
  const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  for (int n = 0; n < 4 * kinds; n++) {
    const MPI_Datatype t = type[n % kinds];
    const int to = (n / kinds) & 1 && me == ranks - 1 ? MPI_PROC_NULL : right;
    const int of = (n / kinds) & 1 && me == 0 ? MPI_PROC_NULL : left;
    const int any = (n / kinds) & 2;
    MPI_Status a, b;
    memset(&a, 0x11, sizeof a);
    memset(&b, 0x11, sizeof b);
    fill();
    MPI_Sendrecv(from, 3, t, to, n, marshals, 5, t, any && of >= 0 ? MPI_ANY_SOURCE : of, any ? MPI_ANY_TAG : n,
                 MPI_COMM_WORLD, &a);
    MPI_Barrier(MPI_COMM_WORLD);
    PMPI_Sendrecv(from, 3, t, to, n, hosts, 5, t, any && of >= 0 ? MPI_ANY_SOURCE : of, any ? MPI_ANY_TAG : n,
                  MPI_COMM_WORLD, &b);
    MPI_Barrier(MPI_COMM_WORLD);
    same_memory("MPI_Sendrecv", n);
    same_status(&a, &b, t, "the status of MPI_Sendrecv");
    fill();
    memcpy(marshals, from, room);
    memcpy(hosts, from, room);
    MPI_Sendrecv_replace(marshals, 3, t, to, n, of, n, MPI_COMM_WORLD, &a);
    PMPI_Sendrecv_replace(hosts, 3, t, to, n, of, n, MPI_COMM_WORLD, &b);
    same_memory("MPI_Sendrecv_replace", n);
    same_status(&a, &b, t, "the status of MPI_Sendrecv_replace");
  }
}

static void be_refused(void) {
  MPI_Errhandler handler;
  MPI_Comm comm;
  MPI_Datatype uncommitted;
  MPI_Status status;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_create_errhandler(on_error, &handler);
  MPI_Comm_set_errhandler(comm, handler);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, handler);
  MPI_Type_vector(rows, 1, 2, MPI_INT, &uncommitted);
  const struct {
    int count, rank, tag;
    MPI_Datatype type;
  } sends[] = {{1, 99, 0, type[0]},    {1, -77, 0, type[0]},         {-1, 0, 0, type[0]}, {1, 0, -5, type[0]},
               {1, 0, 0, uncommitted}, {1, 0, 0, MPI_DATATYPE_NULL}, {0, 99, 0, type[0]}};
  for (int n = 0; n < (int)(sizeof sends / sizeof *sends); n++) {
    int codes[2], calls[2];
    handled = 0;
    codes[0] = class_of(MPI_Send(from, sends[n].count, sends[n].type, sends[n].rank, sends[n].tag, comm));
    calls[0] = handled;
    handled = 0;
    codes[1] = class_of(PMPI_Send(from, sends[n].count, sends[n].type, sends[n].rank, sends[n].tag, comm));
    calls[1] = handled;
    check(codes[0] == codes[1] && calls[0] == calls[1] && codes[0] != MPI_SUCCESS, "a refused send", n);
    handled = 0;
    codes[0] = class_of(MPI_Recv(marshals, sends[n].count, sends[n].type, sends[n].rank,
                                 sends[n].tag == -5 ? -55 : sends[n].tag, comm, &status));
    calls[0] = handled;
    handled = 0;
    codes[1] = class_of(PMPI_Recv(hosts, sends[n].count, sends[n].type, sends[n].rank,
                                  sends[n].tag == -5 ? -55 : sends[n].tag, comm, &status));
    calls[1] = handled;
    check(codes[0] == codes[1] && calls[0] == calls[1] && codes[0] != MPI_SUCCESS, "a refused receive", n);
  }
  // A message that is too long.
  for (int by_host = 0; by_host <= 1 && me < 2; by_host++) {
    if (me == 0) {
      MPI_Send(from, 3, type[1], 1, 1, comm);
    } else {
      handled = 0;
      const int code = by_host ? PMPI_Recv(hosts, 2, type[1], 0, 1, comm, &status)
                               : MPI_Recv(marshals, 2, type[1], 0, 1, comm, &status);
      check(class_of(code) == MPI_ERR_TRUNCATE && handled == 1, "a message that is too long", by_host);
    }
  }
  MPI_Type_free(&uncommitted);
  MPI_Errhandler_free(&handler);
  MPI_Comm_free(&comm);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  from = malloc(room), marshals = malloc(room), hosts = malloc(room);
  make_types();
  for (int repeat = 0; repeat < 20; repeat++) {  // types are read once that pays
    exchange_with_one();
    exchange_with_all();
  }
  for (int periodic = 0; periodic <= 1; periodic++) {
    const int dims[2] = {2, 2}, periods[2] = {periodic, periodic};
    MPI_Comm grid;
    MPI_Cart_create(MPI_COMM_WORLD, 2, dims, periods, 0, &grid);
    exchange_with_neighbours(grid, periodic);
    MPI_Comm_free(&grid);
  }
  be_refused();
  if (wrong > 20) printf("rank %d: %d differences\n", me, wrong);
  MPI_Finalize();
  return wrong != 0;
}
