// `marshal bench order`: what plan_order makes of grids that it is given as plain traffic, beside its rivals, and how
// long it takes for large traffic.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/split_text.h"
#include "mapping/contest.h"
#include "mapping/exchange.h"
#include "mapping/growing.h"
#include "mapping/metrics.h"
#include "mapping/plan_order.h"
#include "mapping/scotch_library.h"
#include "tools/bench_order/made_traffic.h"
#include "tools/bench_order/rivals.h"
#include "tools/command_line.h"
#include "tools/commands.h"
#include "tools/figure_table.h"
#include "tools/option_values.h"

namespace marshal::tools {
namespace {

using namespace marshal::mapping;
using NodeOfRank = std::vector<std::int32_t>;

constexpr unsigned most_treematch_seconds = 20;

struct Wishes {
  std::string grids = "50x48/48,16x15x10/48,61x60/61,64x64/64,256x16/64,16x16x16/64,12x8x6/24,32x32/32";
  std::string large = "16x16x16/64,64x32x32/64";
  std::string make, gather;
  bool json = false;
};

struct Instance {
  std::string name;
  Grid grid;
  Stencil stencil;
  std::vector<std::int32_t> capacity;
  NodeOfRank given;
};

// "16x16/8": a grid, and processes a node.
Instance instance_of(std::string_view text, const char* option, bool box) {
  const std::vector<std::string_view> parts = split(text, '/');
  if (parts.size() != 2)
    throw std::invalid_argument(fmt::format("{}: '{}' is not a grid / processes a node", option, text));
  const std::vector<int> dims = integers(parts[0], 'x', 1, option);
  const int per_node = integers(parts[1], ',', 1, option).front();
  Instance instance{std::string(text), make_grid(dims, std::vector<int>(dims.size(), box ? 1 : 0)), {}, {}, {}};
  instance.stencil = box ? box_stencil(instance.grid.ndims()) : star_stencil(instance.grid.ndims());
  for (std::int64_t rank = 0; rank < instance.grid.cells(); ++rank)
    instance.given.push_back(static_cast<std::int32_t>(rank / per_node));
  for (std::int64_t left = instance.grid.cells(); left > 0; left -= per_node)
    instance.capacity.push_back(static_cast<std::int32_t>(std::min<std::int64_t>(left, per_node)));
  return instance;
}

Order planned(const NeighbourLists& traffic, const Instance& instance, OrderRules rules) {
  std::vector<std::int32_t> places(instance.given.size());
  std::iota(places.begin(), places.end(), 0);
  return plan_order({traffic, instance.capacity, places, {}, rules});
}

// Bytes between nodes as a part of those in the order given.
class Column {
 public:
  Cell cell(double ratio) {
    logarithms_ += std::log(ratio);
    ++count_;
    return {ratio, 3};
  }
  Cell mean() const {
    if (count_ == 0) return "-";
    return {std::exp(logarithms_ / count_), 3};
  }

