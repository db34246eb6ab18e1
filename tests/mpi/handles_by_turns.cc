// A random program makes, uses and frees handles of all kinds. Chance calls the MPI_ or the PMPI_ function, as a tool
// does that is linked into a program: so some are made or freed behind Marshal's back, and handles come again. Whatever
// the program asks by MPI_ functions is what the host answers to their PMPI_ twins, and what it sends is counted for
// what the handles mean now. Argument: for how many seconds (TEST_SECONDS goes before that).
// MARSHAL_TEST_SEED=N repeats a run.
// cluster: nodes=2 ranks=4 args=1 env4=OMPI_MCA_osc=pt2pt
// cluster: nodes=2 ranks=4 args=1 env4=OMPI_MCA_osc=pt2pt env=MARSHAL_SELF_CHECK=on
// cluster: nodes=2 ranks=4 args=1 env4=OMPI_MCA_osc=pt2pt env=MARSHAL_PACK=mars env=MARSHAL_MESSAGES=on
// cluster: nodes=2 ranks=4 args=1 env4=OMPI_MCA_osc=pt2pt env=MARSHAL_CART_FORCE=on env=MARSHAL_CART_MOVE=ranks env=MARSHAL_TOPOLOGY=cyclic:2
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <type_traits>
#include <vector>

#include "tests/mpi/turns/channels.h"
#include "tests/mpi/turns/communicators.h"
#include "tests/mpi/turns/files.h"
#include "tests/mpi/turns/groups.h"
#include "tests/mpi/turns/operations.h"
#include "tests/mpi/turns/turns.h"
#include "tests/mpi/turns/types.h"
#include "tests/mpi/turns/windows.h"

using namespace by_turns;

namespace {

void take_turn() {
  switch (draw(20)) {
    case 0:
    case 1:
    case 2:
      return make_or_end(groups, make_group, end_group);
    case 3:
    case 4:
    case 5:
      return make_or_end(communicators, make_communicator, end_communicator);
    case 6:
    case 7:
    case 8:
      return make_or_end(types, make_type, end_type);
    case 9:
      return make_or_end(windows, make_window, end_window);
    case 10:
      if (draw(10) == 0) make_or_end(files, make_file, end_file);
      return;
    case 11:
      return make_or_end(channels, make_channel, end_channel);
    case 12:
      return make_or_end(operations, make_operation, end_operation);
    case 13:
      if (!windows.alive.empty()) use_window();
      return;
    case 14:
      if (!files.alive.empty()) use_file();
      return;
    case 15:
      if (!channels.alive.empty()) use_channel();
      return;
    case 16:
      if (!operations.alive.empty()) use_operation();
      return;
    case 17:
      return use_groups();
    case 18:
      if (!communicators.alive.empty()) use_communicator();
      return;
    default:
      if (!types.alive.empty()) use_type();
      return;
  }
}

template <class Handle, class End>
void end_all(Kind<Handle>& kind, End end) {
  while (!kind.alive.empty()) begin_turn(), kind.end_one(end);
}

int refuse(MPI_Comm, int, void* value, void*) { return *static_cast<int*>(value) != 0 ? MPI_ERR_OTHER : MPI_SUCCESS; }

// A communicator that the host does not free stays known. MPICH calls MPI_COMM_WORLD's error handler, or
// frees it all the same.
void refuse_to_free() {
  int keyval, refuses = 1, size = 0;
  MPI_Comm kept;
  MPI_Comm_dup(MPI_COMM_WORLD, &kept);
  for (const MPI_Comm each : {MPI_COMM_WORLD, kept}) MPI_Comm_set_errhandler(each, MPI_ERRORS_RETURN);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &keyval, nullptr);
  MPI_Comm_set_attr(kept, keyval, &refuses);
  if (PMPI_Comm_free(&kept) != MPI_SUCCESS) {
    if (marshal_comm_size != nullptr) CHECK(marshal_comm_size(kept, &size) == MARSHAL_SUCCESS && size == ranks);
    refuses = 0;
    CHECK(PMPI_Comm_free(&kept) == MPI_SUCCESS);
  }
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_free_keyval(&keyval);
}

int all_again = 0;

// By chance few come again. What Marshal saw is used, and freed unseen; what is made unseen then
// often has its handle. None is alive here but types.
template <class Handle, class Make, class Use>
void come_again(const char* kind, Make make, Use use, int (*end)(Handle*)) {
  int again = 0;
  for (int i = 0; i < 8; ++i) {
    begin_turn();
    Handle first, second;
    make(&first, true);
    use(first);
    const Handle had = first;
    end(&first);
    make(&second, false);
    again += second == had ? 1 : 0;
    use(second);
    end(&second);
  }
  if (me == 0) printf("%d of 8 %s came again\n", again, kind);
  if constexpr (std::is_integral_v<Handle>) CHECK(again > 0);  // MPICH takes it from a list of free ones
  all_again += again;
}

