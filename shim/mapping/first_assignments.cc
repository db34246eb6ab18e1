#include "mapping/first_assignments.h"

#include <algorithm>
#include <memory>
#include <queue>

#include "base/dynamic_library.h"
#include "base/immortal.h"
#include "mapping/index.h"

namespace marshal::mapping {
namespace {

// Cells by the strength of their pull; entries that a later pull replaced are skipped.
class Queue {
 public:
  explicit Queue(std::size_t cells) : pull_(cells, 0) {}

  void pull(std::int32_t cell, std::int64_t weight) { candidates_.push({pull_[at(cell)] += weight, cell}); }
  void forget() {
    while (!candidates_.empty()) {
      pull_[at(candidates_.top().cell)] = 0;
      candidates_.pop();
    }
  }
  // The cell not yet taken that is pulled hardest, or -1.
  std::int32_t next(const std::vector<std::int32_t>& node_of_cell) {
    while (!candidates_.empty()) {
      const Candidate top = candidates_.top();
      candidates_.pop();
      if (node_of_cell[at(top.cell)] < 0 && top.weight == pull_[at(top.cell)]) return top.cell;
    }
    return -1;
  }

 private:
  struct Candidate {
    std::int64_t weight;
    std::int32_t cell;
    bool operator<(const Candidate& other) const {
      return weight != other.weight ? weight < other.weight : cell > other.cell;
    }
  };
  std::vector<std::int64_t> pull_;
  std::priority_queue<Candidate> candidates_;
};

}  // namespace

std::vector<std::int32_t> grow(const NeighbourLists& neighbours, std::span<const std::int32_t> capacity) {
  const std::int32_t cells = neighbours.cells();
  std::vector<std::int32_t> node_of_cell(at(cells), -1);
  Queue by_all(at(cells)), by_node(at(cells));
  std::int32_t first_left = 0, placed = 0;
  for (std::size_t node = 0; node < capacity.size() && placed < cells; ++node) {
    by_node.forget();
    for (std::int32_t place = 0; place < capacity[node] && placed < cells; ++place) {
      std::int32_t cell = by_node.next(node_of_cell);
      if (cell < 0) cell = by_all.next(node_of_cell);
      if (cell < 0) {
        while (node_of_cell[at(first_left)] >= 0) ++first_left;
        cell = first_left;
      }
      node_of_cell[at(cell)] = static_cast<std::int32_t>(node);
      ++placed;
      for (const Neighbour& n : neighbours.of(cell)) {
        if (node_of_cell[at(n.cell)] >= 0) continue;
        by_node.pull(n.cell, n.weight);
        by_all.pull(n.cell, n.weight);
      }
    }
  }
  return node_of_cell;
}

namespace {

using Num = std::int32_t;  // SCOTCH_Num, as scotch_map() makes sure of

struct Graph;
struct Arch;
struct Strategy;

struct Scotch {
  DynamicLibrary library{"libscotch.so",       "libscotch.so.7.0", "libscotch-7.0.so",
                         "libscotch-7.0.so.7", "libscotch-6.1.so", "libscotch-6.0.so"};
  Graph* (*graphAlloc)() = symbol("SCOTCH_graphAlloc");
  int (*graphInit)(Graph*) = symbol("SCOTCH_graphInit");
  void (*graphExit)(Graph*) = symbol("SCOTCH_graphExit");
  int (*graphBuild)(Graph*, Num base, Num vertices, const Num* begin, const Num* end, const Num* loads,
                    const Num* labels, Num arcs, const Num* targets, const Num* weights) = symbol("SCOTCH_graphBuild");
  int (*graphMap)(Graph*, const Arch*, const Strategy*, Num* part) = symbol("SCOTCH_graphMap");
  Arch* (*archAlloc)() = symbol("SCOTCH_archAlloc");
  int (*archInit)(Arch*) = symbol("SCOTCH_archInit");
  void (*archExit)(Arch*) = symbol("SCOTCH_archExit");
  int (*archCmpltw)(Arch*, Num parts, const Num* sizes) = symbol("SCOTCH_archCmpltw");
  Strategy* (*stratAlloc)() = symbol("SCOTCH_stratAlloc");
  int (*stratInit)(Strategy*) = symbol("SCOTCH_stratInit");
  void (*stratExit)(Strategy*) = symbol("SCOTCH_stratExit");
  int (*stratGraphMapBuild)(Strategy*, Num flags, Num parts, double imbalance) = symbol("SCOTCH_stratGraphMapBuild");
  void (*memFree)(void*) = symbol("SCOTCH_memFree");
  void (*randomSeed)(Num) = symbol("SCOTCH_randomSeed");
  void (*randomReset)() = symbol("SCOTCH_randomReset");
  int (*numSizeof)() = symbol("SCOTCH_numSizeof");

