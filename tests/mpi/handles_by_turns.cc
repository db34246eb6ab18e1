// A random program makes, uses and frees handles of all kinds. Chance calls the MPI_ or the PMPI_ function, as a tool
// does that is linked into a program: so some are made or freed behind Marshal's back, and handles come again. Whatever
// the program asks by MPI_ functions is what the host answers to their PMPI_ twins, and what it sends is counted for
// what the handles mean now. Argument: for how many seconds (TEST_SECONDS goes before that).
// MARSHAL_TEST_SEED=N repeats a run.
// cluster: nodes=2 ranks=4 args=1 env4=OMPI_MCA_osc=pt2pt
// cluster: nodes=2 ranks=4 args=1 env4=OMPI_MCA_osc=pt2pt env=MARSHAL_SELF_CHECK=on
// cluster: nodes=2 ranks=4 args=1 env4=OMPI_MCA_osc=pt2pt env=MARSHAL_PACK=mars env=MARSHAL_MESSAGES=on
// cluster: nodes=2 ranks=4 args=1 env4=OMPI_MCA_osc=pt2pt env=MARSHAL_CART_MOVE=always env=MARSHAL_TOPOLOGY=cyclic:2
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

template <class Object, class Use>
void use_one(const Kind<Object>& kind, Use use) {
  if (!kind.alive.empty()) use();
}

void take_turn() {
  const int what = draw(20);
  if (what < 3) return make_or_end(groups, make_group, end_group);
  if (what < 6) return make_or_end(communicators, make_communicator, end_communicator);
  if (what < 9) return make_or_end(types, make_type, end_type);
  switch (what) {
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
      return use_one(windows, use_window);
    case 14:
      return use_one(files, use_file);
    case 15:
      return use_one(channels, use_channel);
    case 16:
      return use_one(operations, use_operation);
    case 17:
      return use_groups();
    case 18:
      return use_one(communicators, use_communicator);
    default:
      return use_one(types, use_type);
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

template <class Handle>
Handle handle_of(Handle handle) {
  return handle;
}
MPI_Datatype handle_of(const Type& type) { return type.handle; }
MPI_Request handle_of(Channel* channel) { return channel->request; }

int all_again = 0;

// By chance few come again. What Marshal saw is used, and freed unseen; what is made unseen then often has its handle.
template <class Object, class Make, class End, class Use>
void come_again(const char* name, Kind<Object>& kind, Make make, End end, Use use) {
  int again = 0;
  const std::vector<Object> kept = kind.alive;
  for (int i = 0; i < 8; ++i) {
    const auto once = [&](int is_first) {
      begin_turn(), seen = is_first;
      kind.alive = {make()};
      const auto handle = handle_of(kind.alive[0]);
      seen = -1, use();
      seen = 0, kind.end_one(end);
      return handle;
    };
    const auto had = once(1);
    again += once(0) == had ? 1 : 0;
  }
  // MPICH takes it from a list of free ones.
  if constexpr (std::is_integral_v<decltype(handle_of(kept[0]))>) CHECK(again > 0);
  if (me == 0) printf("%d of 8 %s came again\n", again, name);
  all_again += again;
  seen = -1, kind.alive = kept;
}

void handles_come_again() {
  MPI_Comm turned;
  PMPI_Comm_split(MPI_COMM_WORLD, 0, -me, &turned);
  communicators.alive = {MPI_COMM_WORLD, turned};
  come_again("communicators", communicators, make_communicator, end_communicator, use_communicator);
  come_again("windows", windows, make_window, end_window, use_window);
  come_again("files", files, make_file, end_file, use_file);
  come_again("types", types, make_type, end_type, use_type);
  come_again("requests", channels, make_channel, end_channel, use_channel);
  CHECK(all_again > 0);
  PMPI_Comm_free(&turned);
  communicators.alive.clear();
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