void handles_come_again() {
  MPI_Comm turned;
  alignas(16) int memory[2];  // MPICH 4.0 over UCX writes to a multiple of 16
  const std::vector<Type> alive = types.alive;
  PMPI_Comm_split(MPI_COMM_WORLD, 0, -me, &turned);
  const auto communicator = [](MPI_Comm* made, bool seen) {
    seen ? MPI_Comm_dup(MPI_COMM_WORLD, made) : PMPI_Comm_split(MPI_COMM_WORLD, 0, -me, made);
  };
  const auto of_communicator = [](MPI_Comm made) { communicators.alive = {made}, use_communicator(); };
  come_again("communicators", communicator, of_communicator, PMPI_Comm_free);
  const auto window = [&](MPI_Win* made, bool seen) {
    (seen ? MPI_Win_create : PMPI_Win_create)(memory, sizeof memory, sizeof(int), MPI_INFO_NULL,
                                              seen ? MPI_COMM_WORLD : turned, made);
  };
  const auto of_window = [](MPI_Win made) { windows.alive = {made}, use_window(); };
  come_again("windows", window, of_window, PMPI_Win_free);
  const auto file = [&](MPI_File* made, bool seen) {
    const int how = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    (seen ? MPI_File_open : PMPI_File_open)(seen ? MPI_COMM_WORLD : turned, "by_turns.again", how, MPI_INFO_NULL, made);
  };
  const auto of_file = [](MPI_File made) { files.alive = {made}, use_file(); };
  come_again("files", file, of_file, PMPI_File_close);
  const auto type = [](MPI_Datatype* made, bool seen) {
    (seen ? MPI_Type_vector : PMPI_Type_vector)(seen ? 2 : 3, 1, seen ? 2 : 5, MPI_INT, made);
    (seen ? MPI_Type_commit : PMPI_Type_commit)(made);
  };
  const auto of_type = [](MPI_Datatype made) {
    int size = 0;
    PMPI_Type_size(made, &size);
    types.alive = {{made, size}}, use_type();
  };
  come_again("types", type, of_type, PMPI_Type_free);
  Channel channel{MPI_REQUEST_NULL, 0, false, std::vector<int>(3)};
  const auto request = [&](MPI_Request* made, bool seen) {
    channel.receives = !seen && draw(2) == 0;
    channel.bytes = seen ? 3 * static_cast<int>(sizeof(int)) : 0;
    if (channel.receives)
      BY_TURNS(Recv_init, channel.memory.data(), 3, MPI_INT, (me + ranks - 1) % ranks, 5, MPI_COMM_WORLD, made);
    else
      (seen ? MPI_Send_init : PMPI_Send_init)(channel.memory.data(), 3, MPI_INT, (me + 1) % ranks, 6, MPI_COMM_WORLD,
                                              made);
  };
  const auto of_request = [&](MPI_Request made) { channel.request = made, channels.alive = {&channel}, use_channel(); };
  come_again("requests", request, of_request, PMPI_Request_free);
  CHECK(all_again > 0);
  PMPI_Comm_free(&turned);
  communicators.alive.clear(), windows.alive.clear(), files.alive.clear(), channels.alive.clear(), types.alive = alive;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* const by_hand = std::getenv("TEST_SECONDS");
  const double seconds = by_hand != nullptr ? std::atof(by_hand) : argc > 1 ? std::atof(argv[1]) : 1;
  const char* const given = std::getenv("MARSHAL_TEST_SEED");
  unsigned seed = given != nullptr ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device()();
  PMPI_Bcast(&seed, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
  first_seed = seed;
  if (me == 0) printf("seed %u\n", seed);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  const double end = MPI_Wtime() + seconds;
  for (int go_on = 1; go_on != 0;) {
    for (int i = 0; i < 100; ++i) begin_turn(), take_turn();
    go_on = MPI_Wtime() < end;
    PMPI_Bcast(&go_on, 1, MPI_INT, 0, MPI_COMM_WORLD);
  }
  if (me == 0) printf("%u turns\n", turns);
  refuse_to_free();
  end_all(files, end_file);
  end_all(windows, end_window);
  end_all(channels, end_channel);
  end_all(operations, end_operation);
  end_all(groups, end_group);
  if (seed % 2 == 0) end_all(types, end_type);
  end_all(communicators, end_communicator);
  handles_come_again();
  MPI_Group_free(&world);
  MPI_Finalize();
  if (wrong != 0) printf("rank %d, seed %u: %d wrong\n", me, seed, wrong);
  return wrong != 0;
}