 private:
  double logarithms_ = 0;
  int count_ = 0;
};

FigureTable quality(const Wishes& wishes) {
  FigureTable table;
  table.name = "quality";
  table.title =
      "Grids given as plain traffic: bytes between nodes as a part of those in the order given; less is better";
  table.columns = {"grid / a node", "round robin",      "growing", "SCOTCH",      "METIS",
                   "TreeMatch",     "Marshal, no grid", "Marshal", "grid mappers"};
  std::vector<Column> columns(table.columns.size() - 1);
  double worst = 0, worst_alone = 0;
  for (const std::string_view text : split(wishes.grids, ',')) {
    const Instance instance = instance_of(text, "--grids", false);
    const NeighbourLists traffic(instance.grid, instance.stencil);
    const auto nodes = static_cast<std::int32_t>(instance.capacity.size());
    const double given = static_cast<double>(crossing_of(traffic, instance.given, nodes).between_nodes);
    std::vector<Cell> row{Cell(instance.name)};
    const auto add = [&](double between) { row.push_back(columns[row.size() - 1].cell(between / given)); };
    const auto of = [&](const NodeOfRank& node_of_rank) {
      return static_cast<double>(crossing_of(traffic, node_of_rank, nodes).between_nodes);
    };
    const auto fitted = [&](NodeOfRank node_of_rank) {
      if (node_of_rank.empty()) {
        row.push_back("-");
        return;
      }
      fit_to_capacity(traffic, instance.capacity, node_of_rank);
      add(of(node_of_rank));
    };
    NodeOfRank dealt_out(instance.given.size());
    for (std::size_t rank = 0; rank < dealt_out.size(); ++rank)
      dealt_out[rank] = static_cast<std::int32_t>(rank % static_cast<std::size_t>(nodes));
    fitted(std::move(dealt_out));
    fitted(grow(traffic, instance.capacity));
    fitted(scotch_map(traffic, instance.capacity).node_of_cell);
    fitted(metis_partition(traffic, instance.capacity));
    fitted(treematch(traffic, instance.capacity, most_treematch_seconds));
    OrderRules rules;
    rules.with_grid = false;
    const double alone = static_cast<double>(planned(traffic, instance, rules).after.between_nodes);
    add(alone);
    const double found = static_cast<double>(planned(traffic, instance, {}).after.between_nodes);
    add(found);
    // Both directions of a pair are one weight in the traffic, as in Jsum.
    const auto by_mappers = static_cast<double>(
        jsum_of(instance.grid, instance.stencil,
                propose(make_problem(instance.grid, instance.stencil, instance.given)).node_of_cell));
    add(by_mappers);
    worst = std::max(worst, found / by_mappers);
    worst_alone = std::max(worst_alone, alone / by_mappers);
    table.rows.push_back(std::move(row));
  }
  std::vector<Cell> means{Cell("geometric mean")};
  for (const Column& column : columns) means.push_back(column.mean());
  table.rows.push_back(std::move(means));
  table.notes = {
      fmt::format("At most {:.1f} % above the mappers of grids; without looking for a grid in the traffic {:.1f} %. "
                  "Goal: 3 %.",
                  100 * (worst - 1), 100 * (worst_alone - 1)),
      "SCOTCH and METIS: sizes of nodes made exact by moving the ranks that lose least; -: not installed.",
      fmt::format("TreeMatch as in Open MPI 4; -: not installed, nodes of unequal sizes, or no answer within {} s.",
                  most_treematch_seconds)};
  return table;
}

FigureTable speed(const Wishes& wishes) {
  FigureTable table;
  table.name = "speed";
  table.title = "Planning of periodic grids with all neighbours (26 in three dimensions), one core";
  table.columns = {"grid / a node", "ranks", "pairs", "seconds", "without grid", "of given", "peak MiB"};
  for (const std::string_view text : split(wishes.large, ',')) {
    const Instance instance = instance_of(text, "--large", true);
    const NeighbourLists traffic(instance.grid, instance.stencil);
    const auto timed = [&](bool with_grid, Order& order) {
      OrderRules rules;
      rules.with_grid = with_grid;
      const auto start = std::chrono::steady_clock::now();
      order = planned(traffic, instance, rules);
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    Order order, without;
    const double seconds = timed(true, order), seconds_without = timed(false, without);
    table.rows.push_back(
        {Cell(instance.name), Cell(instance.grid.cells()), Cell(traffic.pairs()), Cell(seconds, 2),
         Cell(seconds_without, 2),
         Cell(static_cast<double>(order.after.between_nodes) / static_cast<double>(order.before.between_nodes), 3),
         Cell(resident_peak() / (1 << 20), 0)});
  }
  table.notes = {"Goals: 4096 ranks below 5 s, 65536 ranks below 180 s and 4096 MiB."};
  return table;
}

}  // namespace

int bench_order(Arguments arguments) {
  Wishes wishes;
  CommandLine line("marshal bench order",
                   "How good the orders of marshal order are, beside other methods, and how long they take.");
  line.option("--grids", &wishes.grids, "grids for the quality, each with the processes of a node",
              {.shows_default = true});
  line.option("--large", &wishes.large, "grids for the speed; none: leaves it out", {.shows_default = true});
  line.option("--make", &wishes.make,
              "only write FILE.traffic, of a mesh like the first grid of --large with its ranks scattered",
              {.type = "FILE"});
  line.option("--gather", &wishes.gather, "only gather rows of so many processes, as 1048576/64 with those of a node");
  line.flag("--json", wishes.json, "print JSON");
  if (const auto over = line.parse(arguments)) return *over;
  try {
    if (!wishes.make.empty()) {
      const Instance mesh = instance_of(split(wishes.large, ',').front(), "--large", true);
      fmt::print("{}\n", make_traffic_file(mesh.grid, mesh.capacity.front(), wishes.make));
      return 0;
    }
    std::vector<FigureTable> tables;
    if (!wishes.gather.empty()) {
      const std::vector<int> sizes = integers(wishes.gather, '/', 1, "--gather");
      if (sizes.size() != 2) throw std::invalid_argument("--gather: processes / processes of a node");
      tables.push_back(gathering(sizes[0], sizes[1]));
      wishes.large = "none";
    } else {
      tables.push_back(quality(wishes));
    }
    if (wishes.large != "none") tables.push_back(speed(wishes));
    if (wishes.json) {
      report::Json all = report::Json::object();
      for (const FigureTable& table : tables) all.add(table.name, table.json());
      fmt::print("{}\n", report::json_text(all, 2));
    } else {
      for (const FigureTable& table : tables) fmt::print("{}\n", table.text());
    }
    return 0;
  } catch (const std::invalid_argument& error) {
    say(Level::error, "bench order: {}", error.what());
    return 2;
  }
}

}  // namespace marshal::tools
