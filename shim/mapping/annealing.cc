#include "mapping/annealing.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "mapping/index.h"
#include "mapping/neighbour_lists.h"
#include "mapping/root.h"

namespace marshal::mapping {
namespace {

// SplitMix64 (Steele, Lea, Flood, 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  std::uint32_t below(std::uint32_t bound) {
    return static_cast<std::uint32_t>(((next() >> 32) * static_cast<std::uint64_t>(bound)) >> 32);
  }
  // An exponentially distributed number of mean about 256: -ln u by the position of u's first bit, linear in between.
  std::int64_t exponential() {
    const std::uint64_t u = next() | 1;
    const int zeros = std::countl_zero(u);
    const std::uint64_t mantissa = zeros == 63 ? 0 : (u << (zeros + 1)) >> 56;
    const std::int64_t minus_log2 = (static_cast<std::int64_t>(zeros) << 8) + 256 - static_cast<std::int64_t>(mantissa);
    return minus_log2 * 177 >> 8;  // ln 2 = 177.4 / 256
  }

 private:
  std::uint64_t state_;
};

struct Bonds {
  std::int64_t to_own = 0, to_other = 0, to_partner = 0;
};

class Annealer {
 public:
  Annealer(const NeighbourLists& neighbours, std::span<const std::int32_t> capacity, std::vector<std::int32_t> start,
           std::int64_t jmax_limit)
      : most_across_(2 * jmax_limit),
        neighbours_(neighbours),
        node_(std::move(start)),
        place_(node_.size()),
        free_(capacity.begin(), capacity.end()) {
    first_.resize(capacity.size() + 1);
    for (std::size_t n = 0; n < capacity.size(); ++n) first_[n + 1] = first_[n] + capacity[n];
    members_.resize(static_cast<std::size_t>(first_.back()));
    used_.resize(capacity.size());
    across_.resize(capacity.size());
    for (std::size_t c = 0; c < node_.size(); ++c) enter(static_cast<std::int32_t>(c), node_[c]);
    for (std::size_t c = 0; c < node_.size(); ++c)
      for (const Neighbour& n : neighbours_.of(static_cast<std::int32_t>(c))) {
        total_weight_ += n.weight;
        ++pairs_;
        if (node_[at(n.cell)] != node_[c]) across_[at(node_[c])] += n.weight;
      }
    for (const std::int64_t weight : across_) above_limit_ += weight > most_across_ ? 1 : 0;
  }

  std::vector<std::int32_t> run(const AnnealingPlan& plan) {
    std::vector<std::int32_t> best = node_;
    if (pairs_ == 0) return best;
    Random random(plan.seed);
    const auto cells = static_cast<std::uint32_t>(node_.size());
    constexpr int rounds = 128;
    // The change of Jsum since the start; the start itself counts only if it is within the limit.
    std::int64_t change = 0, best_change = above_limit_ == 0 ? 0 : std::numeric_limits<std::int64_t>::max();
    const std::int64_t unit = total_weight_ / pairs_ > 0 ? total_weight_ / pairs_ : 1;
    // From hot to cold, geometrically.
    double heat = plan.hot;
    const double cooling = root(static_cast<double>(plan.cold) / plan.hot, rounds);
    for (std::int64_t round = 0; round < rounds; ++round, heat *= cooling) {
      const std::int64_t temperature = unit * static_cast<std::int64_t>(heat * 655.36);  // in 1/65536 of a weight unit
      const std::int64_t until = plan.exchanges * (round + 1) / rounds;
      for (std::int64_t k = plan.exchanges * round / rounds; k < until; ++k) {
        const auto a = static_cast<std::int32_t>(random.below(cells));
        const auto around = neighbours_.of(a);
        if (around.empty()) continue;
        const std::int32_t home = node_[at(a)];
        const std::int32_t other = node_[at(around[random.below(static_cast<std::uint32_t>(around.size()))].cell)];
        if (home == other) continue;
        const std::int64_t accept = temperature * random.exponential() >> 24;
        if (free_[at(other)] > 0) {
          const Bonds ties = look(a, home, other, -1);
          const std::int64_t loss = ties.to_own - ties.to_other;
          if (loss <= accept) {
            leave(a);
            move_weights(a, home, other);
            enter(a, other);
            change += loss;
          }
          continue;
        }
        const std::int32_t b = partner_for(random, home, other);
        const Bonds of_a = look(a, home, other, b), of_b = look(b, other, home, a);
        const std::int64_t loss = of_a.to_own - of_a.to_other + of_b.to_own - of_b.to_other + 2 * of_a.to_partner;
        if (loss > accept) continue;
        move_weights(a, home, other);
        node_[at(a)] = other;
        move_weights(b, other, home);
        node_[at(b)] = home;
        exchange_places(a, b);
        change += loss;
        if (change < best_change && above_limit_ == 0 && round * 4 >= rounds * 3) {
          best_change = change;
          best = node_;
        }
      }
      if (change < best_change && above_limit_ == 0) {
        best_change = change;
        best = node_;
      }
    }
    return best;
  }

