#include "mapping/contest.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <stdexcept>

#include "mapping/annealing.h"
#include "mapping/bisection.h"
#include "mapping/hyperplane.h"
#include "mapping/kdtree.h"
#include "mapping/lower_bound.h"
#include "mapping/metrics.h"
#include "mapping/snake.h"

namespace marshal::mapping {
namespace {

constexpr std::array<std::string_view, 10> names{"given",  "nodecart", "bricks",    "hyperplane", "kdtree",
                                                 "strips", "search",   "bisection", "annealing",  "best"};
constexpr std::size_t families = names.size() - 1;
// Beside the best of each mapper, the best of all that may win.
constexpr std::size_t winning = families;

// Bounds of the number of snakes, and the sizes up to which finer methods are worth their cost.
constexpr std::int64_t most_shapes = 1000, fewest_shapes = 24;
constexpr std::int64_t most_cells_to_bisect = 50'000;
constexpr std::int64_t most_cells_to_anneal = 100'000;
constexpr std::int64_t proposals_per_cell = 4000;

constexpr std::array published_mappers{Mapper::nodecart, Mapper::hyperplane, Mapper::kdtree, Mapper::strips};

std::size_t index(Mapper mapper) { return static_cast<std::size_t>(mapper); }

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
  Contest(const Problem& problem, const ContestRules& rules, const Team& team, std::optional<std::int64_t> given_jmax)
      : problem_(problem),
        rules_(rules),
        team_(team),
        jmax_limit_(given_jmax ? *given_jmax : jmax_of(problem.grid, problem.stencil, problem.given, problem.nodes())) {
    list_candidates();
  }

  ContestResult run() {
    evaluate_all();
    agree();
    ContestResult result;
    const Standing best = standings_[winning];
    take(result, best);
    if (worth_annealing(best)) improve(result, best);
    if (const Standing published = least_published(); published.jsum < jsum_of_winner(result)) take(result, published);
    result.why_not = why_not();
    result.candidates = std::ssize(candidates_);
    for (std::size_t f = 0; f < families; ++f)
      if (standings_[f].known()) result.entries.push_back({static_cast<Mapper>(f), standings_[f]});
    std::stable_sort(result.entries.begin(), result.entries.end(),
                     [](const Entry& a, const Entry& b) { return a.standing < b.standing; });
    return result;
  }

 private:
  void list_candidates() {
    candidates_.push_back({Mapper::given, NodeOrder::as_given, std::nullopt});
    const bool all = rules_.mapper == Mapper::best;
    for (const Mapper one : {Mapper::nodecart, Mapper::bricks, Mapper::hyperplane, Mapper::kdtree, Mapper::strips})
      if (all || rules_.mapper == one) candidates_.push_back({one, NodeOrder::as_given, std::nullopt});
    const bool equal = equal_node_size(problem_).has_value();
    if ((all || rules_.mapper == Mapper::bisection) && problem_.cells() <= most_cells_to_bisect)
      for (const NodeOrder order : {NodeOrder::as_given, NodeOrder::descending})
        if (order == NodeOrder::as_given || !equal) candidates_.push_back({Mapper::bisection, order, std::nullopt});
    if (!all && rules_.mapper != Mapper::search) return;
    const std::int64_t visits =
        std::max<std::int64_t>(1, std::ssize(problem_.stencil.steps) / 4);  // each cell, to count
    const std::int64_t limit =
        std::clamp(rules_.visits / std::max<std::int64_t>(1, problem_.cells() * visits), fewest_shapes, most_shapes);
    const std::vector<NodeOrder> orders = different_orders();
    const auto shapes = promising_shapes(problem_, static_cast<std::size_t>(limit) / orders.size());
    for (const SnakeShape& shape : shapes)
      for (const NodeOrder order : orders) candidates_.push_back({Mapper::search, order, shape});
  }

  // As given; the others where more than one node is out of the ordinary and they are not the same again.
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