  // Empty: it can be used.
  std::string why_not() const {
    if (!library.is_loaded()) return "SCOTCH is not installed";
    if (library.missing() != nullptr) return std::string("SCOTCH has no ") + library.missing();
    return numSizeof() == sizeof(Num) ? "" : "SCOTCH has numbers of another size";
  }

 private:
  struct Symbol {
    DynamicLibrary& library;
    const char* name;
    template <class Function>
    operator Function*() const {
      Function* function = nullptr;
      library.find(name, function);
      return function;
    }
  };
  Symbol symbol(const char* name) { return {library, name}; }
};

// The lists as SCOTCH takes them: weights of all arcs together stay below 2^30, none becomes 0.
struct Arcs {
  std::vector<Num> begin, targets, weights;

  explicit Arcs(const NeighbourLists& neighbours) {
    std::int64_t total = 0;
    for (std::int32_t cell = 0; cell < neighbours.cells(); ++cell)
      for (const Neighbour& n : neighbours.of(cell)) total += n.weight;
    const std::int64_t most = std::max<std::int64_t>(1, (std::int64_t{1} << 30) - 2 * neighbours.pairs());
    const std::int64_t divisor = (total + most - 1) / most;
    begin.reserve(static_cast<std::size_t>(neighbours.cells()) + 1);
    begin.push_back(0);
    for (std::int32_t cell = 0; cell < neighbours.cells(); ++cell) {
      for (const Neighbour& n : neighbours.of(cell)) {
        targets.push_back(n.cell);
        weights.push_back(static_cast<Num>(std::max<std::int64_t>(1, n.weight / std::max<std::int64_t>(1, divisor))));
      }
      begin.push_back(static_cast<Num>(targets.size()));
    }
  }
};

}  // namespace

ScotchAnswer scotch_map(const NeighbourLists& neighbours, std::span<const std::int32_t> capacity) {
  static const Immortal<Scotch> opened;
  static const Scotch& scotch = *opened;
  if (const std::string why_not = scotch.why_not(); !why_not.empty()) return {{}, why_not};
  if (neighbours.pairs() == 0) return {{}, "no traffic"};
  if (2 * neighbours.pairs() >= std::int64_t{1} << 30) return {{}, "more pairs than SCOTCH's numbers can hold"};
  const auto free_memory = [](auto* memory) { scotch.memFree(memory); };
  const std::unique_ptr<Graph, decltype(free_memory)> graph(scotch.graphAlloc());
  const std::unique_ptr<Arch, decltype(free_memory)> arch(scotch.archAlloc());
  const std::unique_ptr<Strategy, decltype(free_memory)> strategy(scotch.stratAlloc());
  if (!graph || !arch || !strategy || scotch.graphInit(graph.get()) != 0 || scotch.archInit(arch.get()) != 0 ||
      scotch.stratInit(strategy.get()) != 0)
    return {{}, "SCOTCH has no memory"};
  constexpr Num recursive_bisection = 0x0100, imbalance_percent = 1;
  const Arcs arcs(neighbours);
  ScotchAnswer answer;
  answer.node_of_cell.resize(static_cast<std::size_t>(neighbours.cells()));
  scotch.randomSeed(1);
  scotch.randomReset();
  const bool mapped =
      scotch.graphBuild(graph.get(), 0, neighbours.cells(), arcs.begin.data(), arcs.begin.data() + 1, nullptr, nullptr,
                        static_cast<Num>(arcs.targets.size()), arcs.targets.data(), arcs.weights.data()) == 0 &&
      scotch.archCmpltw(arch.get(), static_cast<Num>(capacity.size()), capacity.data()) == 0 &&
      scotch.stratGraphMapBuild(strategy.get(), recursive_bisection, static_cast<Num>(capacity.size()),
                                imbalance_percent / 100.0) == 0 &&
      scotch.graphMap(graph.get(), arch.get(), strategy.get(), answer.node_of_cell.data()) == 0;
  scotch.stratExit(strategy.get());
  scotch.archExit(arch.get());
  scotch.graphExit(graph.get());
  if (!mapped) return {{}, "SCOTCH failed"};
  const auto nodes = static_cast<std::int32_t>(capacity.size());
  if (std::any_of(answer.node_of_cell.begin(), answer.node_of_cell.end(),
                  [=](std::int32_t node) { return node < 0 || node >= nodes; }))
    return {{}, "SCOTCH answered with nodes that do not exist"};
  return answer;
}

}  // namespace marshal::mapping