 private:
  Bonds look(std::int32_t cell, std::int32_t own, std::int32_t other, std::int32_t partner) const {
    Bonds ties;
    for (const Neighbour& n : neighbours_.of(cell)) {
      const std::int32_t node = node_[at(n.cell)];
      ties.to_own += node == own ? n.weight : 0;
      ties.to_other += node == other ? n.weight : 0;
      if (n.cell == partner) ties.to_partner = n.weight;
    }
    return ties;
  }

  // A cell of `other` that would be at home in `home`: one that touches it, if a few tries find one.
  std::int32_t partner_for(Random& random, std::int32_t home, std::int32_t other) const {
    const std::int64_t first = first_[at(other)];
    const auto count = static_cast<std::uint32_t>(used_[at(other)]);
    std::int32_t b = 0;
    for (int tries = 0; tries < 4; ++tries) {
      b = members_[static_cast<std::size_t>(first + random.below(count))];
      for (const Neighbour& n : neighbours_.of(b))
        if (node_[at(n.cell)] == home) return b;
    }
    return b;
  }

  void enter(std::int32_t cell, std::int32_t node) {
    node_[at(cell)] = node;
    place_[at(cell)] = first_[at(node)] + used_[at(node)]++;
    members_[static_cast<std::size_t>(place_[at(cell)])] = cell;
    --free_[at(node)];
  }
  void leave(std::int32_t cell) {
    const std::int32_t node = node_[at(cell)];
    const std::int64_t last = first_[at(node)] + --used_[at(node)];
    const std::int32_t moved = members_[static_cast<std::size_t>(last)];
    members_[static_cast<std::size_t>(place_[at(cell)])] = moved;
    place_[at(moved)] = place_[at(cell)];
    ++free_[at(node)];
  }
  void exchange_places(std::int32_t a, std::int32_t b) {
    std::swap(place_[at(a)], place_[at(b)]);
    members_[static_cast<std::size_t>(place_[at(a)])] = a;
    members_[static_cast<std::size_t>(place_[at(b)])] = b;
  }

  // The weight that crosses borders once `cell` is on `to`; its neighbours are already in place.
  void move_weights(std::int32_t cell, std::int32_t from, std::int32_t to) {
    for (const Neighbour& n : neighbours_.of(cell)) {
      const std::int32_t node = node_[at(n.cell)];
      if (node != from) add_across(node, from, -n.weight);
      if (node != to) add_across(node, to, n.weight);
    }
  }
  void add_across(std::int32_t one, std::int32_t other, std::int64_t weight) {
    for (const std::int32_t node : {one, other}) {
      std::int64_t& across = across_[at(node)];
      above_limit_ -= across > most_across_ ? 1 : 0;
      across += weight;
      above_limit_ += across > most_across_ ? 1 : 0;
    }
  }

  const std::int64_t most_across_;
  std::vector<std::int64_t> across_;  // weight between a node and all others, both directions
  std::int64_t above_limit_ = 0;      // nodes with more than most_across_
  const NeighbourLists& neighbours_;
  std::vector<std::int32_t> node_;
  std::vector<std::int64_t> place_;    // of a cell among the members
  std::vector<std::int64_t> first_;    // of a node's members
  std::vector<std::int32_t> members_;  // cells of each node, in no order that matters beyond being the same everywhere
  std::vector<std::int32_t> used_, free_;
  std::int64_t total_weight_ = 0, pairs_ = 0;
};

}  // namespace

std::vector<std::int32_t> anneal(const NeighbourLists& neighbours, std::span<const std::int32_t> capacity,
                                 std::vector<std::int32_t> start, const AnnealingPlan& plan) {
  if (start.empty() || plan.exchanges <= 0) return start;
  return Annealer(neighbours, capacity, std::move(start), plan.jmax_limit).run(plan);
}

}  // namespace marshal::mapping
