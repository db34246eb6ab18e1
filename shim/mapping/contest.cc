#include "mapping/contest.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>

#include "mapping/annealing.h"
#include "mapping/bisection.h"
#include "mapping/exact.h"
#include "mapping/lower_bound.h"

namespace marshal::mapping {
namespace {

constexpr std::size_t families = mapper_table.size();
// Beside the best of each mapper: the best of all candidates that may win.
constexpr std::size_t winning = families;

// Bounds of the number of snakes, and the sizes up to which finer methods are worth their cost.
constexpr std::int64_t most_shapes = 1000, fewest_shapes = 24;
constexpr std::int64_t most_cells_to_bisect = 50'000;

std::size_t index(Mapper mapper) { return static_cast<std::size_t>(mapper); }

bool better(const Standing& a, const Standing& b) { return std::tie(a.jsum, a.jmax) < std::tie(b.jsum, b.jmax); }

std::string joined(std::string_view first, std::string_view separator, std::string_view second) {
  return fmt::format("{}{}{}", first, second.empty() ? "" : separator, second);
}

struct Candidate {
  Mapper mapper;
  NodeOrder order = NodeOrder::as_given;
  std::optional<SnakeShape> shape;
};

struct AnnealingRun {
  bool from_runner_up;  // start from the best of another mapper than the winner
  int hot, cold;
};
constexpr std::array<AnnealingRun, annealing_runs> annealing_schedule{{{false, 60, 15},
                                                                       {false, 30, 15},
                                                                       {false, 100, 20},
                                                                       {true, 60, 15},
                                                                       {false, 100, 40},
                                                                       {false, 180, 30},
                                                                       {true, 100, 30},
                                                                       {false, 140, 25}}};

class Contest {
 public:
  Contest(const Problem& problem, const ContestRules& rules, const Team& team, const Traffic& given)
      : problem_(problem), rules_(rules), team_(team), given_{0, given.jsum, given.jmax, 0} {
    list_candidates();
    if (rules_.no_worse_by.empty()) return;
    std::vector<std::int32_t> apart(problem.given.size());
    std::iota(apart.begin(), apart.end(), 0);
    for (const Stencil& stencil : rules_.no_worse_by)
      limits_.push_back(
          {&stencil, jsum_of(problem.grid, stencil, apart), jsum_of(problem.grid, stencil, problem.given)});
  }

  ContestResult run() {
    evaluate_all();
    agree(standings_);
    if (!try_all() && worth_annealing()) anneal_best();
    Standing winner = standings_[winning];
    if (limits_.empty()) {
      if (const Standing published = least_published(); published.jsum < winner.jsum) winner = published;
    } else if (better(winner, given_)) {
      winner = least_loss(winner.jsum);
    }
    ContestResult result = take(winner.candidate);
    const Standing least = *std::min_element(standings_.begin(), standings_.begin() + winning);
    result.held_back = !limits_.empty() && least.jsum < standings_[winning].jsum;
    result.candidates = std::ssize(candidates_);
    for (const MapperRow& family : mapper_table)
      if (standings_[index(family.mapper)].known())
        result.entries.push_back({family.mapper, standings_[index(family.mapper)]});
    std::stable_sort(result.entries.begin(), result.entries.end(),
                     [](const Contestant& a, const Contestant& b) { return a.standing < b.standing; });
    return result;
  }

 private:
  // Numbers behind those of the candidates.
  std::int64_t first_annealing() const { return std::ssize(candidates_); }
  std::int64_t exact() const { return first_annealing() + annealing_runs; }
  bool is_mine(std::int64_t number) const { return number % team_.parts == team_.part; }

