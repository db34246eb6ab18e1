// Binds a rank to cores as Open MPI's mpirun up to 4 does where it maps ranks by slot or by socket. In an order of the
// ranks (its sequential mapper) mpirun binds none.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace marshal::tools {

struct Processor {
  int number;  // of the system
  int core;    // within its package
  int package;
};

// The processors for the k-th of `ranks` ranks of a node; empty: it is not bound. "socket": packages in turn. "core":
// packages in turn, if `by_socket`, and in them core by core. More ranks than cores are not bound.
std::vector<int> processors_for(std::string_view policy, std::vector<Processor> processors, int rank, int ranks,
                                bool by_socket);

// Binds this process by its number among the ranks of the node, which Open MPI's variables tell. Nothing where these,
// or the machine's description, are missing.
void bind_rank(std::string_view policy);

}  // namespace marshal::tools
