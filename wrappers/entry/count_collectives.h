// Entry points of collective calls: passed on, and then, if they succeeded, the bytes of this process's part are added
// to those of the call; where a call sets up a persistent request, at each start of that. Which processes exchange them
// is the host's affair, except among neighbours: what goes to each of them counts as traffic. Only words of the call
// are read, in C or Fortran, and only those that the standard makes significant: buffers and MPI_IN_PLACE are never
// looked at.
#pragma once

#include "wrappers/entry/call_words.h"
#include "wrappers/entry/enter.h"

namespace marshal {

// Numbers of the words that say what a process's part is: count × size of the type, once; or for each process of the
// communicator, or each neighbour; or with a count of each.
struct CollectivePart {
  int count, type, comm;
  int root;     // -1: it has none
  int request;  // of a persistent one; else -1
  bool several_counts, several_types, for_each;
  bool root_has_none;  // a gather or scatter: what root sends to itself is not counted
  bool to_neighbours;
  bool large;
  int ierror;
};

void note_collective(const CollectivePart& part, CallPlace place, Word result, const Word* words) noexcept;
// The same of any collective, whether messages are watched or not.
void note_any_collective(const CollectivePart& part, CallPlace place, Word result, const Word* words) noexcept;

}  // namespace marshal
