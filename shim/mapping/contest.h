// Choosing the best assignment among many candidates. The list of candidates and the winner depend on the problem only,
// never on the machine, the clock, or how many processes share the work: each evaluates every parts-th candidate, and
// they agree on the least (Jsum, Jmax, number of the candidate). All budgets count work.
//
// Promises for the winner. By Jsum, the measure of the literature, it is never worse than the given order nor than any
// published mapper. By Jmax, for which an exchange waits, it is not worse than the given order either. There is one
// exception: an assignment whose busiest node sends more wins if a published mapper's Jsum is reached in no other way.
// (This was seen for 3 of 3171 grids, all with nodes of unequal sizes.) For few cells all assignments are counted, and
// the winner is the best possible.
//
// Where the stencil is a guess, the least Jsum is a guess, too. Then the rules name other stencils that the traffic may
// have. A candidate that is worse than the given order by any of them cannot win. The other candidates compete if they
// are within 2 % of the least Jsum among them. Each counts by its smallest gain over these stencils, and the largest
// such gain wins. Then no promise is made about published mappers: their Jsum is a guess, too.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mapping/mappers.h"
#include "mapping/metrics.h"
#include "mapping/problem.h"

namespace marshal::mapping {

// The quality of a candidate. Smaller is better, in the order of the members.
struct Standing {
  static constexpr std::int64_t unknown = std::numeric_limits<std::int64_t>::max();
  // By the stencil of the rules that it is worst by: the loss against the given order, in millionths of all weight of
  // that stencil. 0 if there are no such stencils.
  std::int64_t loss = unknown;
  std::int64_t jsum = unknown, jmax = unknown, candidate = unknown;
  auto operator<=>(const Standing&) const = default;
  bool known() const { return candidate != unknown; }
};

// The processes that share a contest. By default there is only one.
struct Team {
  int part = 0, parts = 1;
  // Replaces each standing by the least that any process holds at that place. Called by all, in the same order.
  std::function<void(std::span<Standing>)> agree;
  // Gives all processes the numbers that process `from` holds.
  std::function<void(std::span<std::int32_t>, int from)> tell;
};

struct ContestRules {
  Mapper mapper = Mapper::best;
  // Other stencils by which the winner of a contest must not be worse than the given order. Empty: the problem's
  // stencil is known to be right.
  std::vector<Stencil> no_worse_by{};
  // Exchanges of cells that one run of the annealing tries; about 25 ns each. A process makes one run where at least
  // annealing_runs share the work.
  std::int64_t exchanges = std::int64_t{4} << 20;
  // Cells that all snakes may visit together; a few snakes are looked at whatever they cost.
  std::int64_t visits = 250'000'000;
};
inline constexpr int annealing_runs = 8;
// The winner may have this much more than the least Jsum if there are stencils by which it must not be worse.
inline constexpr std::int64_t slack_percent = 2;

struct Contestant {
  Mapper mapper;
  Standing standing;
};

struct ContestResult {
  std::vector<std::int32_t> node_of_cell;  // empty if the mapper asked for does not apply
  Mapper winner = Mapper::given;
  std::string detail;
  std::string why_not;     // why the mapper asked for does not apply
  bool held_back = false;  // an order with less Jsum did not win, as it is worse by another stencil of the rules
  std::vector<Contestant> entries;  // the best of each mapper that took part, best first
  std::int64_t candidates = 0;      // how many were looked at, by all processes together, before annealing
};

// The order that rules.mapper proposes: the winner of a contest for `best` and `search`, which the given order takes
// part in; any other mapper's own, better than the given order or not. `given`: Jsum and Jmax of the given order.
ContestResult propose(const Problem& problem, const ContestRules& rules, const Team& team, const Traffic& given);
ContestResult propose(const Problem& problem, const ContestRules& rules = {});

}  // namespace marshal::mapping
