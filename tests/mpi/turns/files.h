// Files: each tells the group of processes that opened it.
#pragma once

#include <mpi.h>

#include <string>

#include "tests/mpi/turns/turns.h"

namespace by_turns {

inline MPI_File make_file() {
  static int number = 0;
  const std::string name = "by_turns." + std::to_string(number++);
  const MPI_Comm on = draw(2) == 0 || communicators.alive.empty() ? MPI_COMM_WORLD : communicators.any();
  int first = me;
  PMPI_Allreduce(&me, &first, 1, MPI_INT, MPI_MIN, on);  // each part of a split has a file of its own
  MPI_File made = MPI_FILE_NULL;
  BY_TURNS(File_open, on, (name + "." + std::to_string(first)).c_str(),
           MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &made);
  return made;
}

inline void end_file(MPI_File& gone) { BY_TURNS(File_close, &gone); }

inline void use_file() {
  MPI_Group group = MPI_GROUP_NULL, expected = MPI_GROUP_NULL;
  const MPI_File file = files.any();
  MPI_File_get_group(file, &group);
  PMPI_File_get_group(file, &expected);
  check_same(group, expected);
  check_translation(group, world);
  BY_TURNS(Group_free, &group);
  BY_TURNS(Group_free, &expected);
}

}  // namespace by_turns
