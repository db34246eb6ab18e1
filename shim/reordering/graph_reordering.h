// Which process of a graph topology plays which vertex, and the graph in that order. The process that gets rank r plays
// vertex r: the edges that were specified for r come to it (MPI-3.1, section 7.5.4).
#pragma once

#include <mpi.h>

#include <optional>
#include <string>

#include "host/joint_work.h"
#include "mapping/plan_graph.h"
#include "rankmap/rank_map.h"

namespace marshal {

// The arguments of MPI_Graph_create; the edges of vertex v are edges[index[v - 1]] to edges[index[v] - 1].
struct WholeGraph {
  int vertices;
  const int* index;
  const int* edges;
};

struct PlannedGraph {
  bool moves = false;  // processes get other ranks; the same on all processes
  // On rank 0 of the graph, where it was planned; the reason on all of them.
  std::optional<mapping::GraphOrder> order;
  std::string reason;
  int own_vertex = 0;  // which vertex this process would play
  int own_player = 0;  // which process would play the vertex that this one has now
};

// Plans for a graph that the host made. `processes` are its own; `whole` as the program gave it, or nothing where each
// process has its edges from the host. Rank 0 gets all edges, 12 bytes each, and plans alone; the others need no memory
// that grows with the job. Collective over the work's communicator, which is the graph.
PlannedGraph plan_graph(JointWork& all, const RankMap& processes, const std::optional<WholeGraph>& whole);

// The same for MPI_Graph_map, without communication.
mapping::GraphOrder plan_graph_alone(const RankMap& processes, const WholeGraph& whole);

// The graph in the planned order, made by the host. Collective over the work's communicator, which is the given graph.
void make_graph_in_order(JointWork& all, const PlannedGraph& plan, const std::optional<WholeGraph>& whole,
                         MPI_Info info, MPI_Comm* in_order);

}  // namespace marshal
