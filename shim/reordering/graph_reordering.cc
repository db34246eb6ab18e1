#include "reordering/graph_reordering.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "host/next_symbol.h"
#include "host/node_levels.h"
#include "host/node_map.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "reordering/cart_reordering.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

// Rank 0 holds all edges while it plans, and the others wait for it.
constexpr std::int64_t most_edges = std::int64_t{1} << 26;
// Neighbours that annealing looks at for each exchange of cells: they take about as long.
constexpr std::int64_t looks_an_exchange = 6;

std::size_t at(int i) { return static_cast<std::size_t>(i); }

// The host's own constant for a graph without weights.
const int* unweighted() {
#ifdef MARSHAL_HOST_MPICH
  const auto* constant = static_cast<int* const*>(find_host_object("MPI_UNWEIGHTED"));
  if (constant == nullptr) throw HostFailed("MPI_UNWEIGHTED");
  return *constant;
#else
  return MPI_UNWEIGHTED;
#endif
}

// The edges of one vertex of a distributed graph.
struct Adjacency {
  bool weighted = false;
  std::vector<int> sources, source_weights, destinations, destination_weights;

  Adjacency(int sources_count, int destinations_count, bool has_weights) : weighted(has_weights) {
    for (std::vector<int>* list : {&sources, &source_weights}) resize(*list, sources_count);
    for (std::vector<int>* list : {&destinations, &destination_weights}) resize(*list, destinations_count);
  }

 private:
  // With room for one more: an empty list has an address all the same, as hosts read none as no weights.
  static void resize(std::vector<int>& list, int count) {
    list.reserve(at(count) + 1);
    list.resize(at(count), 1);
  }
};

Adjacency own_adjacency(MPI_Comm graph) {
  int in = 0, out = 0, weighted = 0;
  checked("MPI_Dist_graph_neighbors_count", pmpi().Dist_graph_neighbors_count(graph, &in, &out, &weighted));
  Adjacency own(in, out, weighted != 0);
  // MPICH copies weights that are not there into room for them.
  int* const none = const_cast<int*>(weighted != 0 ? nullptr : unweighted());
  checked("MPI_Dist_graph_neighbors",
          pmpi().Dist_graph_neighbors(graph, in, own.sources.data(), none ? none : own.source_weights.data(), out,
                                      own.destinations.data(), none ? none : own.destination_weights.data()));
  return own;
}

std::vector<mapping::Sent> edges_of(const WholeGraph& whole) {
  std::vector<mapping::Sent> edges;
  for (int vertex = 0, i = 0; vertex < whole.vertices; ++vertex)
    for (; i < whole.index[vertex]; ++i) edges.push_back({vertex, whole.edges[i], 1});
  return edges;
}

// On rank 0 all edges, by the processes that they leave; elsewhere nothing. Nothing at all where there are too many.
std::optional<std::vector<mapping::Sent>> gathered_edges(JointWork& all, const Adjacency& own, bool is_root, int size) {
  const MPI_Comm graph = all.communicator();
  const MPI_Datatype number = predefined().type_int;
  std::vector<int> numbers;  // destination, weight
  for (std::size_t i = 0; i < own.destinations.size(); ++i) {
    numbers.push_back(own.destinations[i]);
    numbers.push_back(own.destination_weights[i]);
  }
  const int count = static_cast<int>(numbers.size());
  std::vector<int> counts(is_root ? at(size) : 0);
  all.all_ready();
  checked("MPI_Gather", pmpi().Gather(&count, 1, number, counts.data(), 1, number, 0, graph));
  const std::int64_t total = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  if (all.all_ready({total > 2 * most_edges ? 1 : 0})[0] != 0) return std::nullopt;
  std::vector<int> begins(counts.size()), gathered(static_cast<std::size_t>(total));
  std::exclusive_scan(counts.begin(), counts.end(), begins.begin(), 0);
  all.all_ready();
  checked("MPI_Gatherv", pmpi().Gatherv(numbers.data(), count, number, gathered.data(), counts.data(), begins.data(),
                                        number, 0, graph));
  std::vector<mapping::Sent> edges;
  edges.reserve(static_cast<std::size_t>(total) / 2);
  for (std::size_t from = 0; from < counts.size(); ++from)
    for (int i = begins[from]; i < begins[from] + counts[from]; i += 2)
      edges.push_back({static_cast<std::int32_t>(from), gathered[at(i)], gathered[at(i + 1)]});
  return edges;
}

// The domains of all processes inside their nodes, on rank 0; each process knows those of its own node.
std::vector<mapping::DomainLevel> gathered_levels(JointWork& all, const RankMap& processes, int own, int size) {
  std::vector<mapping::DomainLevel> levels = learn_domains(all, processes);
  for (mapping::DomainLevel& level : levels) {
    const int mine = level.domain_of_rank[at(own)];
    std::vector<std::int32_t> of_all(own == 0 ? at(size) : 0);
    all.all_ready();
    checked("MPI_Gather", pmpi().Gather(&mine, 1, predefined().type_int, of_all.data(), 1, predefined().type_int, 0,
                                        all.communicator()));
    level.domain_of_rank = std::move(of_all);
  }
  return levels;
}

mapping::GraphRequest graph_request_for(std::span<const mapping::Sent> edges, std::span<const std::int32_t> nodes,
                                        std::span<const mapping::DomainLevel> levels,
                                        std::span<const mapping::DomainLevel> above) {
  return {edges, nodes, levels, 1.0, mapping::ContestRules{}.exchanges * looks_an_exchange, above};
}

