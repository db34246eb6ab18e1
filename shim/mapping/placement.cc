#include "mapping/placement.h"

#include <algorithm>
#include <numeric>
#include <optional>

#include "mapping/bisection.h"
#include "mapping/index.h"
#include "mapping/neighbour_lists.h"

namespace marshal::mapping {
namespace {

// Ranks or cells sorted by node, ascending within each.
struct ByNode {
  std::vector<std::int64_t> begin;
  std::vector<std::int32_t> list;

  ByNode(std::span<const std::int32_t> node_of, std::int32_t nodes) : begin(at(nodes) + 1), list(node_of.size()) {
    for (const std::int32_t node : node_of) ++begin[at(node) + 1];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < node_of.size(); ++i) list[at(next[at(node_of[i])]++)] = static_cast<std::int32_t>(i);
  }
  std::span<std::int32_t> of(std::int32_t node) {
    return std::span(list).subspan(at(begin[at(node)]), at(begin[at(node) + 1] - begin[at(node)]));
  }
};

// Divides the cells of one node among the domains of its processes, level by level.
class DomainFiller {
 public:
  // `cells`: all cells that divide() may get.
  DomainFiller(const Problem& problem, std::span<const DomainLevel> levels, std::span<const std::int32_t> cells)
      : neighbours_(problem.grid, problem.stencil, cells),
        bisector_(problem.grid, neighbours_),
        levels_(levels),
        part_(at(problem.cells())),
        owner_(at(problem.cells()), -1) {}

  // Reorders `cells` so that cells[i] belongs to ranks[i]; both ascending at first and equally many.
  void fill(std::span<const std::int32_t> ranks, std::span<std::int32_t> cells) {
    std::vector<std::int32_t> proposal(cells.size());
    std::vector<std::int32_t> work(cells.begin(), cells.end());
    descend(0, std::vector<std::int32_t>(ranks.begin(), ranks.end()), work, ranks, proposal);
    // Lexicographic in the levels: weight between packages counts more than weight between caches.
    if (weights(ranks, proposal) < weights(ranks, cells)) std::copy(proposal.begin(), proposal.end(), cells.begin());
  }

  // For each level the weight between different domains of it.
  std::vector<std::int64_t> weights(std::span<const std::int32_t> ranks, std::span<const std::int32_t> cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) owner_[at(cells[i])] = ranks[i];
    std::vector<std::int64_t> result;
    for (const DomainLevel& level : levels_) {
      std::int64_t weight = 0;
      for (const std::int32_t cell : cells) {
        const std::int32_t mine = level.domain_of_rank[at(owner_[at(cell)])];
        for (const Neighbour& n : neighbours_.of(cell)) {
          const std::int32_t other = owner_[at(n.cell)];
          if (other < 0 || mine < 0) continue;
          const std::int32_t theirs = level.domain_of_rank[at(other)];
          weight += theirs >= 0 && theirs != mine ? n.weight : 0;
        }
      }
      result.push_back(weight / 2);
    }
    for (const std::int32_t cell : cells) owner_[at(cell)] = -1;
    return result;
  }

 private:
  void descend(std::size_t depth, const std::vector<std::int32_t>& ranks, std::span<std::int32_t> cells,
               std::span<const std::int32_t> all_ranks, std::vector<std::int32_t>& proposal) {
    if (depth == levels_.size()) {
      std::sort(cells.begin(), cells.end());
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        const auto place = std::lower_bound(all_ranks.begin(), all_ranks.end(), ranks[i]) - all_ranks.begin();
        proposal[at(place)] = cells[i];
      }
      return;
    }
    const auto members = by_domain(ranks, levels_[depth].domain_of_rank);
    std::vector<NodeShare> shares;
    for (std::size_t m = 0; m < members.size(); ++m)
      shares.push_back({static_cast<std::int32_t>(m), static_cast<std::int32_t>(members[m].size())});
    std::sort(cells.begin(), cells.end());
    const std::int32_t first_cell = cells.front();
    bisector_.cut(cells, shares, part_);
    // The first process keeps the first cell where an equal domain can take its place.
    const std::int32_t holder = part_[at(first_cell)];
    if (holder != 0 && members[at(holder)].size() == members[0].size())
      for (const std::int32_t cell : cells) {
        std::int32_t& part = part_[at(cell)];
        part = part == holder ? 0 : part == 0 ? holder : part;
      }
    std::vector<std::vector<std::int32_t>> cells_of(members.size());
    for (const std::int32_t cell : cells) cells_of[at(part_[at(cell)])].push_back(cell);
    for (std::size_t m = 0; m < members.size(); ++m) descend(depth + 1, members[m], cells_of[m], all_ranks, proposal);
  }

  NeighbourLists neighbours_;
  Bisector bisector_;
  std::span<const DomainLevel> levels_;
  std::vector<std::int32_t> part_, owner_;
};