  void list_candidates() {
    candidates_.push_back({Mapper::given, NodeOrder::as_given, std::nullopt});
    const bool all = rules_.mapper == Mapper::best;
    for (const MapperRow& row : mapper_table)
      if (all && row.place != nullptr && row.mapper != Mapper::given)
        candidates_.push_back({row.mapper, NodeOrder::as_given, std::nullopt});
    const bool equal = equal_node_size(problem_).has_value();
    if (all && problem_.cells() <= most_cells_to_bisect)
      for (const NodeOrder order : {NodeOrder::as_given, NodeOrder::descending})
        if (order == NodeOrder::as_given || !equal) candidates_.push_back({Mapper::bisection, order, std::nullopt});
    const std::int64_t visits =
        std::max<std::int64_t>(1, std::ssize(problem_.stencil.steps) / 4);  // each cell, to count
    const std::int64_t limit =
        std::clamp(rules_.visits / std::max<std::int64_t>(1, problem_.cells() * visits), fewest_shapes, most_shapes);
    const std::vector<NodeOrder> orders = different_orders();
    const auto shapes = promising_shapes(problem_, static_cast<std::size_t>(limit) / orders.size());
    for (const SnakeShape& shape : shapes)
      for (const NodeOrder order : orders) candidates_.push_back({Mapper::search, order, shape});
  }

  // The given order of nodes; other orders if more than one node has an unusual size and they differ from it.
  std::vector<NodeOrder> different_orders() {
    std::vector<NodeOrder> orders{NodeOrder::as_given};
    const auto& given = shares(NodeOrder::as_given);
    const std::int32_t usual = given.empty() ? 0 : shares(NodeOrder::commonest_first).front().cells;
    if (std::count_if(given.begin(), given.end(), [=](const NodeShare& s) { return s.cells != usual; }) <= 1)
      return orders;
    for (const NodeOrder order : {NodeOrder::descending, NodeOrder::ascending, NodeOrder::commonest_first}) {
      const auto sizes_as = [&](NodeOrder other) {
        return std::equal(shares(order).begin(), shares(order).end(), shares(other).begin(), shares(other).end(),
                          [](const NodeShare& a, const NodeShare& b) { return a.cells == b.cells; });
      };
      if (std::none_of(orders.begin(), orders.end(), sizes_as)) orders.push_back(order);
    }
    return orders;
  }

  // The cells' nodes by that candidate; the same on every process. A result of annealing is known only to its finder.
  MapperResult produce(std::int64_t number) {
    if (number == exact()) return {exact_, {}, {}};
    if (number >= first_annealing()) return {annealed_, {}, annealed_from_};
    const Candidate& candidate = candidates_[static_cast<std::size_t>(number)];
    if (row(candidate.mapper).place != nullptr) return run_mapper(problem_, candidate.mapper);
    if (candidate.mapper == Mapper::bisection) return bisection(problem_, neighbours(), candidate.order);
    MapperResult result;
    result.node_of_cell.resize(static_cast<std::size_t>(problem_.cells()));
    walk_snake(problem_.grid, *candidate.shape, shares(candidate.order), result.node_of_cell);
    result.detail = describe(*candidate.shape);
    return result;
  }

  const NeighbourLists& neighbours() {
    if (!neighbours_) neighbours_.emplace(problem_.grid, problem_.stencil);
    return *neighbours_;
  }

  const std::vector<NodeShare>& shares(NodeOrder order) {
    auto& kept = shares_[static_cast<std::size_t>(order)];
    if (kept.empty()) kept = node_shares(problem_, order);
    return kept;
  }

  void consider(Mapper family, std::int64_t number, std::span<const std::int32_t> node_of_cell) {
    Standing &best = standings_[index(family)], &winner = standings_[winning];
    const std::int64_t worth_knowing = with_slack(std::max(best.jsum, winner.jsum));
    if (best.known() && winner.known() &&
        jsum_up_to(problem_.grid, problem_.stencil, node_of_cell, worth_knowing) > worth_knowing)
      return;
    const Traffic traffic = traffic_of(problem_.grid, problem_.stencil, node_of_cell, problem_.nodes());
    const Standing standing{0, traffic.jsum, traffic.jmax, number};
    const bool may_win = standing.jmax <= given_.jmax && is_never_worse(node_of_cell);
    if (may_win || !is_found_later(family)) best = std::min(best, standing);
    if (!may_win) return;
    winner = std::min(winner, standing);
    if (!limits_.empty() && better(standing, given_) && standing.jsum <= with_slack(winner.jsum))
      near_winners_.push_back({worst_loss(node_of_cell), standing.jsum, standing.jmax, number});
  }
  static bool is_found_later(Mapper family) { return family == Mapper::annealing || family == Mapper::exact; }

