// Several methods compete for the nodes of the ranks of any traffic, and exchanges and annealing improve the best of
// them. The order given takes part.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "mapping/neighbour_lists.h"

namespace marshal::mapping {

struct OrderRules {
  bool with_grid = true, with_scotch = true;
  // Neighbours that all annealing runs may look at together, about 4 ns each; 0: no annealing. With levels above the
  // nodes there are up to three times as many.
  std::int64_t looks = 800'000'000;
};

struct OrderEntry {
  std::string method;  // "given", "grid 4x4: search", "scotch", "growing"; "… + exchanges + annealing"
  Crossing crossing;
  std::string why_not;            // where it did not take part
  std::vector<Crossing> above{};  // at each level above the nodes, outermost first
};

// The levels above the nodes, as a race minds them (levels_above.h).
struct Surroundings {
  using Nodes = std::span<const std::int32_t>;
  std::vector<WeightedSum> factors{};  // how often weight counts that crosses each level; empty: there are no levels
  std::function<std::vector<Crossing>(Nodes node_of_rank)> crossings{};  // at each level
  std::function<std::vector<std::int32_t>(const NeighbourLists& between_nodes)> best_names{};
  std::function<std::vector<std::int32_t>(Nodes given)> level_by_level{};  // one more method
};

class Race {
 public:
  // `traffic`, `capacity` and `rules` must outlive the race.
  Race(const NeighbourLists& traffic, std::span<const std::int32_t> capacity, std::vector<std::int32_t> given,
       const OrderRules& rules, Surroundings around = {});

  void run();

  // Its busiest node exchanges no more than that of the order given. With levels above, neither more weight nor a
  // busier domain is at any level; of such orders it has the least by the weights of levels_above.h.
  const std::vector<std::int32_t>& winner() const { return runners_.front().nodes; }
  std::vector<OrderEntry> entries() const;  // best first

 private:
  struct Runner {
    std::string method;
    Crossing crossing;
    std::vector<Crossing> above;
    std::vector<std::int32_t> nodes;
    WeightedSum cost;  // of all levels
  };

  bool is_no_worse(const Runner& runner, const Runner& given) const;
  static bool is_better(const Runner& a, const Runner& b);
  bool has_levels() const { return !around_.factors.empty(); }
  Runner runner(std::string method, std::vector<std::int32_t> nodes) const;
  void enter(std::string method, std::vector<std::int32_t> nodes);
  void try_improved(const std::string& method, std::vector<std::int32_t> nodes);
  void try_grid(const std::vector<std::int32_t>& given);
  void try_scotch();
  void anneal_the_best();

  const NeighbourLists& traffic_;
  std::span<const std::int32_t> capacity_;
  const OrderRules& rules_;
  Surroundings around_;
  std::vector<Runner> runners_;
  std::vector<OrderEntry> absent_;
};

}  // namespace marshal::mapping