bool has_domains(std::span<const DomainLevel> levels, std::span<const std::int32_t> ranks) {
  return std::any_of(levels.begin(), levels.end(), [&](const DomainLevel& level) {
    std::optional<std::int32_t> first;
    for (const std::int32_t rank : ranks) {
      const std::int32_t domain = level.domain_of_rank[at(rank)];
      if (domain < 0) return false;
      if (first && *first != domain) return true;
      first = domain;
    }
    return false;
  });
}

}  // namespace

std::vector<std::vector<std::int32_t>> by_domain(std::span<const std::int32_t> members,
                                                 std::span<const std::int32_t> domain_of) {
  std::vector<std::vector<std::int32_t>> domains;
  for (const std::int32_t member : members) {
    const auto its = std::ranges::find(domains, domain_of[at(member)],
                                       [&](const auto& domain) { return domain_of[at(domain.front())]; });
    if (its == domains.end())
      domains.push_back({member});
    else
      its->push_back(member);
  }
  return domains;
}

std::vector<DomainLevel> levels_of_ranks(std::span<const NodeLevel> above, std::span<const std::int32_t> node_of_rank) {
  std::vector<DomainLevel> levels;
  for (const NodeLevel& level : above) {
    levels.push_back({level.name, {}});
    for (const std::int32_t node : node_of_rank) levels.back().domain_of_rank.push_back(level.domain_of_node[at(node)]);
  }
  return levels;
}

std::vector<NodeLevel> levels_of_nodes(std::span<const DomainLevel> above, const NumberedNodes& nodes) {
  std::vector<NodeLevel> list;
  for (const DomainLevel& level : above) {
    NodeLevel& of_nodes = list.emplace_back(NodeLevel{level.name, std::vector<std::int32_t>(nodes.capacity.size())});
    for (std::size_t rank = 0; rank < nodes.of_rank.size(); ++rank)
      of_nodes.domain_of_node[at(nodes.of_rank[rank])] = level.domain_of_rank[rank];
  }
  return list;
}

void keep_first_in_place(const Problem& problem, std::span<std::int32_t> node_of_cell) {
  if (node_of_cell.empty()) return;
  const std::int32_t home = 0;  // nodes are numbered by first appearance
  const std::int32_t holder = node_of_cell[0];
  if (holder == home) return;
  const auto cells_of = [&](std::int32_t node) { return std::count(node_of_cell.begin(), node_of_cell.end(), node); };
  if (cells_of(holder) > problem.capacity[at(home)] || cells_of(home) > problem.capacity[at(holder)]) return;
  for (std::int32_t& node : node_of_cell) node = node == holder ? home : node == home ? holder : node;
}

Placement place(const Problem& problem, std::span<const std::int32_t> node_of_rank,
                std::span<const std::int32_t> node_of_cell, std::span<const DomainLevel> levels) {
  Placement placement;
  ByNode ranks(NumberedNodes(node_of_rank).of_rank, problem.nodes());
  ByNode cells(node_of_cell, problem.nodes());
  const auto ranks_with_cells = [&](std::int32_t node, std::size_t count) { return ranks.of(node).first(count); };

  std::vector<std::int32_t> divided;  // nodes whose processes have domains
  for (std::int32_t node = 0; node < problem.nodes(); ++node)
    if (has_domains(levels, ranks.of(node))) divided.push_back(node);
  for (const DomainLevel& level : levels) placement.levels.push_back({level.name, 0, 0});
  if (!divided.empty()) {
    ByNode given(problem.given, problem.nodes());
    std::vector<std::int32_t> concerned;
    for (const std::int32_t node : divided)
      for (const auto list : {given.of(node), cells.of(node)})
        concerned.insert(concerned.end(), list.begin(), list.end());
    DomainFiller filler(problem, levels, concerned);
    for (const std::int32_t node : divided) {
      const auto its_given = given.of(node), its_cells = cells.of(node);
      const auto its_ranks = ranks_with_cells(node, its_cells.size());
      const auto before = filler.weights(ranks_with_cells(node, its_given.size()), its_given);
      if (!its_cells.empty()) filler.fill(its_ranks, its_cells);
      const auto after = filler.weights(its_ranks, its_cells);
      for (std::size_t k = 0; k < levels.size(); ++k) {
        placement.levels[k].before += before[k];
        placement.levels[k].after += after[k];
      }
    }
  }

  placement.old_rank.resize(node_of_cell.size());
  placement.new_rank.assign(node_of_rank.size(), -1);
  for (std::int32_t node = 0; node < problem.nodes(); ++node) {
    const auto its_cells = cells.of(node);
    const auto its_ranks = ranks_with_cells(node, its_cells.size());
    for (std::size_t i = 0; i < its_cells.size(); ++i) {
      placement.old_rank[at(its_cells[i])] = its_ranks[i];
      placement.new_rank[at(its_ranks[i])] = its_cells[i];
    }
  }
  auto spare = static_cast<std::int32_t>(node_of_cell.size());
  for (std::int32_t& rank : placement.new_rank)
    if (rank < 0) rank = spare++;
  return placement;
}

}  // namespace marshal::mapping
