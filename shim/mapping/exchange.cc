#include "mapping/exchange.h"

#include <algorithm>
#include <queue>

#include "mapping/index.h"

namespace marshal::mapping {
namespace {

// The weight that each node near a cell would keep; nodes in ascending order.
struct Pull {
  std::int32_t node;
  std::int64_t weight;
};

class Pulls {
 public:
  explicit Pulls(std::size_t nodes) : weight_(nodes, 0) {}

  std::span<const Pull> of(const NeighbourLists& neighbours, std::span<const std::int32_t> node_of_cell,
                           std::int32_t cell) {
    found_.clear();
    for (const Neighbour& n : neighbours.of(cell)) {
      const std::int32_t node = node_of_cell[at(n.cell)];
      if (weight_[at(node)] == 0) found_.push_back({node, 0});
      weight_[at(node)] += n.weight;
    }
    for (Pull& pull : found_) {
      pull.weight = weight_[at(pull.node)];
      weight_[at(pull.node)] = 0;
    }
    std::sort(found_.begin(), found_.end(), [](const Pull& a, const Pull& b) { return a.node < b.node; });
    return found_;
  }

 private:
  std::vector<std::int64_t> weight_;
  std::vector<Pull> found_;
};

std::int64_t weight_to(const NeighbourLists& neighbours, std::span<const std::int32_t> node_of_cell, std::int32_t cell,
                       std::int32_t node) {
  std::int64_t weight = 0;
  for (const Neighbour& n : neighbours.of(cell)) weight += node_of_cell[at(n.cell)] == node ? n.weight : 0;
  return weight;
}

std::int64_t weight_between(const NeighbourLists& neighbours, std::int32_t a, std::int32_t b) {
  const auto row = neighbours.of(a);
  const auto found =
      std::lower_bound(row.begin(), row.end(), b, [](const Neighbour& n, std::int32_t cell) { return n.cell < cell; });
  return found != row.end() && found->cell == b ? found->weight : 0;
}

std::vector<std::int32_t> places_left(std::span<const std::int32_t> capacity,
                                      std::span<const std::int32_t> node_of_cell) {
  std::vector<std::int32_t> left(capacity.begin(), capacity.end());
  for (const std::int32_t node : node_of_cell) --left[at(node)];
  return left;
}

// A cell that would rather be on another node.
struct Wish {
  std::int32_t from, to, cell;
  std::int64_t gain;
};

class Exchanger {
 public:
  Exchanger(const NeighbourLists& neighbours, std::span<const std::int32_t> capacity,
            std::span<std::int32_t> node_of_cell, std::span<const std::int32_t> kind)
      : neighbours_(neighbours),
        node_of_cell_(node_of_cell),
        kind_(kind),
        free_(places_left(capacity, node_of_cell)),
        pulls_(capacity.size()) {}

  std::int64_t round() {
    list_wishes();
    gained_ = 0;
    for (std::size_t first = 0; first < wishes_.size();) {
      const std::size_t last = end_of_run(first);
      const Wish& wish = wishes_[first];
      fill_free_places(first, last);
      if (wish.from < wish.to) trade(first, last);
      first = last;
    }
    return gained_;
  }

 private:
  // Wishes that are looked at together between one pair of nodes.
  static constexpr std::size_t most_considered = 24;

  void list_wishes() {
    wishes_.clear();
    for (std::int32_t cell = 0; cell < std::ssize(node_of_cell_); ++cell) {
      const std::int32_t home = node_of_cell_[at(cell)];
      const auto pulls = pulls_.of(neighbours_, node_of_cell_, cell);
      if (pulls.empty() || (pulls.size() == 1 && pulls[0].node == home)) continue;
      std::int64_t own = 0;
      for (const Pull& pull : pulls) own += pull.node == home ? pull.weight : 0;
      for (const Pull& pull : pulls)
        if (pull.node != home) wishes_.push_back({home, pull.node, cell, pull.weight - own});
    }
    std::sort(wishes_.begin(), wishes_.end(), [](const Wish& a, const Wish& b) {
      if (a.from != b.from) return a.from < b.from;
      if (a.to != b.to) return a.to < b.to;
      if (a.gain != b.gain) return a.gain > b.gain;
      return a.cell < b.cell;
    });
  }

  std::size_t end_of_run(std::size_t first) const {
    std::size_t last = first + 1;
    while (last < wishes_.size() && wishes_[last].from == wishes_[first].from && wishes_[last].to == wishes_[first].to)
      ++last;
    return last;
  }

  std::int64_t gain_now(std::int32_t cell, std::int32_t to) const {
    return weight_to(neighbours_, node_of_cell_, cell, to) -
           weight_to(neighbours_, node_of_cell_, cell, node_of_cell_[at(cell)]);
  }

  void fill_free_places(std::size_t first, std::size_t last) {
    const std::int32_t from = wishes_[first].from, to = wishes_[first].to;
    for (std::size_t i = first; i < last && free_[at(to)] > 0 && wishes_[i].gain > 0; ++i) {
      const std::int32_t cell = wishes_[i].cell;
      if (node_of_cell_[at(cell)] != from) continue;
      const std::int64_t gain = gain_now(cell, to);
      if (gain <= 0) continue;
      node_of_cell_[at(cell)] = to;
      --free_[at(to)];
      ++free_[at(from)];
      gained_ += gain;
    }
  }

