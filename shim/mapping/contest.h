// Choosing the best assignment among many candidates. The list of candidates and the winner depend on the problem only,
// never on the machine, the clock, or how many processes share the work: each evaluates every parts-th candidate, and
// they agree on the least (Jsum, Jmax, number of the candidate).
//
// What a winner promises. By Jsum, the measure of the literature, it is never worse than the given order nor than any
// published mapper that takes part. By Jmax, for which an exchange waits, it is not worse than the given order either:
// an assignment whose busiest node sends more does not win, unless a published mapper's Jsum is reached in no other way
// (seen for 3 of 3171 grids, all with nodes of unequal sizes).
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mapping/nodecart.h"
#include "mapping/problem.h"

namespace marshal::mapping {

enum class Mapper { given, nodecart, bricks, hyperplane, kdtree, strips, search, bisection, annealing, best };

std::string_view name_of(Mapper mapper);
// The mappers that a user can ask for: nodecart, hyperplane, kdtree, strips, search, best. Throws
// std::invalid_argument.
Mapper parse_mapper(std::string_view name);
std::span<const Mapper> mappers_by_name();

// Smaller is better.
struct Standing {
  std::int64_t jsum = std::numeric_limits<std::int64_t>::max();
  std::int64_t jmax = std::numeric_limits<std::int64_t>::max();
  std::int64_t candidate = std::numeric_limits<std::int64_t>::max();
  auto operator<=>(const Standing&) const = default;
  bool known() const { return jsum != std::numeric_limits<std::int64_t>::max(); }
};

// The processes that share a contest. By default there is one, which has nobody to agree with.
struct Team {
  int part = 0, parts = 1;
  // Replaces each standing by the least that any process holds at that place. Called by all, in the same order.
  std::function<void(std::span<Standing>)> agree;
  // Gives all processes the numbers that process `from` holds.
  std::function<void(std::span<std::int32_t>, int from)> tell;
};

struct ContestRules {
  Mapper mapper = Mapper::best;
  Ties ties = Ties::first;
  // Proposals of one annealing run; about 25 ns each. A process makes one run where at least annealing_runs share the
  // work.
  std::int64_t proposals = 4'000'000;
  // Cells that all snakes may visit together; a few snakes are looked at whatever they cost.
  std::int64_t visits = 250'000'000;
};
inline constexpr int annealing_runs = 8;

struct Entry {
  Mapper mapper;
  Standing standing;
};

struct ContestResult {
  std::vector<std::int32_t> node_of_cell;
  Mapper winner = Mapper::given;
  std::string detail;
  std::string why_not;          // why the mapper asked for did not apply
  std::vector<Entry> entries;   // the best of each mapper that took part, best first
  std::int64_t candidates = 0;  // how many were looked at, by all processes together, before annealing
};

// `given_jmax`: of the given order, where it is known already.
ContestResult contest(const Problem& problem, const ContestRules& rules, const Team& team = {},
                      std::optional<std::int64_t> given_jmax = std::nullopt);

// One mapper alone, whether or not it is better than the given order. Not for `given` and `annealing`.
MapperResult run_mapper(const Problem& problem, Mapper mapper, const ContestRules& rules = {});

}  // namespace marshal::mapping
