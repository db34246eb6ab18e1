// One process runs out of memory inside Marshal, at the first, second, third … allocation of each of its calls, once or
// for good: nothing hangs, and whatever the call makes is right. So the process that failed neither leaves the others
// waiting nor decides differently from them.
// cluster: nodes=2 ranks=8 timeout=300 report=any env=MARSHAL_CART=nodecart
// cluster: nodes=2 ranks=8 timeout=300 report=any env=MARSHAL_CART=nodecart env=MARSHAL_CART_MOVE=ranks env=MARSHAL_SELF_CHECK=on
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tests/mpi/failing_allocations.h"

namespace {

int me, size;
const char* calls;

[[noreturn]] void wrong(const char* what) {
  std::fprintf(stderr, "rank %d: %s, when allocation %ld%s fails in %s\n", me, what, first_to_fail,
               fails_for_good ? " and every later one" : "", calls);
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}
void require(bool holds, const char* what) {
  if (!holds) wrong(what);
}

void check_members(MPI_Comm communicator) {
  int rank = 0, count = 0;
  MPI_Comm_rank(communicator, &rank);
  MPI_Comm_size(communicator, &count);
  std::vector<int> worlds(static_cast<std::size_t>(count)), ranks(worlds.size()), translated(worlds.size());
  MPI_Allgather(&me, 1, MPI_INT, worlds.data(), 1, MPI_INT, communicator);
  for (int r = 0; r < count; ++r) ranks[static_cast<std::size_t>(r)] = r;
  MPI_Group group, world;
  MPI_Comm_group(communicator, &group);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_translate_ranks(group, count, ranks.data(), world, translated.data());
  require(translated == worlds, "a rank of the new communicator is translated to another process");
  MPI_Group_free(&group);
  MPI_Group_free(&world);
}

void check_grid(MPI_Comm grid) {
  check_members(grid);
  int ndims = 0, rank = 0, count = 0;
  MPI_Cartdim_get(grid, &ndims);
  MPI_Comm_rank(grid, &rank);
  MPI_Comm_size(grid, &count);
  const auto n = static_cast<std::size_t>(ndims);
  std::vector<int> dims(n), periods(n), coords(n), all(n * static_cast<std::size_t>(count));
  MPI_Cart_get(grid, ndims, dims.data(), periods.data(), coords.data());
  MPI_Allgather(coords.data(), ndims, MPI_INT, all.data(), ndims, MPI_INT, grid);
  std::vector<int> neighbours(2 * n), of(2 * n, -1);
  for (int r = 0; r < count; ++r) {
    std::vector<int> cell(all.begin() + r * ndims, all.begin() + (r + 1) * ndims), asked(n);
    MPI_Cart_coords(grid, r, ndims, asked.data());
    require(asked == cell, "two processes do not agree on the coordinates of one");
    int back = -1;
    MPI_Cart_rank(grid, cell.data(), &back);
    require(back == r, "a cell is another rank's, or several ranks'");
  }
  for (int d = 0; d < ndims; ++d) {
    const auto k = static_cast<std::size_t>(2 * d);
    MPI_Cart_shift(grid, d, 1, &neighbours[k], &neighbours[k + 1]);
  }
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, of.data(), 1, MPI_INT, grid);
  for (std::size_t k = 0; k < 2 * n; ++k)
    require(neighbours[k] == MPI_PROC_NULL || of[k] == neighbours[k], "a neighbour is not who the shift says");
}

// Different calls in turn, so that kept plans are forgotten in between.
MPI_Comm grid_over(MPI_Comm communicator, long round) {
  int count = 0;
  MPI_Comm_size(communicator, &count);
  int dims[2] = {count, 1};
  const int shapes[4][2] = {{2, count / 2}, {count / 2, 2}, {count, 1}, {1, count}};
  if (count % 2 == 0) std::memcpy(dims, shapes[round / 4 % 4], sizeof dims);
  const int periods[2] = {static_cast<int>(round & 1), static_cast<int>(round >> 1 & 1)};
  MPI_Comm grid = MPI_COMM_NULL;
  MPI_Cart_create(communicator, 2, dims, periods, 1, &grid);
  return grid;
}

void begin_failing(long round, bool for_good, bool victim) {
  seen = 0;
  first_to_fail = round;
  fails_for_good = for_good;
  armed = victim;
}
void end_failing() { armed = false; }

// A communicator made during the failure must work with all others afterwards.
void use_and_free(MPI_Comm communicator, long round) {
  check_members(communicator);
  MPI_Comm grid = grid_over(communicator, round);
  check_grid(grid);
  MPI_Comm_free(&grid);
  MPI_Comm part = MPI_COMM_NULL;
  MPI_Comm_split(communicator, 0, -me, &part);
  check_members(part);
  MPI_Comm_free(&part);
  MPI_Comm_free(&communicator);
}