  void evaluate_all() {
    for (std::int64_t number = 0; number < std::ssize(candidates_); ++number) {
      if (!is_mine(number)) continue;
      const MapperResult result = produce(number);
      if (result.applies()) consider(candidates_[static_cast<std::size_t>(number)].mapper, number, result.node_of_cell);
    }
  }

  void agree(std::span<Standing> standings) {
    if (team_.agree) team_.agree(standings);
  }

  // True if nothing can be better than the current winner, or if a finer search is not worth its cost. Every process
  // finds out by itself: at once by the bounds, or in a few milliseconds by counting.
  bool try_all() {
    if (problem_.cells() > most_cells_to_anneal) return true;  // then nothing finer is worth its cost
    const Standing best = standings_[winning];
    const std::int64_t bound = jsum_lower_bound(problem_);
    at_bound_ = best.jsum == bound;
    if (at_bound_ && best.jmax * problem_.nodes() < bound + problem_.nodes()) return true;
    ExactResult result = place_exactly(problem_, {best.jsum, best.jmax}, given_.jmax,
                                       [this](NodeOfCell node_of_cell) { return is_never_worse(node_of_cell); });
    exact_ = std::move(result.node_of_cell);
    if (!exact_.empty()) consider(Mapper::exact, exact(), exact_);
    return result.proved;
  }

  // Annealing does not look at the limits: where nothing within them is better than the given order, it finds nothing.
  bool worth_annealing() const {
    return rules_.exchanges > 0 && problem_.nodes() > 1 && !at_bound_ &&
           (limits_.empty() || better(standings_[winning], given_));
  }

  void anneal_best() {
    // Starts from the least Jsum of all, even if that order itself cannot win; within the limits, where there are any.
    const Standing least =
        limits_.empty() ? *std::min_element(standings_.begin(), standings_.begin() + winning) : standings_[winning];
    const MapperResult from = produce(least.candidate);
    const Mapper first = mapper_of(least.candidate);
    const std::vector<std::int32_t>& start = from.node_of_cell;
    const std::vector<std::int32_t> other_start = runner_up(first, start);
    annealed_from_ = fmt::format("from {}", joined(name_of(first), ", ", from.detail));
    for (std::int64_t run = 0; run < annealing_runs; ++run) {
      if (!is_mine(run)) continue;
      const AnnealingRun& how = annealing_schedule[static_cast<std::size_t>(run)];
      AnnealingPlan plan;
      plan.seed = static_cast<std::uint64_t>(run) + 1;
      plan.exchanges = std::min(rules_.exchanges, problem_.cells() * exchanges_per_cell);
      plan.hot = how.hot;
      plan.cold = how.cold;
      plan.jmax_limit = given_.jmax;
      std::vector<std::int32_t> found =
          anneal(neighbours(), problem_.capacity, how.from_runner_up ? other_start : start, plan);
      const std::int64_t number = first_annealing() + run;
      consider(Mapper::annealing, number, found);
      if (standings_[index(Mapper::annealing)].candidate == number) annealed_ = std::move(found);
    }
    agree(standings_);
  }

  Standing least_published() const {
    Standing least;
    for (const MapperRow& row : mapper_table)
      if (row.published) least = std::min(least, standings_[index(row.mapper)]);
    return least;
  }

  std::int64_t with_slack(std::int64_t jsum) const {
    return limits_.empty() || jsum == Standing::unknown ? jsum : jsum + jsum * slack_percent / 100;
  }

  // A stencil of the rules: all its weight, and what crosses nodes in the given order.
  struct Limit {
    const Stencil* stencil;
    std::int64_t all, given;
  };

  bool is_never_worse(std::span<const std::int32_t> node_of_cell) const {
    return std::all_of(limits_.begin(), limits_.end(), [&](const Limit& limit) {
      return jsum_up_to(problem_.grid, *limit.stencil, node_of_cell, limit.given) <= limit.given;
    });
  }

