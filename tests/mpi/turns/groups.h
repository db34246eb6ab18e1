// Groups, made of all that has one, and of each other.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <vector>

#include "tests/mpi/turns/turns.h"

namespace by_turns {

inline MPI_Group any_group() { return groups.alive.empty() ? world : groups.any(); }

inline MPI_Group make_group() {
  MPI_Group made = MPI_GROUP_NULL;
  const MPI_Group from = any_group(), other = any_group();
  int size = 0;
  PMPI_Group_size(from, &size);
  std::vector<int> some = first_numbers(size);
  std::shuffle(some.begin(), some.end(), dice);
  if (size > 1) some.resize(static_cast<std::size_t>(1 + draw(size - 1)));
  int range[1][3] = {{size - 1, 0, -1}};
  const int count = static_cast<int>(some.size());
  switch (draw(9)) {
    case 0:
      BY_TURNS(Group_excl, from, count, some.data(), &made);
      break;
    case 1:
      BY_TURNS(Group_range_incl, from, size > 0 ? 1 : 0, range, &made);
      break;
    case 2:
      BY_TURNS(Group_union, from, other, &made);
      break;
    case 3:
      BY_TURNS(Group_intersection, from, other, &made);
      break;
    case 4:
      BY_TURNS(Group_difference, from, other, &made);
      break;
    case 5:
      if (windows.alive.empty()) return make_group();
      BY_TURNS(Win_get_group, windows.any(), &made);
      break;
    case 6:
      if (files.alive.empty()) return make_group();
      BY_TURNS(File_get_group, files.any(), &made);
      break;
    case 7:
      if (communicators.alive.empty()) return make_group();
      BY_TURNS(Comm_group, communicators.any(), &made);
      break;
    default:
      BY_TURNS(Group_incl, from, count, some.data(), &made);
      break;
  }
  return made;
}

inline void end_group(MPI_Group& gone) {
  if (gone != MPI_GROUP_EMPTY) BY_TURNS(Group_free, &gone);
}

inline void use_groups() {
  const MPI_Group a = any_group(), b = any_group();
  check_translation(a, b);
  check_translation(world, a);
  int relation = 0, expected = 0;
  MPI_Group_compare(a, b, &relation);
  PMPI_Group_compare(a, b, &expected);
  CHECK(relation == expected);
}

}  // namespace by_turns
