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

// By chance windows and files come again too seldom. None is alive here.
void windows_and_files_come_again() {
  MPI_Comm turned;
  int memory[2];
  PMPI_Comm_split(MPI_COMM_WORLD, 0, -me, &turned);
  for (int i = 0; i < 8; ++i) {
    MPI_Win window;
    MPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    PMPI_Win_free(&window);
    PMPI_Win_create(memory, sizeof memory, sizeof(int), MPI_INFO_NULL, turned, &window);
    windows.alive = {window};
    use_window();
    PMPI_Win_free(&window);
    MPI_File file;
    const int how = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    MPI_File_open(MPI_COMM_WORLD, "by_turns.again", how, MPI_INFO_NULL, &file);
    PMPI_File_close(&file);
    PMPI_File_open(turned, "by_turns.again", how, MPI_INFO_NULL, &file);
    files.alive = {file};
    use_file();
    PMPI_File_close(&file);
  }
  windows.alive.clear(), files.alive.clear();
  PMPI_Comm_free(&turned);
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
  CHECK(communicators.came_again + groups.came_again > 0);
  refuse_to_free();
  end_all(files, end_file);
  end_all(windows, end_window);
  windows_and_files_come_again();
  end_all(channels, end_channel);
  end_all(operations, end_operation);
  end_all(groups, end_group);
  if (seed % 2 == 0) end_all(types, end_type);
  end_all(communicators, end_communicator);
  MPI_Group_free(&world);
  MPI_Finalize();
  if (wrong != 0) printf("rank %d, seed %u: %d wrong\n", me, seed, wrong);
  return wrong != 0;
}
