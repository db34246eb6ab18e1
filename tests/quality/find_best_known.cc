// Lowers the least Jsum known of each instance in tests/quality/best_known.txt, by slow methods. METIS and SCOTCH run
// from several seeds, and their results are repaired to the exact node sizes. Annealing starts from all of these, from
// the contest's winner and from the given order; then it starts again from the best. Built where both are found
// (libmetis-dev, libscotch-dev), run by hand:
//
//   make tests/quality/find_best_known
//   tests/quality/find_best_known PROPOSALS SEED < tests/quality/best_known.txt > lower.txt
//
// Reads lines as they stand in that file, or instances alone (tests/quality/quality_instances.h); prints them with the
// lower of the value read and the value found.
#include <fmt/format.h>
#include <metis.h>
#include <scotch/scotch.h>

#include <algorithm>
#include <iostream>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mapping/annealing.h"
#include "mapping/contest.h"
#include "mapping/metrics.h"
#include "mapping/neighbour_lists.h"
#include "tests/quality/quality_instances.h"

using namespace marshal::mapping;

namespace {

using Assignment = std::vector<std::int32_t>;

std::int64_t jsum(const Problem& problem, const Assignment& node) {
  return jsum_of(problem.grid, problem.stencil, node);
}

// The grid as both libraries want it: neighbours of cell c are adjacent[begin[c]] … adjacent[begin[c + 1] - 1].
template <typename Index>
struct Adjacency {
  std::vector<Index> begin{0}, adjacent, weight;

