#include "mapping/scotch_library.h"

#include <algorithm>
#include <memory>

#include "base/dynamic_library.h"
#include "base/immortal.h"

namespace marshal::mapping {
namespace {

using Num = std::int32_t;  // SCOTCH_Num, as scotch_map() makes sure of

struct Graph;
struct Arch;
struct Strategy;

struct Scotch {
  Graph* (*graphAlloc)();
  int (*graphInit)(Graph*);
  void (*graphExit)(Graph*);
  int (*graphBuild)(Graph*, Num base, Num vertices, const Num* begin, const Num* end, const Num* loads,
                    const Num* labels, Num arcs, const Num* targets, const Num* weights);
  int (*graphMap)(Graph*, const Arch*, const Strategy*, Num* part);
  Arch* (*archAlloc)();
  int (*archInit)(Arch*);
  void (*archExit)(Arch*);
  int (*archCmpltw)(Arch*, Num parts, const Num* sizes);
  Strategy* (*stratAlloc)();
  int (*stratInit)(Strategy*);
  void (*stratExit)(Strategy*);
  int (*stratGraphMapBuild)(Strategy*, Num flags, Num parts, double imbalance);
  void (*memFree)(void*);
  void (*randomSeed)(Num);
  void (*randomReset)();
  int (*numSizeof)();
  std::string why_not;
};

Scotch open_scotch() {
  Scotch s{};
  DynamicLibrary library{"libscotch.so",       "libscotch.so.7.0", "libscotch-7.0.so",
                         "libscotch-7.0.so.7", "libscotch-6.1.so", "libscotch-6.0.so"};
  if (!library.is_loaded()) {
    s.why_not = "SCOTCH is not installed";
    return s;
  }
  library.find("SCOTCH_graphAlloc", s.graphAlloc);
  library.find("SCOTCH_graphInit", s.graphInit);
  library.find("SCOTCH_graphExit", s.graphExit);
  library.find("SCOTCH_graphBuild", s.graphBuild);
  library.find("SCOTCH_graphMap", s.graphMap);
  library.find("SCOTCH_archAlloc", s.archAlloc);
  library.find("SCOTCH_archInit", s.archInit);
  library.find("SCOTCH_archExit", s.archExit);
  library.find("SCOTCH_archCmpltw", s.archCmpltw);
  library.find("SCOTCH_stratAlloc", s.stratAlloc);
  library.find("SCOTCH_stratInit", s.stratInit);
  library.find("SCOTCH_stratExit", s.stratExit);
  library.find("SCOTCH_stratGraphMapBuild", s.stratGraphMapBuild);
  library.find("SCOTCH_memFree", s.memFree);
  library.find("SCOTCH_randomSeed", s.randomSeed);
  library.find("SCOTCH_randomReset", s.randomReset);
  library.find("SCOTCH_numSizeof", s.numSizeof);
  if (library.missing() != nullptr)
    s.why_not = std::string("SCOTCH has no ") + library.missing();
  else if (s.numSizeof() != sizeof(Num))
    s.why_not = "SCOTCH has numbers of another size";
  return s;
}

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
  static const Immortal<Scotch> opened(open_scotch());
  static const Scotch& scotch = *opened;
  if (!scotch.why_not.empty()) return {{}, scotch.why_not};
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