  std::int64_t worst_loss(std::span<const std::int32_t> node_of_cell) const {
    std::int64_t worst = -1'000'000;
    for (const Limit& limit : limits_) {
      const std::int64_t loss = jsum_of(problem_.grid, *limit.stencil, node_of_cell) - limit.given;
      const std::int64_t unit = 1 + limit.all / 1'000'000'000;  // so that nothing overflows
      if (limit.all > 0) worst = std::max(worst, loss / unit * 1'000'000 / (limit.all / unit));
    }
    return worst;
  }

  // Chooses among the orders within the slack of the least Jsum. Only the best annealing run was kept.
  Standing least_loss(std::int64_t least_jsum) {
    Standing least;
    for (const Standing& near : near_winners_) {
      const bool is_kept = near.candidate < first_annealing() || near.candidate == exact() ||
                           near.candidate == standings_[index(Mapper::annealing)].candidate;
      if (is_kept && near.jsum <= with_slack(least_jsum)) least = std::min(least, near);
    }
    agree({&least, 1});
    return least;
  }

  Mapper mapper_of(std::int64_t number) const {
    if (number == exact()) return Mapper::exact;
    if (number >= first_annealing()) return Mapper::annealing;
    return candidates_[static_cast<std::size_t>(number)].mapper;
  }

  ContestResult take(std::int64_t number) {
    ContestResult result;
    result.winner = mapper_of(number);
    MapperResult taken = produce(number);
    if (result.winner == Mapper::annealing) {
      taken.node_of_cell.resize(problem_.given.size());
      if (team_.tell) team_.tell(taken.node_of_cell, static_cast<int>((number - first_annealing()) % team_.parts));
    }
    result.node_of_cell = std::move(taken.node_of_cell);
    result.detail = std::move(taken.detail);
    return result;
  }

  std::vector<std::int32_t> runner_up(Mapper winner, const std::vector<std::int32_t>& otherwise) {
    Standing best;
    for (const MapperRow& row : mapper_table)
      if (row.mapper != winner && row.mapper != Mapper::given) best = std::min(best, standings_[index(row.mapper)]);
    return best.known() ? produce(best.candidate).node_of_cell : otherwise;
  }

  const Problem& problem_;
  const ContestRules& rules_;
  const Team& team_;
  const Standing given_;  // no winner's busiest node sends more than this one's
  std::vector<Candidate> candidates_;
  std::array<Standing, families + 1> standings_;
  std::vector<Standing> near_winners_;  // this process's own, with their losses
  std::vector<Limit> limits_;
  bool at_bound_ = false;  // nothing has less Jsum than the winner
  std::vector<std::int32_t> exact_, annealed_;
  std::string annealed_from_;
  std::array<std::vector<NodeShare>, 4> shares_;
  std::optional<NeighbourLists> neighbours_;
};

}  // namespace

ContestResult propose(const Problem& problem, const ContestRules& rules, const Team& team, const Traffic& given) {
  if (rules.mapper == Mapper::best || rules.mapper == Mapper::search) return Contest(problem, rules, team, given).run();
  MapperResult own = run_mapper(problem, rules.mapper);
  ContestResult result{
      std::move(own.node_of_cell), rules.mapper, std::move(own.detail), std::move(own.why_not), false, {}, 1};
  if (result.why_not.empty()) {
    const Traffic traffic = traffic_of(problem.grid, problem.stencil, result.node_of_cell, problem.nodes());
    result.entries.push_back({rules.mapper, {0, traffic.jsum, traffic.jmax, 1}});
  }
  result.entries.push_back({Mapper::given, {0, given.jsum, given.jmax, 0}});
  std::stable_sort(result.entries.begin(), result.entries.end(),
                   [](const Contestant& a, const Contestant& b) { return a.standing < b.standing; });
  return result;
}

ContestResult propose(const Problem& problem, const ContestRules& rules) {
  return propose(problem, rules, {}, traffic_of(problem.grid, problem.stencil, problem.given, problem.nodes()));
}

}  // namespace marshal::mapping
