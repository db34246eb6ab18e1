// marshal map: shows how each mapper would place a grid on given nodes, at any size, without MPI.
#include <fmt/ranges.h>

#include <chrono>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/options.h"
#include "mapping/index.h"
#include "mapping/lower_bound.h"
#include "mapping/plan_cart.h"
#include "pages/pictures.h"
#include "pages/table.h"
#include "record/json.h"
#include "tools/command_line.h"
#include "tools/option_values.h"
#include "tools/order/places.h"
#include "tools/output.h"
#include "topology/domains.h"

namespace marshal::tools {
namespace {

using namespace marshal::mapping;
using report::Json;
using report::Table;

struct MapOptions {
  GridOptions grid;
  NodeOptions nodes;
  std::string topology, mapper = "best", ties = "first";
  double min_gain = 1;
  std::string effort = "4M";
  Rates rates;
  bool json = false, csv = false;
  std::string svg, assignment;

  bool unknown_weights() const { return grid.weights == "unknown"; }
};

struct Mapped {
  std::string mapper, detail, why_not;
  std::string why_unmoved;  // why the library would leave the processes where they are; empty: it would move them
  std::vector<std::int32_t> node_of_cell;
  Metrics metrics;
  std::vector<AboveGain> above;  // at each level above the nodes
  double seconds = 0;
  Prediction predicted;
};

// The nodes of the ranks; the inside of nodes goes to `inside`.
std::vector<std::int32_t> nodes_of_ranks(const MapOptions& options, std::int64_t cells, std::string& inside) {
  if (options.nodes.ways() + (options.topology.empty() ? 0 : 1) != 1)
    throw std::invalid_argument("give the nodes in one way: --nodes with --ppn, --sizes, or --topology");
  if (!options.topology.empty()) {
    const auto description = topology::parse_placement(options.topology);
    inside = description.inside;
    const auto room = std::accumulate(description.sizes.begin(), description.sizes.end(), std::int64_t{0});
    return topology::node_of_rank(description, static_cast<std::int32_t>(std::max(room, cells)));
  }
  std::vector<std::int32_t> node_of_rank;
  std::int32_t node = 0;
  for (const int places : options.nodes.places(cells)) node_of_rank.insert(node_of_rank.end(), at(places), node++);
  if (std::ssize(node_of_rank) < cells)
    throw std::invalid_argument(
        fmt::format("the grid has {} cells, the nodes hold {} processes", cells, node_of_rank.size()));
  return node_of_rank;
}

// "strips: strips of * x 2"
std::string describe_contest(const ContestResult& result) {
  return fmt::format("{}{}{}", name_of(result.winner), result.detail.empty() ? "" : ": ", result.detail);
}

// What a topology file says of the nodes, which are called node0, node1 …, and a synthetic string of their inside.
Places described(const MapOptions& options, const std::vector<std::int32_t>& node_of_rank, const std::string& inside) {
  const NumberedNodes nodes(node_of_rank);
  std::vector<Host> hosts(nodes.capacity.size());
  for (std::size_t rank = 0; rank < node_of_rank.size(); ++rank)
    hosts[at(nodes.of_rank[rank])].name = fmt::format("node{}", node_of_rank[rank]);
  Places places = places_for(std::move(hosts), nodes.of_rank);
  if (!options.nodes.topology_file.empty()) places.above = levels_in_file(options.nodes.topology_file, places.names());
  if (!inside.empty()) describe_inside(places, inside);
  return places;
}

std::vector<Mapped> mapped_by_all(const MapOptions& options, const Problem& problem, const CartAbove& above,
                                  const Machine& machine) {
  ContestRules rules;
  rules.exchanges = effort_of(options.effort);
  if (options.unknown_weights()) rules.no_worse_by = one_by_one(problem.stencil);
  std::vector<Mapper> wanted{Mapper::given};
  if (options.mapper != "all")
    wanted.push_back(parse_mapper(options.mapper));
  else
    for (const MapperRow& row : mapper_table)
      if (row.by_name) wanted.push_back(row.mapper);
  std::vector<Mapped> rows;
  for (const Mapper mapper : wanted) {
    rules.mapper = mapper;
    const auto start = std::chrono::steady_clock::now();
    ContestResult result = above.improved(propose(problem, rules), rules, {});
    Mapped row;
    row.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    row.mapper = name_of(mapper);
    row.why_not = result.why_not;
    if (result.why_not.empty()) {
      row.detail = result.winner == mapper ? result.detail : describe_contest(result);
      row.node_of_cell = std::move(result.node_of_cell);
      row.metrics = measure(problem.grid, problem.stencil, row.node_of_cell, problem.nodes());
      row.predicted = predict_exchange(row.metrics, machine);
      const Metrics& given = rows.empty() ? row.metrics : rows.front().metrics;
      row.above = above.gains(row.node_of_cell);
      row.why_unmoved = why_not_worth(mapper, given, row.metrics, options.min_gain, row.above);
      if (result.held_back && result.winner == Mapper::given)
        row.why_unmoved = "every order that is better for equal weights could be worse for others";
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string partners(const Metrics& metrics, const PartnerCount& count) {
  return fmt::format("{}/{}/{:.3f}", count.min, count.max, metrics.average(count));
}

std::string map_heading(const Problem& problem, const MapOptions& options) {
  std::string periodic;
  if (std::any_of(problem.grid.periodic.begin(), problem.grid.periodic.end(), [](bool p) { return p; }))
    periodic = ", periodic";
  return fmt::format("{} on {}, {} stencil{}{}", options.grid.dims, nodes_text(problem.capacity), problem.stencil.name,
                     options.grid.weights.empty() ? "" : " weighted " + options.grid.weights, periodic);
}

void print_map_text(const Problem& problem, const MapOptions& options, const std::vector<Mapped>& rows,
                    std::int64_t bound) {
  const Metrics& given = rows.front().metrics;
  print_formatted("{}\n", map_heading(problem, options));
  print_formatted("Jsum: neighbour pairs on different nodes, weighted; lower bound {}\n\n",
                  bound > 0 ? fmt::format("{} ({:.3f} of given)", bound, ratio(bound, given.jsum)) : "not known");
  Table table({{"mapper", report::Align::left},
               {"Jsum"},
               {"of given"},
               {"Jmax"},
               {"of given"},
               {"on-node min/max/avg"},
               {"off-node min/max/avg"},
               {"exchange, predicted"},
               {"limited by", report::Align::left},
               {"mapper takes"},
               {"moves", report::Align::left}});
  std::string notes;
  for (const Mapped& row : rows) {
    if (!row.why_not.empty()) {
      notes += fmt::format("{} does not apply: {}\n", row.mapper, row.why_not);
      continue;
    }
    const Metrics& m = row.metrics;
    table.add({row.mapper, std::to_string(m.jsum), fmt::format("{:.3f}", ratio(m.jsum, given.jsum)),
               std::to_string(m.jmax), fmt::format("{:.3f}", ratio(m.jmax, given.jmax)), partners(m, m.on_node),
               partners(m, m.off_node), fmt::format("{:.1f} us", row.predicted.seconds * 1e6),
               std::string(name_of(row.predicted.limit)), fmt::format("{:.1f} ms", row.seconds * 1e3),
               row.why_unmoved.empty() ? "yes" : "no"});
    if (!row.detail.empty()) notes += fmt::format("{}: {}\n", row.mapper, row.detail);
    if (!row.why_unmoved.empty() && &row != &rows.front())
      notes += fmt::format("{} moves nothing: {}\n", row.mapper, row.why_unmoved);
  }
  print_formatted("{}\n{}", table.text(), notes);
}

void print_above(const std::vector<Mapped>& rows) {
  for (std::size_t level = 0; level < rows.front().above.size(); ++level) {
    Table table({{"mapper", report::Align::left},
                 {"weight between " + rows.front().above[level].name},
                 {"of given"},
                 {"of the busiest"},
                 {"of given"}});
    for (const Mapped& row : rows) {
      if (!row.why_not.empty()) continue;
      const AboveGain& gain = row.above[level];
      table.add({row.mapper, std::to_string(gain.after.jsum),
                 fmt::format("{:.3f}", ratio(gain.after.jsum, gain.before.jsum)), std::to_string(gain.after.jmax),
                 fmt::format("{:.3f}", ratio(gain.after.jmax, gain.before.jmax))});
    }
    print_formatted("\n{}", table.text());
  }
}

Json above_json(const std::vector<AboveGain>& above) {
  Json levels = Json::array();
  for (const AboveGain& level : above)
    levels.push_back(Json::object({{"level", level.name}, {"jsum", level.after.jsum}, {"jmax", level.after.jmax}}));
  return levels;
}

Json count_json(const Metrics& metrics, const PartnerCount& count) {
  return Json::object({{"min", count.min}, {"max", count.max}, {"average", metrics.average(count)}});
}

void print_map_json(const Problem& problem, const std::vector<Mapped>& rows, std::int64_t bound,
                    const std::vector<LevelGain>& levels) {
  Json mappers = Json::array();
  for (const Mapped& row : rows) {
    if (!row.why_not.empty()) {
      mappers.push_back(Json::object({{"mapper", row.mapper}, {"why_not", row.why_not}}));
      continue;
    }
    const Metrics& m = row.metrics;
    Json one = Json::object({{"mapper", row.mapper},
                             {"jsum", m.jsum},
                             {"jsum_of_given", ratio(m.jsum, rows.front().metrics.jsum)},
                             {"jmax", m.jmax},
                             {"jmax_of_given", ratio(m.jmax, rows.front().metrics.jmax)},
                             {"on_node", count_json(m, m.on_node)},
                             {"off_node", count_json(m, m.off_node)},
                             {"predicted_exchange_seconds", row.predicted.seconds},
                             {"limited_by", name_of(row.predicted.limit)},
                             {"mapper_seconds", row.seconds},
                             {"detail", row.detail},
                             {"moves", row.why_unmoved.empty()},
                             {"why_unmoved", row.why_unmoved}});
    if (!row.above.empty()) one.add("levels_above", above_json(row.above));
    mappers.push_back(std::move(one));
  }
  Json all = Json::object({{"dims", problem.grid.dims},
                           {"periodic", problem.grid.periodic},
                           {"stencil", problem.stencil.name},
                           {"node_sizes", problem.capacity},
                           {"jsum_lower_bound", bound > 0 ? Json(bound) : Json()},
                           {"mappers", std::move(mappers)}});
  Json inside;
  for (const LevelGain& level : levels)
    inside.push_back(
        Json::object({{"level", level.name}, {"weight_before", level.before}, {"weight_after", level.after}}));
  if (!levels.empty()) all.add("levels", std::move(inside));
  print_whole(report::json_text(all, 2) + "\n");
}

void print_csv(const std::vector<Mapped>& rows, std::int64_t bound) {
  print_formatted(
      "mapper,jsum,jsum_of_given,jmax,jmax_of_given,on_min,on_max,on_avg,off_min,off_max,off_avg,lower_bound,"
      "predicted_exchange_s,limited_by,mapper_s,moves\n");
  for (const Mapped& row : rows) {
    if (!row.why_not.empty()) continue;
    const Metrics& m = row.metrics;
    print_formatted("{},{},{:.6f},{},{:.6f},{},{},{:.6f},{},{},{:.6f},{},{:.9f},{},{:.6f},{}\n", row.mapper, m.jsum,
                    ratio(m.jsum, rows.front().metrics.jsum), m.jmax, ratio(m.jmax, rows.front().metrics.jmax),
                    m.on_node.min, m.on_node.max, m.average(m.on_node), m.off_node.min, m.off_node.max,
                    m.average(m.off_node), bound, row.predicted.seconds, name_of(row.predicted.limit), row.seconds,
                    row.why_unmoved.empty() ? 1 : 0);
  }
}

void draw_map(const Problem& problem, const MapOptions& options, const std::vector<Mapped>& rows, std::int64_t bound) {
  const std::vector<std::uint64_t> dims(problem.grid.dims.begin(), problem.grid.dims.end());
  std::vector<report::GridPanel> panels;
  for (const Mapped& row : rows) {
    if (!row.why_not.empty()) continue;
    const Metrics& m = row.metrics;
    panels.push_back(
        {row.mapper == "given" ? "given order" : row.mapper,
         {fmt::format("Jsum {} ({:.3f} of given{}), Jmax {}", m.jsum, ratio(m.jsum, rows.front().metrics.jsum),
                      bound > 0 ? fmt::format(", bound {}", bound) : "", m.jmax),
          fmt::format("partners min/max/avg: on-node {}, off-node {}", partners(m, m.on_node), partners(m, m.off_node)),
          fmt::format("predicted exchange {:.1f} us", row.predicted.seconds * 1e6)},
         {row.node_of_cell.begin(), row.node_of_cell.end()}});
  }
  write_text_file(options.svg, report::draw_panels(dims, panels, map_heading(problem, options)));
}

// The gain of the last row's order inside the nodes, if their inside is described.
std::vector<LevelGain> inside_gain(const Problem& problem, const std::vector<std::int32_t>& node_of_rank,
                                   const Places& places, const Mapped& row) {
  if (places.levels.empty() || !row.why_not.empty()) return {};
  std::vector<mapping::DomainLevel> levels;
  for (const PlaceLevel& level : places.levels) {
    levels.push_back({level.name, {}});
    for (const std::int32_t of_rank : places.given)
      levels.back().domain_of_rank.push_back(level.domain_of_place[at(of_rank)]);
  }
  std::vector<LevelGain> gains = place(problem, node_of_rank, row.node_of_cell, levels).levels;
  std::erase_if(gains, [](const LevelGain& gain) { return gain.before == 0 && gain.after == 0; });
  return gains;
}

void map_grid(const MapOptions& options) {
  GridOptions asked_for = options.grid;
  if (options.unknown_weights()) asked_for.weights.clear();
  Grid grid = asked_for.grid();
  Stencil stencil = asked_for.stencil_of(grid);
  std::string inside;
  const std::vector<std::int32_t> node_of_rank = nodes_of_ranks(options, grid.cells(), inside);
  Problem problem = make_problem(std::move(grid), std::move(stencil), node_of_rank);
  problem.ties = options.ties == "last" ? Ties::last : Ties::first;
  Machine machine = options.rates.machine();
  machine.bytes_per_weight = options.grid.bytes;
  const Places places = described(options, node_of_rank, inside);
  const CartAbove above(problem, levels_of_ranks(places.above, places.nodes_of(places.given)), node_of_rank);
  const std::vector<Mapped> rows = mapped_by_all(options, problem, above, machine);
  const std::int64_t bound = jsum_lower_bound(problem);
  const std::vector<LevelGain> levels = inside_gain(problem, node_of_rank, places, rows.back());
  if (options.json) {
    print_map_json(problem, rows, bound, levels);
  } else if (options.csv) {
    print_csv(rows, bound);
  } else {
    print_map_text(problem, options, rows, bound);
    print_above(rows);
    for (const LevelGain& level : levels)
      print_formatted("{}, inside nodes: weight between {} domains {} -> {}\n", rows.back().mapper, level.name,
                      level.before, level.after);
  }
  if (!options.svg.empty()) draw_map(problem, options, rows, bound);
  if (!options.assignment.empty()) {
    if (!rows.back().why_not.empty()) throw std::invalid_argument("no assignment: " + rows.back().why_not);
    std::string text;
    for (const std::int32_t node : rows.back().node_of_cell) text += fmt::format("{}\n", node);
    write_text_file(options.assignment, text);
  }
}

}  // namespace

int map_command(Arguments arguments) {
  CommandLine line("marshal map",
                   "What would each mapper do with a Cartesian grid on these nodes? No MPI needed, any size.");
  MapOptions options;
  options.grid.add_to(line, {.required = true});
  options.nodes.add_to(line);
  line.option("--topology", &options.topology,
              "nodes:4, nodes:24,24,48 or cyclic:4, then perhaps an hwloc synthetic string");
  line.option("--mapper", &options.mapper, mapper_names(", ") + ", or all", {.shows_default = true});
  line.option("--ties", &options.ties, "nodecart's choice among equal dimensions",
              {.among = {"first", "last"}, .shows_default = true});
  line.option("--effort", &options.effort, "exchanges of cells that each annealing run may try, as 100K",
              {.shows_default = true});
  line.option("--min-gain", &options.min_gain, "percent by which an order must be better for processes to move",
              {.least = 0, .most = 100, .shows_default = true});
  options.rates.add_to(line);
  line.flag("--json", options.json, "as JSON");
  line.flag("--csv", options.csv, "as comma-separated values");
  line.exclude("--csv", "--json");
  line.option("--svg", &options.svg, "draw the grids into this file");
  line.option("--assignment", &options.assignment,
              "write the node of every cell, in row-major order, by the last mapper");
  if (const auto over = line.parse(arguments)) return *over;
  try {
    map_grid(options);
  } catch (const std::invalid_argument& error) {
    say_line(marshal::Level::error, error.what());
    return 2;
  }
  return 0;
}

}  // namespace marshal::tools