  // The cells' nodes by that candidate; the same on every process.
  MapperResult produce(std::int64_t number) {
    const Candidate& candidate = candidates_[static_cast<std::size_t>(number)];
    MapperResult result;
    switch (candidate.mapper) {
      case Mapper::nodecart:
        return nodecart(problem_, rules_.ties);
      case Mapper::bricks:
        return best_brick(problem_);
      case Mapper::hyperplane:
        return hyperplane(problem_);
      case Mapper::kdtree:
        return kdtree(problem_);
      case Mapper::strips:
        return strips(problem_);
      case Mapper::bisection:
        if (!neighbours_) neighbours_.emplace(problem_.grid, problem_.stencil);
        return bisection(problem_, *neighbours_, candidate.order);
      case Mapper::search:
        result.node_of_cell.resize(static_cast<std::size_t>(problem_.cells()));
        walk_snake(problem_.grid, *candidate.shape, shares(candidate.order), result.node_of_cell);
        result.detail = describe(*candidate.shape);
        return result;
      default:
        result.node_of_cell = problem_.given;
        return result;
    }
  }

  const std::vector<NodeShare>& shares(NodeOrder order) {
    auto& kept = shares_[static_cast<std::size_t>(order)];
    if (kept.empty()) kept = node_shares(problem_, order);
    return kept;
  }

  void consider(Mapper family, std::int64_t number, std::span<const std::int32_t> node_of_cell) {
    Standing &best = standings_[index(family)], &winner = standings_[winning];
    const std::int64_t worth_knowing = std::max(best.jsum, winner.jsum);
    if (best.known() && winner.known() &&
        jsum_up_to(problem_.grid, problem_.stencil, node_of_cell, worth_knowing) > worth_knowing)
      return;
    const Traffic traffic = traffic_of(problem_.grid, problem_.stencil, node_of_cell, problem_.nodes());
    const Standing standing{traffic.jsum, traffic.jmax, number};
    const bool may_win = standing.jmax <= jmax_limit_;
    if (family == Mapper::annealing) {  // what it found counts from here on, what it started from did before
      if (may_win) best = std::min(best, standing);
      return;
    }
    best = std::min(best, standing);
    if (may_win) winner = std::min(winner, standing);
  }

  void evaluate_all() {
    for (std::size_t number = 0; number < candidates_.size(); ++number) {
      if (static_cast<int>(number % static_cast<std::size_t>(team_.parts)) != team_.part) continue;
      const MapperResult result = produce(static_cast<std::int64_t>(number));
      if (result.applies())
        consider(candidates_[number].mapper, static_cast<std::int64_t>(number), result.node_of_cell);
    }
  }

  void agree() {
    if (team_.agree) team_.agree(standings_);
  }

  bool worth_annealing(const Standing& best) const {
    const bool wanted = rules_.mapper == Mapper::best || rules_.mapper == Mapper::search;
    return wanted && rules_.proposals > 0 && problem_.nodes() > 1 && problem_.cells() <= most_cells_to_anneal &&
           best.jsum > jsum_lower_bound(problem_);
  }

  void improve(ContestResult& result, const Standing& best) {
    // From the least Jsum of all, which may be one that cannot win as it is.
    const Standing least = *std::min_element(standings_.begin(), standings_.begin() + winning);
    const Mapper first = candidates_[static_cast<std::size_t>(least.candidate)].mapper;
    MapperResult from = least == best ? MapperResult{result.node_of_cell, {}, result.detail} : produce(least.candidate);
    const std::vector<std::int32_t>& start = from.node_of_cell;
    const std::vector<std::int32_t> other_start = runner_up(first, start);
    std::vector<std::int32_t> mine;
    std::int64_t my_run = -1;
    Standing my_best;
    for (std::size_t run = 0; run < annealing_schedule.size(); ++run) {
      if (static_cast<int>(run % static_cast<std::size_t>(team_.parts)) != team_.part) continue;
      const AnnealingRun& how = annealing_schedule[run];
      AnnealingPlan plan;
      plan.seed = run + 1;
      plan.proposals = std::min(rules_.proposals, problem_.cells() * proposals_per_cell);
      plan.hot = how.hot;
      plan.cold = how.cold;
      plan.jmax_limit = jmax_limit_;
      std::vector<std::int32_t> found = anneal(problem_, how.from_runner_up ? other_start : start, plan);
      consider(Mapper::annealing, static_cast<std::int64_t>(run), found);
      if (standings_[index(Mapper::annealing)] < my_best) {
        my_best = standings_[index(Mapper::annealing)];
        my_run = static_cast<std::int64_t>(run);
        mine = std::move(found);
      }
    }
    agree();
    const Standing winner = standings_[index(Mapper::annealing)];
    if (std::pair(winner.jsum, winner.jmax) >= std::pair(best.jsum, best.jmax)) return;
    if (my_run != winner.candidate) mine.resize(start.size());
    if (team_.tell) team_.tell(mine, static_cast<int>(winner.candidate % team_.parts));
    result.detail = fmt::format("from {}{}{}", name_of(first), from.detail.empty() ? "" : ", ", from.detail);
    result.node_of_cell = std::move(mine);
    result.winner = Mapper::annealing;
  }

