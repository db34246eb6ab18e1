// Plans MPI_Cart_create: from a grid and the node of every process, it finds the order in which the processes should
// take the cells. The result has everything that the report tells about the order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mapping/cart_above.h"
#include "mapping/contest.h"
#include "mapping/metrics.h"
#include "mapping/placement.h"
#include "mapping/prediction.h"

namespace marshal::mapping {

struct CartRequest {
  Grid grid;
  Stencil stencil;
  std::span<const std::int32_t> node_of_rank;  // of every process of the old communicator; any integers
  ContestRules rules;
  Ties ties = Ties::first;
  double min_gain_percent = 1.0;    // of Jsum, Jmax, or the outermost level's weight; below it nothing moves
  std::vector<DomainLevel> levels;  // inside the nodes: domains known to this process; others' may be -1
  std::vector<DomainLevel> above;   // above the nodes, outermost first: of all processes
  Machine machine;
  Team team;
};

struct Mapping {
  bool moved = false;      // some process gets another rank; else new_rank is the identity
  bool held_back = false;  // nothing moved to another node, as a better order is worse by a stencil of the rules
  Mapper winner = Mapper::given;
  std::string detail;
  std::string reason;  // why nothing moved or the mapper asked for did not apply; empty: nothing to say
  Metrics before, after;
  std::int64_t lower_bound = 0;                  // of Jsum; 0: none known
  Prediction predicted_before, predicted_after;  // of a halo exchange
  std::vector<Contestant> entries;
  std::vector<LevelGain> levels;
  std::vector<AboveGain> above;
  std::vector<std::int32_t> given_nodes;   // node of each cell in the given order, numbered by first appearance
  std::vector<std::int32_t> node_of_cell;  // and in the new order
  std::vector<std::int32_t> new_rank;      // of each old rank; certain for processes on nodes whose domains are known
  std::vector<std::int32_t> old_rank;      // of each cell
  std::int64_t moved_ranks = 0;
  double seconds = 0;  // spent here
};

// Why a mapper's order is not worth moving processes; empty if it is. It is worth it if Jsum falls, or Jmax at the same
// Jsum, and one of the two falls by at least `min_gain_percent`. With levels above the nodes, none of their sums may
// rise; the weighted sum of all levels counts in place of Jsum. The library and `marshal map` both decide here.
std::string why_not_worth(Mapper proposed_by, const Metrics& before, const Metrics& after, double min_gain_percent,
                          std::span<const AboveGain> above = {});

// The answer, except `seconds`, is the same on every process and machine. Throws std::invalid_argument for fewer
// processes than cells.
Mapping plan_cart(const CartRequest& request);

}  // namespace marshal::mapping
