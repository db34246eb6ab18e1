// A host without processes: PMPI's group calls on plain lists of ranks, for as many ranks as a test likes.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

namespace marshal::mock {

// One job of `world` processes, of which this is rank 0; all groups but the predefined ones are gone.
void start(int world);

MPI_Group group_of(std::vector<std::int32_t> lpids);
const std::vector<std::int32_t>& members(MPI_Group group);

// How often the host was asked, since start().
struct Asked {
  int incl = 0;
  int translate = 0;
  int own_set_operations = 0;
  int own_comparisons = 0;
};
Asked& asked();

}  // namespace marshal::mock