  Adjacency(const Problem& problem, const NeighbourLists& neighbours) {
    for (std::int32_t cell = 0; cell < problem.cells(); ++cell) {
      for (const Neighbour& n : neighbours.of(cell)) {
        adjacent.push_back(static_cast<Index>(n.cell));
        weight.push_back(static_cast<Index>(n.weight));
      }
      begin.push_back(static_cast<Index>(adjacent.size()));
    }
  }
};

// The parts of a partitioner are about as large as asked for: the cells that lose least move until the sizes are exact.
void repair(const Problem& problem, const NeighbourLists& neighbours, Assignment& node) {
  Assignment room = problem.capacity;
  for (const std::int32_t n : node) --room[static_cast<std::size_t>(n)];
  for (;;) {
    std::int32_t best_cell = -1, best_node = -1;
    std::int64_t best_loss = std::numeric_limits<std::int64_t>::max();
    for (std::int32_t cell = 0; cell < problem.cells(); ++cell) {
      const std::int32_t own = node[static_cast<std::size_t>(cell)];
      if (room[static_cast<std::size_t>(own)] >= 0) continue;
      std::map<std::int32_t, std::int64_t> bonds;
      for (const Neighbour& n : neighbours.of(cell)) bonds[node[static_cast<std::size_t>(n.cell)]] += n.weight;
      for (std::int32_t to = 0; to < problem.nodes(); ++to) {
        if (room[static_cast<std::size_t>(to)] <= 0) continue;
        const auto found = bonds.find(to);
        const std::int64_t loss = bonds[own] - (found == bonds.end() ? 0 : found->second);
        if (loss < best_loss) {
          best_cell = cell;
          best_node = to;
          best_loss = loss;
        }
      }
    }
    if (best_cell < 0) return;
    std::int32_t& own = node[static_cast<std::size_t>(best_cell)];
    ++room[static_cast<std::size_t>(own)];
    --room[static_cast<std::size_t>(best_node)];
    own = best_node;
  }
}

std::optional<Assignment> by_metis(const Problem& problem, const NeighbourLists& neighbours, bool recursive, int seed) {
  Adjacency<idx_t> graph(problem, neighbours);
  idx_t cells = static_cast<idx_t>(problem.cells()), constraints = 1, parts = problem.nodes(), cut = 0;
  std::vector<real_t> shares;
  for (const std::int32_t size : problem.capacity)
    shares.push_back(static_cast<real_t>(size) / static_cast<real_t>(problem.cells()));
  std::vector<idx_t> part(static_cast<std::size_t>(cells)), options(METIS_NOPTIONS);
  METIS_SetDefaultOptions(options.data());
  options[METIS_OPTION_SEED] = seed;
  options[METIS_OPTION_NCUTS] = 8;
  options[METIS_OPTION_UFACTOR] = 1;
  const int status = (recursive ? METIS_PartGraphRecursive : METIS_PartGraphKway)(
      &cells, &constraints, graph.begin.data(), graph.adjacent.data(), nullptr, nullptr, graph.weight.data(), &parts,
      shares.data(), nullptr, options.data(), &cut, part.data());
  if (status != METIS_OK) return std::nullopt;
  Assignment node(part.begin(), part.end());
  repair(problem, neighbours, node);
  return node;
}

std::optional<Assignment> by_scotch(const Problem& problem, const NeighbourLists& neighbours, int seed) {
  Adjacency<SCOTCH_Num> edges(problem, neighbours);
  SCOTCH_randomSeed(seed);
  SCOTCH_randomReset();
  SCOTCH_Graph graph;
  SCOTCH_Arch nodes;
  SCOTCH_Strat strategy;
  SCOTCH_graphInit(&graph);
  SCOTCH_archInit(&nodes);
  SCOTCH_stratInit(&strategy);
  const std::vector<SCOTCH_Num> sizes(problem.capacity.begin(), problem.capacity.end());
  std::vector<SCOTCH_Num> part(static_cast<std::size_t>(problem.cells()));
  const bool done = SCOTCH_graphBuild(&graph, 0, static_cast<SCOTCH_Num>(problem.cells()), edges.begin.data(), nullptr,
                                      nullptr, nullptr, static_cast<SCOTCH_Num>(edges.adjacent.size()),
                                      edges.adjacent.data(), edges.weight.data()) == 0 &&
                    SCOTCH_archCmpltw(&nodes, problem.nodes(), sizes.data()) == 0 &&
                    SCOTCH_stratGraphMapBuild(&strategy, SCOTCH_STRATQUALITY, problem.nodes(), 0.005) == 0 &&
                    SCOTCH_graphMap(&graph, &nodes, &strategy, part.data()) == 0;
  SCOTCH_stratExit(&strategy);
  SCOTCH_archExit(&nodes);
  SCOTCH_graphExit(&graph);
  if (!done) return std::nullopt;
  Assignment node(part.begin(), part.end());
  repair(problem, neighbours, node);
  return node;
}

struct Best {
  std::int64_t jsum;
  std::string how;
  Assignment node;  // empty: only its value is known
};

void lower(const QualityInstance& instance, std::int64_t proposals, int seed, Best& known) {
  const Problem& problem = instance.problem;
  const NeighbourLists neighbours(problem.grid, problem.stencil);
  Best best{jsum(problem, problem.given), "given", problem.given};
  ContestRules rules;
  rules.exchanges = proposals;
  const auto consider = [&](Assignment node, const std::string& how) {
    if (const std::int64_t value = jsum(problem, node); value < best.jsum) best = {value, how, std::move(node)};
  };
  std::vector<std::pair<std::string, Assignment>> starts{{"given", problem.given},
                                                         {"contest", propose(problem, rules).node_of_cell}};
  for (int k = 0; k < 2 && problem.nodes() > 1; ++k) {  // METIS divides by zero for one part
    if (auto found = by_metis(problem, neighbours, k == 1, seed)) starts.emplace_back("metis", std::move(*found));
    if (auto found = by_scotch(problem, neighbours, seed * 2 + k)) starts.emplace_back("scotch", std::move(*found));
  }
  for (const auto& [name, node] : starts) consider(node, name);
  AnnealingPlan plan;
  plan.seed = static_cast<std::uint64_t>(seed) * 1000;
  const auto try_annealing = [&](const Assignment& start, const std::string& name, int hot, int cold) {
    ++plan.seed;
    plan.hot = hot;
    plan.cold = cold;
    consider(anneal(neighbours, problem.capacity, start, plan),
             fmt::format("annealing {}..{}, {} proposals, from {}", hot, cold, plan.exchanges, name));
  };
  plan.exchanges = proposals;
  for (const auto& [name, node] : starts)
    for (const auto& [hot, cold] : {std::pair(30, 10), std::pair(60, 15), std::pair(120, 30)})
      try_annealing(node, name, hot, cold);
  plan.exchanges = 4 * proposals;
  try_annealing(problem.given, "given", 170, 25);
  for (const auto& [hot, cold] : {std::pair(40, 10), std::pair(70, 20)})
    try_annealing(Assignment(best.node), "the best before", hot, cold);
  if (best.jsum < known.jsum) known = std::move(best);
}

}  // namespace

int main(int count, char** arguments) {
  const std::int64_t proposals = count > 1 ? std::stoll(arguments[1]) : 10'000'000;
  const int seed = count > 2 ? std::stoi(arguments[2]) : 1;
  for (std::string line; std::getline(std::cin, line);) {
    if (line.empty() || line[0] == '#') continue;
    const QualityInstance instance = quality_instance(line.substr(0, line.find('|')));
    Best known{std::numeric_limits<std::int64_t>::max(), {}, {}};
    if (const auto second = line.find('|', line.find('|') + 1); second != std::string::npos)
      known = {std::stoll(line.substr(second + 1)), line.substr(line.rfind('|') + 2), {}};
    const std::int64_t before = known.jsum;
    lower(instance, proposals, seed, known);
    fmt::print("{} | {} | {} | {}\n", instance.line, jsum(instance.problem, instance.problem.given), known.jsum,
               known.how);
    std::fflush(stdout);
    if (known.jsum < before) fmt::print(stderr, "{}: {} -> {}\n", instance.line, before, known.jsum);
  }
}