void make_grid(long round) {
  MPI_Comm grid = grid_over(MPI_COMM_WORLD, round);
  end_failing();
  check_grid(grid);
  MPI_Comm_free(&grid);
}

template <class Derive>
void derive_from_grid(long round, Derive derive) {
  const bool victim = armed;
  armed = false;
  MPI_Comm grid = grid_over(MPI_COMM_WORLD, 0), made = MPI_COMM_NULL;
  armed = victim;
  derive(grid, &made);
  end_failing();
  check_grid(made);
  use_and_free(made, round);
  check_grid(grid);
  MPI_Comm_free(&grid);
}
void make_part_of_grid(long round) {
  derive_from_grid(round, [](MPI_Comm grid, MPI_Comm* made) {
    const int remain[2] = {0, 1};
    MPI_Cart_sub(grid, remain, made);
  });
}
void duplicate_grid(long round) {
  derive_from_grid(round, [](MPI_Comm grid, MPI_Comm* made) { MPI_Comm_dup(grid, made); });
}
void duplicate_grid_later(long round) {
  derive_from_grid(round, [](MPI_Comm grid, MPI_Comm* made) {
    MPI_Request request;
    MPI_Comm_idup(grid, made, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
}
void split(long round) {
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, (me * 5) % size, &made);
  end_failing();
  use_and_free(made, round);
}
void split_irregularly(long round) {
  const int keys[8] = {3, 0, 7, 1, 6, 2, 5, 4};
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, 0, keys[me % 8], &made);
  end_failing();
  use_and_free(made, round);
}
void create(long round) {
  MPI_Group world, some;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int range[1][3] = {{size - 1, 0, -1}};
  MPI_Group_range_incl(world, 1, range, &some);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_create(MPI_COMM_WORLD, some, &made);
  end_failing();
  MPI_Group_free(&world);
  MPI_Group_free(&some);
  use_and_free(made, round);
}
void connect_and_merge(long round) {
  MPI_Comm half = MPI_COMM_NULL, between = MPI_COMM_NULL, made = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 7, &between);
  MPI_Intercomm_merge(between, me % 2, &made);
  end_failing();
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
  use_and_free(made, round);
}
void make_graph(long round) {
  const int before = (me + size - 1) % size, after = (me + 1) % size;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &before, MPI_UNWEIGHTED, 1, &after, MPI_UNWEIGHTED, MPI_INFO_NULL,
                                 1, &made);
  end_failing();
  use_and_free(made, round);
}
void make_graph_of_edges(long round) {
  const int degree = 1, after = (me + 1) % size;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &me, &degree, &after, MPI_UNWEIGHTED, MPI_INFO_NULL,
                        static_cast<int>(round % 2), &made);
  end_failing();
  use_and_free(made, round);
}
void make_whole_graph(long round) {
  std::vector<int> index(static_cast<std::size_t>(size)), edges(index.size());
  for (int r = 0; r < size; ++r) {
    index[static_cast<std::size_t>(r)] = r + 1;
    edges[static_cast<std::size_t>(r)] = (r + 1) % size;
  }
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Graph_create(MPI_COMM_WORLD, size, index.data(), edges.data(), 1, &made);
  end_failing();
  use_and_free(made, round);
}
int refuse(MPI_Comm, int, void*, void* is_refused) { return *static_cast<bool*>(is_refused) ? MPI_ERR_OTHER : 0; }
// Open MPI calls the communicator's error handler, and MPICH that of MPI_COMM_WORLD.
void keep_what_the_host_keeps(long round) {
  const bool victim = armed;
  armed = false;
  static bool is_refused;
  is_refused = true;
  MPI_Comm kept;
  MPI_Comm_dup(MPI_COMM_WORLD, &kept);
  for (const MPI_Comm each : {MPI_COMM_WORLD, kept}) MPI_Comm_set_errhandler(each, MPI_ERRORS_RETURN);
  int keyval;
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, refuse, &keyval, &is_refused);
  MPI_Comm_set_attr(kept, keyval, nullptr);
  armed = victim;
  const int code = MPI_Comm_free(&kept);
  end_failing();
  is_refused = false;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  require(code != MPI_SUCCESS, "an attribute's error is lost");
  use_and_free(kept, round);
  MPI_Comm_free_keyval(&keyval);
}
void open_window(long) {  // of its own: Open MPI has none between emulated nodes
  void* memory = nullptr;
  MPI_Win window;
  MPI_Win_allocate_shared(64, 1, MPI_INFO_NULL, MPI_COMM_SELF, &memory, &window);
  MPI_Group group, self;
  MPI_Win_get_group(window, &group);
  MPI_Comm_group(MPI_COMM_SELF, &self);
  end_failing();
  int same = MPI_UNEQUAL;
  MPI_Group_compare(group, self, &same);
  require(same == MPI_IDENT, "a window has another group");
  MPI_Group_free(&group);
  MPI_Group_free(&self);
  MPI_Win_free(&window);
}
void calculate_with_groups(long) {
  MPI_Group world, odd, even, both, none;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  int odds[1][3] = {{1, size - 1, 2}};
  MPI_Group_range_incl(world, 1, odds, &odd);
  MPI_Group_range_excl(world, 1, odds, &even);
  MPI_Group_union(even, odd, &both);
  MPI_Group_intersection(even, odd, &none);
  std::vector<int> ranks(static_cast<std::size_t>(size)), translated(ranks.size());
  for (int r = 0; r < size; ++r) ranks[static_cast<std::size_t>(r)] = r;
  MPI_Group_translate_ranks(both, size, ranks.data(), world, translated.data());
  int same = MPI_IDENT, left = -1;
  MPI_Group_compare(both, world, &same);
  MPI_Group_size(none, &left);
  end_failing();
  for (int r = 0; r < size; ++r) {
    const int evens = (size + 1) / 2;
    require(translated[static_cast<std::size_t>(r)] == (r < evens ? 2 * r : 2 * (r - evens) + 1),
            "a union is in another order");
  }
  require(same == MPI_SIMILAR && left == 0, "groups compare wrongly");
  for (MPI_Group* group : {&world, &odd, &even, &both, &none}) MPI_Group_free(group);
}
void pack(long round) {
  MPI_Datatype type;
  const int count = 10 + static_cast<int>(round % 50);
  MPI_Type_vector(count, 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  std::vector<int> user(2 * static_cast<std::size_t>(count)), packed(static_cast<std::size_t>(count)),
      back(user.size());
  for (std::size_t i = 0; i < user.size(); ++i) user[i] = static_cast<int>(i) + 1;
  const int bytes = count * static_cast<int>(sizeof(int));
  for (int again = 0; again < 40; ++again) {
    int position = 0;
    MPI_Pack(user.data(), 1, type, packed.data(), bytes, &position, MPI_COMM_WORLD);
    require(position == bytes, "a pack ends elsewhere");
    position = 0;
    MPI_Unpack(packed.data(), bytes, &position, back.data(), 1, type, MPI_COMM_WORLD);
  }
  end_failing();
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i)
    require(packed[i] == user[2 * i] && back[2 * i] == user[2 * i], "a packed byte is wrong");
  MPI_Type_free(&type);
}