  bool are_alike(std::int32_t a, std::int32_t b) const { return kind_.empty() || kind_[at(a)] == kind_[at(b)]; }

  // The best of the remaining wishes, with their current gain.
  void still_wishing(std::size_t first, std::size_t last, std::vector<Wish>& list) const {
    list.clear();
    for (std::size_t i = first; i < last && list.size() < most_considered; ++i) {
      const Wish& wish = wishes_[i];
      if (node_of_cell_[at(wish.cell)] == wish.from)
        list.push_back({wish.from, wish.to, wish.cell, gain_now(wish.cell, wish.to)});
    }
  }

  void trade(std::size_t first, std::size_t last) {
    const std::int32_t a = wishes_[first].from, b = wishes_[first].to;
    const auto before = [](const Wish& wish, const std::pair<std::int32_t, std::int32_t>& run) {
      return std::pair(wish.from, wish.to) < run;
    };
    const auto back = std::lower_bound(wishes_.begin(), wishes_.end(), std::pair(b, a), before) - wishes_.begin();
    if (back == std::ssize(wishes_) || wishes_[at(back)].from != b || wishes_[at(back)].to != a) return;
    const std::size_t back_first = at(back), back_last = end_of_run(back_first);
    for (;;) {
      still_wishing(first, last, there_);
      still_wishing(back_first, back_last, back_again_);
      const Wish *best_there = nullptr, *best_back = nullptr;
      std::int64_t best = 0;
      for (const Wish& x : there_)
        for (const Wish& y : back_again_) {
          if (x.gain + y.gain <= best || !are_alike(x.cell, y.cell)) continue;
          const std::int64_t gain = x.gain + y.gain - 2 * weight_between(neighbours_, x.cell, y.cell);
          if (gain <= best) continue;
          best = gain;
          best_there = &x;
          best_back = &y;
        }
      if (best_there == nullptr) return;
      node_of_cell_[at(best_there->cell)] = b;
      node_of_cell_[at(best_back->cell)] = a;
      gained_ += best;
    }
  }

  const NeighbourLists& neighbours_;
  std::span<std::int32_t> node_of_cell_;
  std::span<const std::int32_t> kind_;
  std::vector<std::int32_t> free_;
  Pulls pulls_;
  std::vector<Wish> wishes_, there_, back_again_;
  std::int64_t gained_ = 0;
};

}  // namespace

void fit_to_capacity(const NeighbourLists& neighbours, std::span<const std::int32_t> capacity,
                     std::span<std::int32_t> node_of_cell) {
  std::vector<std::int32_t> left = places_left(capacity, node_of_cell);
  if (std::all_of(left.begin(), left.end(), [](std::int32_t places) { return places >= 0; })) return;
  // Cells of crowded nodes, the smallest loss first. Later cells see the changes of earlier moves.
  struct Move {
    std::int64_t gain;
    std::int32_t cell, to;
    bool operator<(const Move& other) const { return gain != other.gain ? gain < other.gain : cell > other.cell; }
  };
  Pulls pulls(capacity.size());
  std::size_t next_free = 0;
  const auto best_move = [&](std::int32_t cell) {
    const std::int32_t home = node_of_cell[at(cell)];
    std::int64_t own = 0, most = -1;
    std::int32_t to = -1;
    for (const Pull& pull : pulls.of(neighbours, node_of_cell, cell)) {
      if (pull.node == home) own = pull.weight;
      if (left[at(pull.node)] > 0 && pull.weight > most) {
        most = pull.weight;
        to = pull.node;
      }
    }
    if (to < 0) {
      while (left[next_free] <= 0) ++next_free;
      to = static_cast<std::int32_t>(next_free);
      most = 0;
    }
    return Move{most - own, cell, to};
  };
  std::priority_queue<Move> moves;
  for (std::int32_t cell = 0; cell < std::ssize(node_of_cell); ++cell)
    if (left[at(node_of_cell[at(cell)])] < 0) moves.push(best_move(cell));
  while (!moves.empty()) {
    const Move move = moves.top();
    moves.pop();
    std::int32_t& node = node_of_cell[at(move.cell)];
    if (left[at(node)] >= 0) continue;
    const Move now = best_move(move.cell);
    if (now.gain < move.gain && !moves.empty() && now < moves.top()) {
      moves.push(now);
      continue;
    }
    ++left[at(node)];
    --left[at(now.to)];
    node = now.to;
  }
}

std::int64_t exchange_cells(const NeighbourLists& neighbours, std::span<const std::int32_t> capacity,
                            std::span<std::int32_t> node_of_cell, int rounds, std::span<const std::int32_t> kind) {
  Exchanger exchanger(neighbours, capacity, node_of_cell, kind);
  std::int64_t total = 0;
  for (int round = 0;; ++round) {
    const std::int64_t gained = exchanger.round();
    total += gained;
    if (gained == 0 || (round + 1 >= rounds && gained < total / 1000)) return total;
  }
}

}  // namespace marshal::mapping
