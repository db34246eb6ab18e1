#include "tools/order/launcher_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace marshal::tools {
namespace {

struct Position {
  std::int32_t node = 0, within = 0;  // numbers
};

std::vector<Position> positions_of(const OrderedRanks& ranks) {
  std::vector<Position> all;
  for (std::size_t node = 0; node < ranks.hosts.size(); ++node)
    for (std::int32_t within = 0; within < ranks.hosts[node].places; ++within)
      all.push_back({static_cast<std::int32_t>(node), within});
  std::vector<Position> of_rank;
  for (const std::int32_t place : ranks.place_of_rank) of_rank.push_back(all[static_cast<std::size_t>(place)]);
  return of_rank;
}

// The cores of a place: the processes of a node divide its cores in order.
std::string slot_of(const OrderedRanks& ranks, const Position& place) {
  const std::int64_t processes = ranks.hosts[static_cast<std::size_t>(place.node)].places;
  const std::int64_t cores = ranks.cores > 0 ? ranks.cores : processes;
  const std::int64_t first = place.within * cores / processes;
  const std::int64_t last = std::max(first, (place.within + 1) * cores / processes - 1);
  return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
}

const std::string& host_name_of(const OrderedRanks& ranks, const Position& place) {
  return ranks.hosts[static_cast<std::size_t>(place.node)].name;
}

std::string rankfile(const OrderedRanks& ranks) {
  std::string text;
  std::int32_t rank = 0;
  for (const Position& place : positions_of(ranks))
    text += fmt::format("rank {}={} slot={}\n", rank++, host_name_of(ranks, place), slot_of(ranks, place));
  return text;
}

// Ranks in a row on the same host: (node, how many).
std::vector<std::pair<std::int32_t, std::int32_t>> runs_of(const OrderedRanks& ranks) {
  std::vector<std::pair<std::int32_t, std::int32_t>> runs;
  for (const Position& place : positions_of(ranks))
    if (!runs.empty() && runs.back().first == place.node)
      ++runs.back().second;
    else
      runs.emplace_back(place.node, 1);
  return runs;
}

std::string machinefile(const OrderedRanks& ranks) {
  std::string text;
  for (const auto& [node, count] : runs_of(ranks))
    text += fmt::format("{}:{}\n", ranks.hosts[static_cast<std::size_t>(node)].name, count);
  return text;
}

std::string host_of_each_rank(const OrderedRanks& ranks) {
  std::string text;
  for (const Position& place : positions_of(ranks)) text += host_name_of(ranks, place) + "\n";
  return text;
}

std::string rank_order(const OrderedRanks& ranks) {
  std::vector<std::int32_t> rank_of_place(ranks.place_of_rank.size());
  for (std::size_t rank = 0; rank < ranks.place_of_rank.size(); ++rank)
    rank_of_place[static_cast<std::size_t>(ranks.place_of_rank[rank])] = static_cast<std::int32_t>(rank);
  std::string text = "# The ranks of each node, one node a line.\n";
  std::size_t place = 0;
  for (const Host& host : ranks.hosts) {
    for (std::int32_t i = 0; i < host.places; ++i)
      text += fmt::format("{}{}", i == 0 ? "" : ",", rank_of_place[place++]);
    text += '\n';
  }
  return text;
}

// Blocks [first node, nodes, tasks on each, repeats]; only runs of equal length on nodes in a row become one block.
std::string taskmap(const OrderedRanks& ranks) {
  struct Block {
    std::int32_t node, nodes, tasks;
    bool operator==(const Block&) const = default;
  };
  std::vector<Block> blocks;
  for (const auto& [node, count] : runs_of(ranks)) {
    if (!blocks.empty() && blocks.back().tasks == count && blocks.back().node + blocks.back().nodes == node)
      ++blocks.back().nodes;
    else
      blocks.push_back({node, 1, count});
  }
  std::string text = "[";
  for (std::size_t i = 0; i < blocks.size();) {
    std::size_t repeats = 1;
    while (i + repeats < blocks.size() && blocks[i + repeats] == blocks[i]) ++repeats;
    text +=
        fmt::format("{}[{},{},{},{}]", i == 0 ? "" : ",", blocks[i].node, blocks[i].nodes, blocks[i].tasks, repeats);
    i += repeats;
  }
  return text + "]\n";
}

std::string list(const OrderedRanks& ranks) {
  std::string text;
  for (const std::int32_t place : ranks.place_of_rank) text += fmt::format("{}\n", place);
  return text;
}

constexpr Launcher all_launchers[] = {
    {"openmpi", "rankfile", true, rankfile,
     "mpirun -n {0} --rankfile {1} …   (Open MPI 5: mpirun -n {0} --map-by rankfile:file={1} …)"},
    {"mpich", "machinefile", true, machinefile, "mpiexec -n {0} -machinefile {1} …"},
    {"intel", "machinefile", true, machinefile, "mpiexec -n {0} -machinefile {1} …"},
    {"slurm", "hostfile.slurm", true, host_of_each_rank, "SLURM_HOSTFILE={1} srun -n {0} -m arbitrary …"},
    {"cray", "MPICH_RANK_ORDER", false, rank_order,
     "MPICH_RANK_REORDER_METHOD=3 MPICH_RANK_REORDER_FILE={1}, then the launcher as ever"},
    {"flux", "taskmap", false, taskmap, "flux run -N {2} -n {0} --taskmap=manual:\"$(cat {1})\" …"},
    {"list", "order", false, list, "line {0} of {1} is the place of the last rank; places are numbered node by node"}};

}  // namespace

std::span<const Launcher> launchers() { return all_launchers; }

}  // namespace marshal::tools
