// Communicators. Whoever is in none of a new one's processes gets a duplicate of MPI_COMM_SELF, so all have one.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "tests/mpi/turns/turns.h"

namespace by_turns {

inline MPI_Comm make_communicator() {
  MPI_Comm made = MPI_COMM_NULL;
  const int kind = draw(8), parts = 1 + draw(3), turned = draw(2);
  switch (kind) {
    case 0:
      BY_TURNS(Comm_dup, MPI_COMM_WORLD, &made);
      break;
    case 1:
      BY_TURNS(Comm_split_type, MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, turned ? -me : me, MPI_INFO_NULL, &made);
      break;
    case 2: {
      const std::vector<int> all = first_numbers(ranks);
      MPI_Group some = MPI_GROUP_NULL;
      const int count = 1 + draw(ranks);
      BY_TURNS(Group_incl, world, count, all.data(), &some);
      BY_TURNS(Comm_create, MPI_COMM_WORLD, some, &made);
      BY_TURNS(Group_free, &some);
      break;
    }
    case 3: {
      MPI_Request request = MPI_REQUEST_NULL;
      BY_TURNS(Comm_idup, MPI_COMM_WORLD, &made, &request);
      BY_TURNS(Wait, &request, MPI_STATUS_IGNORE);
      break;
    }
    case 4: {
      const int dims[2] = {ranks / 2, 2}, periods[2] = {1, 0};
      if (ranks % 2 != 0) return make_communicator();
      BY_TURNS(Cart_create, MPI_COMM_WORLD, 2, dims, periods, turned, &made);
      break;
    }
    default:
      BY_TURNS(Comm_split, MPI_COMM_WORLD, me % parts, turned ? -me : me, &made);
      break;
  }
  if (made == MPI_COMM_NULL) PMPI_Comm_dup(MPI_COMM_SELF, &made);
  return made;
}

inline void end_communicator(MPI_Comm& gone) {
  if (draw(3) == 0)
    BY_TURNS(Comm_disconnect, &gone);
  else
    BY_TURNS(Comm_free, &gone);
}

// Neighbours as told by MPI_Cart_shift are those with which a neighbourhood collective talks.
inline void use_grid(MPI_Comm grid) {
  int rank = 0, coordinates[2] = {-1, -1}, back = -1, from[4];
  MPI_Comm_rank(grid, &rank);
  MPI_Cart_coords(grid, rank, 2, coordinates);
  MPI_Cart_rank(grid, coordinates, &back);
  CHECK(back == rank);
  int expected[4];
  MPI_Cart_shift(grid, 0, 1, &expected[0], &expected[1]);
  MPI_Cart_shift(grid, 1, 1, &expected[2], &expected[3]);
  std::fill_n(from, 4, MPI_PROC_NULL);
  MPI_Neighbor_allgather(&rank, 1, MPI_INT, from, 1, MPI_INT, grid);
  CHECK(std::equal(from, from + 4, expected));
}

inline void use_communicator() {
  const MPI_Comm one = communicators.any(), other = communicators.any();
  int relation = 0, expected = 0, rank = 0, size = 0, topology = MPI_UNDEFINED;
  MPI_Comm_compare(one, other, &relation);
  PMPI_Comm_compare(one, other, &expected);
  CHECK(relation == expected);
  MPI_Comm_compare(MPI_COMM_WORLD, one, &relation);
  PMPI_Comm_compare(MPI_COMM_WORLD, one, &expected);
  CHECK(relation == expected);
  MPI_Group group = MPI_GROUP_NULL;
  BY_TURNS(Comm_group, one, &group);
  check_translation(group, world);
  check_translation(world, group);
  BY_TURNS(Group_free, &group);
  PMPI_Comm_rank(one, &rank);
  PMPI_Comm_size(one, &size);
  int numbers[2] = {rank, me}, sums[2] = {0, 0}, sums_expected[2] = {0, 0};
  MPI_Allreduce(numbers, sums, 2, MPI_INT, MPI_SUM, one);
  PMPI_Allreduce(numbers, sums_expected, 2, MPI_INT, MPI_SUM, one);
  CHECK(sums[0] == sums_expected[0] && sums[1] == sums_expected[1]);
  const Sent before = sent();
  int in = -1, in_expected = -1;
  MPI_Sendrecv(&me, 1, MPI_INT, (rank + 1) % size, 1, &in, 1, MPI_INT, (rank + size - 1) % size, 1, one,
               MPI_STATUS_IGNORE);
  check_sent(before, 1, sizeof(int));
  PMPI_Sendrecv(&me, 1, MPI_INT, (rank + 1) % size, 1, &in_expected, 1, MPI_INT, (rank + size - 1) % size, 1, one,
                MPI_STATUS_IGNORE);
  CHECK(in == in_expected);
  MPI_Topo_test(one, &topology);
  if (topology == MPI_CART) use_grid(one);
}

}  // namespace by_turns
