/* Calls on stacks of 16 KiB, as coroutines have them. Each runs on a painted stack: what is not painted any more was
   used. First it is the host's own (PMPI), which also takes there what the host needs once. Where that takes at most 12
   KiB, Marshal's takes at most 16 KiB. */
// cluster: ranks=2 sanitizer=no env4=OMPI_MCA_osc=pt2pt
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

enum { room = 512 * 1024, small = 16 * 1024, smaller = 12 * 1024, paint = 0xa5, numbers = 1 << 16 };
static unsigned char stack[room] __attribute__((aligned(64)));
static ucontext_t caller, callee;

static long used_by(void (*call)(void)) {
  memset(stack, paint, sizeof stack);
  getcontext(&callee);
  callee.uc_stack.ss_sp = stack;
  callee.uc_stack.ss_size = sizeof stack;
  callee.uc_link = &caller;
  makecontext(&callee, call, 0);
  swapcontext(&caller, &callee);
  long untouched = 0;
  while (stack[untouched] == paint) ++untouched;
  return room - untouched;
}

static int rank, size, peer, from[numbers], to[numbers];
static MPI_Datatype few, many; /* every other number */

#define MEMBERS(of)                                                                                \
  static void of##_make_communicators(void) {                                                      \
    int periodic = 1, at, behind, one = 1;                                                         \
    MPI_Comm copy, part, grid, graph;                                                              \
    of##_Comm_dup(MPI_COMM_WORLD, &copy);                                                          \
    of##_Comm_split(copy, 0, -rank, &part);                                                        \
    of##_Cart_create(part, 1, &size, &periodic, 1, &grid);                                         \
    of##_Cart_shift(grid, 0, 1, &at, &behind);                                                     \
    of##_Dist_graph_create(copy, 1, &rank, &one, &peer, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph); \
    of##_Comm_free(&graph);                                                                        \
    of##_Comm_free(&grid);                                                                         \
    of##_Comm_free(&part);                                                                         \
    of##_Comm_free(&copy);                                                                         \
  }                                                                                                \
  static void of##_use_groups(void) {                                                              \
    int back, first = 0;                                                                           \
    MPI_Group world, group;                                                                        \
    MPI_Comm made;                                                                                 \
    of##_Comm_group(MPI_COMM_WORLD, &world);                                                       \
    of##_Group_incl(world, 1, &rank, &group);                                                      \
    of##_Group_translate_ranks(group, 1, &first, world, &back);                                    \
    of##_Comm_create(MPI_COMM_WORLD, group, &made);                                                \
    of##_Comm_free(&made);                                                                         \
    of##_Group_free(&group);                                                                       \
    of##_Group_free(&world);                                                                       \
  }                                                                                                \
  static void of##_make_types(void) {                                                              \
    int lengths[] = {1, 3, 2};                                                                     \
    MPI_Aint places[] = {0, 512, 4096};                                                            \
    MPI_Datatype parts[] = {MPI_DOUBLE, few, MPI_INT}, whole;                                      \
    of##_Type_create_struct(3, lengths, places, parts, &whole);                                    \
    of##_Type_commit(&whole);                                                                      \
    for (int times = 0; times < 40; ++times) {                                                     \
      int position = 0;                                                                            \
      of##_Pack(from, 2, whole, to, sizeof to, &position, MPI_COMM_WORLD);                         \
      position = 0;                                                                                \
      of##_Unpack(to, sizeof to, &position, from, 2, whole, MPI_COMM_WORLD);                       \
    }                                                                                              \
    of##_Type_free(&whole);                                                                        \
  }                                                                                                \
  static void of##_send(void) {                                                                    \
    MPI_Request requests[2];                                                                       \
    MPI_Datatype types[] = {few, many};                                                            \
    for (int t = 0; t < 2; ++t) {                                                                  \
      of##_Irecv(to, 1, types[t], peer, 0, MPI_COMM_WORLD, &requests[0]);                          \
      of##_Isend(from, 1, types[t], peer, 0, MPI_COMM_WORLD, &requests[1]);                        \
      of##_Waitall(2, requests, MPI_STATUSES_IGNORE);                                              \
      of##_Bcast(to, 1, types[t], 0, MPI_COMM_WORLD);                                              \
      of##_Recv_init(to, 1, types[t], peer, 0, MPI_COMM_WORLD, &requests[0]);                      \
      of##_Send_init(from, 1, types[t], peer, 0, MPI_COMM_WORLD, &requests[1]);                    \
      of##_Startall(2, requests);                                                                  \
      of##_Waitall(2, requests, MPI_STATUSES_IGNORE);                                              \
      of##_Request_free(&requests[0]);                                                             \
      of##_Request_free(&requests[1]);                                                             \
    }                                                                                              \
  }                                                                                                \
  static void of##_use_window(void) {                                                              \
    MPI_Win window;                                                                                \
    of##_Win_create(to, sizeof to, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);                     \
    of##_Win_fence(0, window);                                                                     \
    of##_Put(from, 1, few, peer, 0, 1, few, window);                                               \
    of##_Win_fence(0, window);                                                                     \
    of##_Win_free(&window);                                                                        \
  }
MEMBERS(PMPI)
MEMBERS(MPI)

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    void (*by_host)(void);
    void (*by_marshal)(void);
  } works[] = {{"communicators", PMPI_make_communicators, MPI_make_communicators},
               {"groups", PMPI_use_groups, MPI_use_groups},
               {"types", PMPI_make_types, MPI_make_types},
               {"messages", PMPI_send, MPI_send},
               {"a window", PMPI_use_window, MPI_use_window}};
  int failures = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  peer = size - 1 - rank;
  MPI_Type_vector(64, 1, 2, MPI_INT, &few);
  MPI_Type_vector(numbers / 2, 1, 2, MPI_INT, &many);
  MPI_Type_commit(&few);
  MPI_Type_commit(&many);
  for (size_t w = 0; w < sizeof works / sizeof *works; ++w) {
    const long host = used_by(works[w].by_host);
    for (int times = 0; times < 10; ++times) {
      const long used = used_by(works[w].by_marshal);
      if (argc > 1) printf("rank %d: %s: %ld, the host %ld\n", rank, works[w].name, used, host);
      if (used <= small || host > smaller) continue;
      ++failures;
      printf("rank %d: %s: %ld bytes of stack, the host %ld\n", rank, works[w].name, used, host);
    }
  }
  MPI_Type_free(&few);
  MPI_Type_free(&many);
  MPI_Finalize();
  return failures != 0;
}