// In the host's delete function, through which nothing may be thrown.
void free_packed(long round) {
  const bool victim = armed;
  armed = false;
  MPI_Datatype type;
  MPI_Type_vector(10 + static_cast<int>(round % 50), 1, 2, MPI_INT, &type);
  MPI_Type_commit(&type);
  int user[200] = {}, packed[100];
  for (int again = 0; again < 40; ++again) {
    int position = 0;
    MPI_Pack(user, 1, type, packed, sizeof packed, &position, MPI_COMM_WORLD);
  }
  armed = victim;
  const int code = MPI_Type_free(&type);
  end_failing();
  require(code == MPI_SUCCESS && type == MPI_DATATYPE_NULL, "a type is not freed");
}

// Fails every allocation in turn; if there are many, more and more are left out.
void sweep(void (*make)(long)) {
  for (const bool for_good : {false, true}) {
    int unreached = 0;
    for (long round = 1; unreached < 3; round += 1 + round / 64) {
      const int victim = static_cast<int>(round % size);
      begin_failing(round, for_good, me == victim);
      make(round);
      end_failing();
      int reached = seen >= round ? 1 : 0;
      MPI_Bcast(&reached, 1, MPI_INT, victim, MPI_COMM_WORLD);
      unreached = reached ? 0 : unreached + 1;
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  dl_iterate_phdr(find_marshal, nullptr);
  const struct {
    const char* name;
    void (*make)(long);
  } all[] = {{"MPI_Cart_create", make_grid},
             {"MPI_Cart_sub", make_part_of_grid},
             {"MPI_Comm_dup of a grid", duplicate_grid},
             {"MPI_Comm_idup of a grid", duplicate_grid_later},
             {"MPI_Comm_split", split},
             {"MPI_Comm_split, in no regular order", split_irregularly},
             {"MPI_Comm_create", create},
             {"MPI_Intercomm_create and _merge", connect_and_merge},
             {"MPI_Dist_graph_create_adjacent", make_graph},
             {"MPI_Dist_graph_create", make_graph_of_edges},
             {"MPI_Graph_create", make_whole_graph},
             {"MPI_Comm_free that an attribute refuses", keep_what_the_host_keeps},
             {"MPI_Win_allocate_shared and MPI_Win_get_group", open_window},
             {"calls for groups", calculate_with_groups},
             {"MPI_Pack and MPI_Unpack", pack},
             {"MPI_Type_free", free_packed}};
  for (const auto& each : all) {
    calls = each.name;
    sweep(each.make);
  }
  MPI_Finalize();
  return 0;
}
