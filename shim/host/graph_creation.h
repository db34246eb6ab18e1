// MPI_Graph_create, MPI_Dist_graph_create and MPI_Dist_graph_create_adjacent that may reorder.
//
// The host makes the graph without reordering, which also tells whether the arguments are good, and what the edges are,
// in whatever language and form they were given. Its rank 0 then plans (host/graph_reordering.h). If processes move,
// another graph takes the place of the first: over the same processes in the new order, again made by the host without
// reordering. No algorithm of the host's own for reordering is ever entered: Open MPI's is known to hang (its
// issue 13918).
#pragma once

#include <mpi.h>

#include <optional>

#include "host/creation.h"
#include "host/graph_reordering.h"
#include "settings/settings.h"

namespace marshal {

struct GraphCall {
  MPI_Comm comm;
  bool reorder;
  std::optional<WholeGraph> whole;  // of MPI_Graph_create
  MPI_Info info;                    // of the others
};

// One such call: construct it; run the host's function, without reordering where without_reordering() says so, and then
// improve(); enter() what was made.
class GraphCreation {
 public:
  explicit GraphCreation(const GraphCall& call);

  // The same on all processes.
  bool without_reordering() const { return use_ == GraphUse::best; }

  // Puts a graph in a better order into the place of `graph`, if there is one. Collective over it. Does not throw.
  void improve(MPI_Comm* graph);

  // Enters the graph on the books, and notes it for the report. Collective over it. Does not throw.
  void enter(Creation& creation, MPI_Comm graph);

 private:
  const GraphCall call_;
  const Communicator* from_;  // null: some processes may not know the communicator, so they could not agree
  GraphUse use_ = GraphUse::off;
  bool tells_ = false;  // this process notes the graph for the report: it planned it
  PlannedGraph planned_;
};

// MPI_Graph_map: the rank of this process in the order that MPI_Graph_create would give it, MPI_UNDEFINED without a
// vertex. Nothing where the host is to answer. Local.
std::optional<int> rank_in_graph(const GraphCall& call);

}  // namespace marshal