  std::int64_t jsum_of_winner(const ContestResult& result) const {
    const std::size_t row = result.winner == Mapper::annealing ? index(Mapper::annealing) : winning;
    return standings_[row].jsum;
  }

  Standing least_published() const {
    Standing least;
    for (const Mapper mapper : published_mappers) least = std::min(least, standings_[index(mapper)]);
    return least;
  }

  void take(ContestResult& result, const Standing& standing) {
    MapperResult taken = produce(standing.candidate);
    result.winner = candidates_[static_cast<std::size_t>(standing.candidate)].mapper;
    result.node_of_cell = std::move(taken.node_of_cell);
    result.detail = std::move(taken.detail);
  }

  std::vector<std::int32_t> runner_up(Mapper winner, const std::vector<std::int32_t>& otherwise) {
    Standing best;
    for (std::size_t f = 0; f < families; ++f)
      if (f != index(winner) && f != index(Mapper::given)) best = std::min(best, standings_[f]);
    return best.known() ? produce(best.candidate).node_of_cell : otherwise;
  }

  // Every process finds the same reason, although only one of them tried.
  std::string why_not() {
    if (rules_.mapper == Mapper::best || rules_.mapper == Mapper::search || standings_[index(rules_.mapper)].known())
      return {};
    return run_mapper(problem_, rules_.mapper, rules_).why_not;
  }

  const Problem& problem_;
  const ContestRules& rules_;
  const Team& team_;
  std::vector<Candidate> candidates_;
  std::int64_t jmax_limit_;  // what the busiest node sends in the given order: no winner makes one send more
  std::array<Standing, families + 1> standings_;
  std::array<std::vector<NodeShare>, 4> shares_;
  std::optional<NeighbourLists> neighbours_;
};

}  // namespace

std::string_view name_of(Mapper mapper) { return names[index(mapper)]; }

std::span<const Mapper> mappers_by_name() {
  static constexpr std::array list{Mapper::nodecart, Mapper::hyperplane, Mapper::kdtree,
                                   Mapper::strips,   Mapper::search,     Mapper::best};
  return list;
}

Mapper parse_mapper(std::string_view name) {
  std::string known;
  for (const Mapper mapper : mappers_by_name()) {
    if (name == name_of(mapper)) return mapper;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name_of(mapper));
  }
  throw std::invalid_argument(fmt::format("unknown mapper '{}': one of {}", name, known));
}

ContestResult contest(const Problem& problem, const ContestRules& rules, const Team& team,
                      std::optional<std::int64_t> given_jmax) {
  return Contest(problem, rules, team, given_jmax).run();
}

MapperResult run_mapper(const Problem& problem, Mapper mapper, const ContestRules& rules) {
  switch (mapper) {
    case Mapper::nodecart:
      return nodecart(problem, rules.ties);
    case Mapper::bricks:
      return best_brick(problem);
    case Mapper::hyperplane:
      return hyperplane(problem);
    case Mapper::kdtree:
      return kdtree(problem);
    case Mapper::strips:
      return strips(problem);
    default: {
      ContestRules own = rules;
      own.mapper = mapper;
      ContestResult found = contest(problem, own);
      MapperResult result;
      result.node_of_cell = std::move(found.node_of_cell);
      result.detail = found.winner == mapper ? found.detail
                                             : fmt::format("{}{}{}", name_of(found.winner),
                                                           found.detail.empty() ? "" : ": ", found.detail);
      return result;
    }
  }
}

}  // namespace marshal::mapping
