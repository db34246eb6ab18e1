// An order of the ranks as the files and options that launchers read.
//
//   openmpi  rankfile: mpirun --rankfile F; from Open MPI 5 on mpirun --map-by rankfile:file=F
//   mpich    machine file: mpiexec -machinefile F, hosts in rank order
//   intel    the same, for Intel MPI's mpiexec
//   slurm    SLURM_HOSTFILE=F srun -m arbitrary: the host of each rank
//   cray     MPICH_RANK_ORDER, read where MPICH_RANK_REORDER_METHOD=3: the ranks of each node, node by node
//   flux     --taskmap=manual:…: which node has which tasks (Flux RFC 34)
//   list     the place of each rank, places numbered node by node, one a line
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tools/order/places.h"

namespace marshal::tools {

// The nodes in the order in which their places are numbered, all of them filled, and the place of each rank.
struct OrderedRanks {
  std::span<const Host> hosts;
  std::span<const std::int32_t> place_of_rank;
  std::int32_t cores = 0;  // of a node, that its processes divide among them; 0: one each
};

struct Launcher {
  std::string_view word;
  std::string_view file;                     // its usual name
  bool needs_names;                          // of the nodes
  std::string (*text)(const OrderedRanks&);  // of the file
  std::string_view use;  // the command to type, with places for {0} the ranks, {1} the file and {2} the nodes
};
std::span<const Launcher> launchers();

}  // namespace marshal::tools