// Sends this process's edges to the process that plays its vertex, and gets the edges of the vertex that it plays
// itself.
Adjacency exchanged(JointWork& all, const PlannedGraph& plan, const Adjacency& own) {
  const MPI_Comm graph = all.communicator();
  const MPI_Datatype number = predefined().type_int;
  constexpr int tag = 0;
  const std::array<int, 2> own_counts{static_cast<int>(own.sources.size()), static_cast<int>(own.destinations.size())};
  std::array<int, 2> counts{};
  std::vector<int> numbers;
  for (const std::vector<int>* list : {&own.sources, &own.source_weights, &own.destinations, &own.destination_weights})
    numbers.insert(numbers.end(), list->begin(), list->end());
  all.all_ready();
  checked("MPI_Sendrecv", pmpi().Sendrecv(own_counts.data(), 2, number, plan.own_player, tag, counts.data(), 2, number,
                                          plan.own_vertex, tag, graph, MPI_STATUS_IGNORE));
  Adjacency played(counts[0], counts[1], own.weighted);
  std::vector<int> received(2 * at(counts[0]) + 2 * at(counts[1]));
  all.all_ready();
  checked("MPI_Sendrecv", pmpi().Sendrecv(numbers.data(), static_cast<int>(numbers.size()), number, plan.own_player,
                                          tag, received.data(), static_cast<int>(received.size()), number,
                                          plan.own_vertex, tag, graph, MPI_STATUS_IGNORE));
  auto next = received.begin();
  for (std::vector<int>* list :
       {&played.sources, &played.source_weights, &played.destinations, &played.destination_weights}) {
    std::copy_n(next, list->size(), list->begin());
    next += std::ssize(*list);
  }
  return played;
}

}  // namespace

// AGREEMENT: the order of a graph
PlannedGraph plan_graph(JointWork& all, const RankMap& processes, const std::optional<WholeGraph>& whole) {
  PlannedGraph plan;
  const int own = own_rank(all.communicator()), size = size_of(all.communicator());
  plan.own_vertex = plan.own_player = own;
  const bool is_root = own == 0;
  std::vector<std::int32_t> nodes;
  if (is_root) nodes = nodes_of(processes);
  const bool several_nodes = std::adjacent_find(nodes.begin(), nodes.end(), std::not_equal_to<>()) != nodes.end();
  // MPI_Graph_map, which is local, knows nothing of other nodes' insides, and must say the same as MPI_Graph_create.
  const JointWork::Numbers any = all.all_ready({several_nodes ? 1 : 0, is_bound() && !whole ? 1 : 0});
  if (any[0] == 0 && any[1] == 0) {
    plan.reason = "all processes are on one node";
    return plan;
  }
  std::vector<mapping::DomainLevel> levels;
  if (any[1] != 0) levels = gathered_levels(all, processes, own, size);

  std::vector<mapping::Sent> edges;
  if (!whole) {
    std::optional<std::vector<mapping::Sent>> gathered =
        gathered_edges(all, own_adjacency(all.communicator()), is_root, size);
    if (!gathered) {
      plan.reason = "the graph has too many edges to plan for";
      return plan;
    }
    edges = std::move(*gathered);
  } else if (is_root) {
    edges = edges_of(*whole);
  }

  std::vector<int> roles;  // of each process: the vertex that it plays, and who plays the vertex of its old rank
  if (is_root) {
    plan.order = mapping::plan_graph(graph_request_for(edges, nodes, levels, levels_above(nodes)));
    plan.reason = plan.order->reason;
    for (std::size_t rank = 0; rank < nodes.size(); ++rank) {
      roles.push_back(plan.order->new_rank[rank]);
      roles.push_back(plan.order->old_rank[rank]);
    }
  }
  plan.moves = all.all_ready({is_root && plan.order->moved ? 1 : 0})[0] != 0;
  if (!plan.moves) return plan;
  std::array<int, 2> mine{};
  checked("MPI_Scatter", pmpi().Scatter(roles.data(), 2, predefined().type_int, mine.data(), 2, predefined().type_int,
                                        0, all.communicator()));
  plan.own_vertex = mine[0];
  plan.own_player = mine[1];
  return plan;
}

mapping::GraphOrder plan_graph_alone(const RankMap& processes, const WholeGraph& whole) {
  const std::vector<mapping::Sent> edges = edges_of(whole);
  const std::vector<std::int32_t> nodes = nodes_of(processes);
  return mapping::plan_graph(graph_request_for(edges, nodes, {}, levels_above(nodes)));
}

void make_graph_in_order(JointWork& all, const PlannedGraph& plan, const std::optional<WholeGraph>& whole,
                         MPI_Info info, MPI_Comm* in_order) {
  std::optional<Adjacency> played;
  if (!whole) played = exchanged(all, plan, own_adjacency(all.communicator()));
  MPI_Comm& ordered = all.temporary();
  all.all_ready();
  checked("MPI_Comm_split", pmpi().Comm_split(all.communicator(), 0, plan.own_vertex, &ordered));
  if (whole) {
    all.all_ready();
    checked("MPI_Graph_create", pmpi().Graph_create(ordered, whole->vertices, whole->index, whole->edges, 0, in_order));
    return;
  }
  const int* const none = played->weighted ? nullptr : unweighted();
  all.all_ready();
  checked("MPI_Dist_graph_create_adjacent",
          pmpi().Dist_graph_create_adjacent(ordered, static_cast<int>(played->sources.size()), played->sources.data(),
                                            played->weighted ? played->source_weights.data() : none,
                                            static_cast<int>(played->destinations.size()), played->destinations.data(),
                                            played->weighted ? played->destination_weights.data() : none, info, 0,
                                            in_order));
}

}  // namespace marshal
