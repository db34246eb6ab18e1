// The group calls that Marshal answers give what the host gives: MPI_X goes through Marshal, PMPI_X is the bare host.
//
// cluster: nodes=2 ranks=9 env=MARSHAL_SELF_CHECK=on
// cluster: nodes=2 ranks=9 sanitizer=no
// cluster: nodes=1 ranks=4 env=MARSHAL_RANKMAP=rankmap env=MARSHAL_SELF_CHECK=on sanitizer=no
// cluster: nodes=1 ranks=4 env=MARSHAL_RANKMAP=sparse env=MARSHAL_SELF_CHECK=on
// cluster: nodes=1 ranks=4 env=MARSHAL_RANKMAP=off sanitizer=no
#include <mpi.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#include "tests/mpi/host_name.h"

namespace {

int world_rank, world_size;

std::mt19937 chance(12345);  // the same on all ranks: splits are collective
int draw(int low, int high) { return std::uniform_int_distribution<int>(low, high)(chance); }

#define PROMISE(condition)                                                                        \
  do {                                                                                            \
    if (!(condition)) {                                                                           \
      std::fprintf(stderr, "rank %d, line %d: not true: %s\n", world_rank, __LINE__, #condition); \
      MPI_Abort(MPI_COMM_WORLD, 1);                                                               \
    }                                                                                             \
  } while (0)

int size_of(MPI_Group group) {
  int size;
  PMPI_Group_size(group, &size);
  return size;
}

bool identical(MPI_Group a, MPI_Group b) {
  int result;
  PMPI_Group_compare(a, b, &result);
  return result == MPI_IDENT;
}

void release(MPI_Group group) {
  if (group != MPI_GROUP_EMPTY) MPI_Group_free(&group);
}

void check_pair(MPI_Group a, MPI_Group b) {
  int ours, hosts;
  PROMISE(MPI_Group_compare(a, b, &ours) == PMPI_Group_compare(a, b, &hosts));
  PROMISE(ours == hosts);

  std::vector<int> ranks{MPI_PROC_NULL};
  for (int r = 0; r < size_of(a); ++r) ranks.push_back(size_of(a) - 1 - r);
  ranks.push_back(MPI_PROC_NULL);
  const int n = static_cast<int>(ranks.size());
  std::vector<int> out(ranks.size(), 7), expected(ranks.size(), 8);
  PROMISE(MPI_Group_translate_ranks(a, n, ranks.data(), b, out.data()) == MPI_SUCCESS);
  PROMISE(PMPI_Group_translate_ranks(a, n, ranks.data(), b, expected.data()) == MPI_SUCCESS);
  PROMISE(out == expected);

  using SetCall = int (*)(MPI_Group, MPI_Group, MPI_Group*);
  const SetCall through[] = {MPI_Group_union, MPI_Group_intersection, MPI_Group_difference};
  const SetCall direct[] = {PMPI_Group_union, PMPI_Group_intersection, PMPI_Group_difference};
  for (int call = 0; call < 3; ++call) {
    MPI_Group mine, theirs;
    PROMISE(through[call](a, b, &mine) == MPI_SUCCESS);
    PROMISE(direct[call](a, b, &theirs) == MPI_SUCCESS);
    PROMISE(identical(mine, theirs));
    PROMISE((mine == MPI_GROUP_EMPTY) == (theirs == MPI_GROUP_EMPTY));
    release(mine);
    if (theirs != MPI_GROUP_EMPTY) PMPI_Group_free(&theirs);
  }
}

// Whatever is wrong comes from the host: the same class of error.
void check_errors(MPI_Group group) {
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  std::vector<int> out(200);
  for (const int wrong : {-77, size_of(group), 1 << 30}) {
    if (is_open_mpi()) break;  // which does not look at the ranks, and crashes
    const std::vector<int> ranks(200, wrong);
    for (const int n : {1, 200}) {
      int ours, hosts;
      const int code = MPI_Group_translate_ranks(group, n, ranks.data(), group, out.data());
      const int expected = PMPI_Group_translate_ranks(group, n, ranks.data(), group, out.data());
      MPI_Error_class(code, &ours);
      MPI_Error_class(expected, &hosts);
      PROMISE(ours == hosts);
    }
  }
  int result, ours, hosts;
  MPI_Group none;
  MPI_Error_class(MPI_Group_union(group, MPI_GROUP_NULL, &none), &ours);
  MPI_Error_class(PMPI_Group_union(group, MPI_GROUP_NULL, &none), &hosts);
  PROMISE(ours == hosts);
  MPI_Error_class(MPI_Group_compare(MPI_GROUP_NULL, group, &result), &ours);
  MPI_Error_class(PMPI_Group_compare(MPI_GROUP_NULL, group, &result), &hosts);
  PROMISE(ours == hosts);
  MPI_Error_class(MPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_NULL, &result), &ours);
  MPI_Error_class(PMPI_Comm_compare(MPI_COMM_WORLD, MPI_COMM_NULL, &result), &hosts);
  PROMISE(ours == hosts);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// Splits by modulus, by block, by random colour, in order, reversed and shuffled.
MPI_Comm split(int number) {
  const int colours = draw(1, 3), key = draw(0, 2);
  std::vector<int> order(static_cast<std::size_t>(world_size)), colour(order.size());
  for (int r = 0; r < world_size; ++r) {
    order[static_cast<std::size_t>(r)] = key == 1 ? -r : r;
    colour[static_cast<std::size_t>(r)] = number % 3 == 0   ? r % colours
                                          : number % 3 == 1 ? r * colours / world_size
                                                            : draw(0, 1);
  }
  if (key == 2) std::shuffle(order.begin(), order.end(), chance);
  MPI_Comm made;
  MPI_Comm_split(MPI_COMM_WORLD, colour[static_cast<std::size_t>(world_rank)],
                 order[static_cast<std::size_t>(world_rank)], &made);
  return made;
}

void check_comparisons(const std::vector<MPI_Comm>& comms) {
  for (const MPI_Comm a : comms) {
    for (const MPI_Comm b : comms) {
      int ours, hosts;
      PROMISE(MPI_Comm_compare(a, b, &ours) == PMPI_Comm_compare(a, b, &hosts));
      PROMISE(ours == hosts);
    }
  }
}

// Some ranks of a group that is not empty, or all but those.
MPI_Group part_of(MPI_Group from, int number) {
  const int size = size_of(from);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  for (int r = 0; r < size; ++r) ranks[static_cast<std::size_t>(r)] = r;
  std::shuffle(ranks.begin(), ranks.end(), chance);
  const int some = draw(0, size);
  int range[1][3] = {{draw(0, size - 1), size - 1, draw(1, 3)}};
  MPI_Group made, expected;
  switch (number % 4) {
    case 0:
      MPI_Group_incl(from, some, ranks.data(), &made);
      PMPI_Group_incl(from, some, ranks.data(), &expected);
      break;
    case 1:
      MPI_Group_excl(from, some, ranks.data(), &made);
      PMPI_Group_excl(from, some, ranks.data(), &expected);
      break;
    case 2:
      MPI_Group_range_incl(from, 1, range, &made);
      PMPI_Group_range_incl(from, 1, range, &expected);
      break;
    default:
      MPI_Group_range_excl(from, 1, range, &made);
      PMPI_Group_range_excl(from, 1, range, &expected);
  }
  PROMISE(identical(made, expected));
  if (expected != MPI_GROUP_EMPTY) PMPI_Group_free(&expected);
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  MPI_Comm_size(MPI_COMM_WORLD, &world_size);
  std::vector<MPI_Comm> comms{MPI_COMM_WORLD, MPI_COMM_SELF};
  for (int i = 0; i < 12; ++i) comms.push_back(split(i));
  MPI_Comm again;
  MPI_Comm_dup(comms.back(), &again);
  comms.push_back(again);
  check_comparisons(comms);

  std::vector<MPI_Group> groups{MPI_GROUP_EMPTY};
  for (const MPI_Comm comm : comms) {
    MPI_Group group;
    MPI_Comm_group(comm, &group);
    groups.push_back(group);
  }
  // A window and a file have the group of the communicator that they were made on.
  int* memory;
  MPI_Win window;
  MPI_File file;
  MPI_Comm node;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, -world_rank, MPI_INFO_NULL, &node);
  MPI_Win_allocate_shared(sizeof(int), sizeof(int), MPI_INFO_NULL, node, &memory, &window);
  groups.emplace_back();
  MPI_Win_get_group(window, &groups.back());
  char name[40];
  std::snprintf(name, sizeof name, "group_calls.%d", world_rank);
  PROMISE(MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                        &file) == MPI_SUCCESS);
  groups.emplace_back();
  MPI_File_get_group(file, &groups.back());
  for (int i = 0; i < 20; ++i) {
    const MPI_Group from = groups[static_cast<std::size_t>(draw(1, static_cast<int>(groups.size()) - 1))];
    if (size_of(from) > 0) groups.push_back(part_of(from, i));
  }
  // One that Marshal did not see being made.
  MPI_Group unseen;
  PMPI_Comm_group(MPI_COMM_WORLD, &unseen);
  for (const MPI_Group a : groups) {
    for (const MPI_Group b : groups) check_pair(a, b);
    check_pair(a, unseen);
    check_pair(unseen, a);
  }
  check_errors(groups[1]);
  PMPI_Group_free(&unseen);
  for (const MPI_Group group : groups) release(group);
  MPI_File_close(&file);
  MPI_Win_free(&window);
  MPI_Comm_free(&node);
  MPI_Comm_free(&comms.back());
  MPI_Finalize();
  return 0;
}
