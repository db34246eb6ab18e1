// marshal order: computes the order in which the ranks should stand on the nodes, from a run's traffic or from a grid,
// and writes it as files for launchers. No MPI needed.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/nearest_name.h"
#include "base/printable_text.h"
#include "base/small_file.h"
#include "mapping/plan_order.h"
#include "pages/pictures.h"
#include "pages/table.h"
#include "record/json.h"
#include "record/units.h"
#include "tools/command_line.h"
#include "tools/option_values.h"
#include "tools/order/launcher_files.h"
#include "tools/order/places.h"
#include "tools/order/planned_order.h"
#include "tools/output.h"
#include "traffic/traffic_file.h"

namespace marshal::tools {
namespace {

using report::Json;
using report::Table;

struct OrderOptions {
  std::string traffic, hostfile, given, inside, launcher, output, svg;
  GridOptions grid;
  NodeOptions nodes;
  int cores = 0;
  std::string effort = "800M";
  Rates rates;
  bool json = false, always = false;
};

// Everything that the command found out.
struct Found : PlannedOrder {
  traffic::Matrix traffic;
  Places places;

  const std::vector<std::int32_t>& place_of_rank() const {
    return reason_to_stay.empty() ? order.place_of_rank : places.given;
  }
};

traffic::Matrix traffic_for(const OrderOptions& options) {
  if (options.traffic.empty() == options.grid.dims.empty())
    throw std::invalid_argument("give what the ranks send: a traffic file, or --dims");
  if (!options.traffic.empty()) {
    for (const auto& [option, value] :
         {std::pair("--stencil", options.grid.stencil != "star"), std::pair("--weights", !options.grid.weights.empty()),
          std::pair("--periodic", !options.grid.periodic.empty())})
      if (value) throw std::invalid_argument(fmt::format("{} describes a grid: it needs --dims", option));
    return traffic::read_matrix(options.traffic);
  }
  const mapping::Grid grid = options.grid.grid();
  return traffic_of_grid(grid, options.grid.stencil_of(grid), options.grid.bytes);
}

std::vector<Host> numbered_hosts(const std::vector<int>& sizes) {
  std::vector<Host> hosts;
  for (const int size : sizes) hosts.push_back({fmt::format("node{}", hosts.size()), size});
  return hosts;
}

Places places_for_order(const OrderOptions& options, const traffic::Job& job) {
  if ((options.hostfile.empty() ? 0 : 1) + options.nodes.ways() > 1)
    throw std::invalid_argument("give the nodes in one way: --hostfile, --nodes with --ppn, or --sizes");
  const auto ranks = static_cast<std::int32_t>(job.processes());
  const Given given = options.given == "cyclic" ? Given::cyclic : Given::block;
  Places places;
  if (!options.hostfile.empty()) {
    std::string text;
    if (const std::string why = read_small_file_or_pipe(options.hostfile, text); !why.empty())
      throw std::invalid_argument(fmt::format("{}: {}", options.hostfile, why));
    places = places_on(parse_hostfile(text, options.hostfile), ranks, given);
  } else if (options.nodes.ways() > 0) {
    places = places_on(numbered_hosts(options.nodes.places(ranks)), ranks, given);
    places.named = false;
  } else {
    if (job.node_names.empty())
      throw std::invalid_argument("give the nodes: --hostfile, --nodes with --ppn, or --sizes");
    if (!options.given.empty())
      throw std::invalid_argument("--given: on the nodes of the run the order given is that of the run");
    places = places_of_run(job);
  }
  if (!options.inside.empty()) describe_inside(places, options.inside);
  if (!options.nodes.topology_file.empty()) places.above = levels_in_file(options.nodes.topology_file, places.names());
  return places;
}

const Launcher* launcher_for(const OrderOptions& options, const Places& places) {
  if (options.launcher.empty()) {
    if (!options.output.empty()) throw std::invalid_argument("--output needs --for, the launcher that is to read it");
    return nullptr;
  }
  for (const Launcher& launcher : launchers()) {
    if (launcher.word != options.launcher) continue;
    if (launcher.needs_names && !places.named)
      throw std::invalid_argument(
          fmt::format("--for {} needs the names of the nodes: give them by --hostfile", launcher.word));
    return &launcher;
  }
  return nullptr;
}

Found found_for(const OrderOptions& options) {
  Found found;
  found.traffic = traffic_for(options);
  found.places = places_for_order(options, found.traffic.job);
  launcher_for(options, found.places);  // its errors are reported before the work
  mapping::OrderRules rules;
  rules.looks = effort_of(options.effort);
  static_cast<PlannedOrder&>(found) = find_order(found.traffic, found.places, rules, options.rates.machine());
  if (options.always) found.reason_to_stay.clear();
  return found;
}

std::string share_of(double part, double whole) { return whole > 0 ? report::percent_text(part / whole) : "0 %"; }

std::string order_heading(const OrderOptions& options, const Found& found) {
  std::string what = options.grid.dims.empty() ? options.traffic : fmt::format("a {} grid", options.grid.dims);
  if (const auto program = found.traffic.job.facts.find("program"); program != found.traffic.job.facts.end())
    what += fmt::format(" ({})", program->second);
  return fmt::format("{}: {} ranks on {}", what, found.traffic.job.processes(), nodes_text(found.places.capacity()));
}

void print_order_text(const OrderOptions& options, const Found& found) {
  const NodeTraffic &before = found.before, &after = found.after;
  print_formatted("{}\n{} in {} messages{}\n\n", order_heading(options, found), report::bytes_text(before.bytes),
                  report::count_text(static_cast<std::uint64_t>(before.messages)),
                  options.grid.dims.empty() ? "" : ", one exchange");
  const bool stays = !found.reason_to_stay.empty();
  Table table({{"", report::Align::left},
               {stays ? "order given" : "before"},
               {stays ? "order found" : "after"},
               {stays ? "found / given" : "after / before"}});
  const auto add = [&](const char* what, double from, double to, std::string (*text)(double)) {
    table.add({what, text(from), text(to), fmt::format("{:.3f}", ratio(to, from))});
  };
  add("bytes between nodes", before.bytes_between, after.bytes_between, report::bytes_text);
  table.add({"share of all bytes", share_of(before.bytes_between, before.bytes),
             share_of(after.bytes_between, after.bytes), ""});
  for (std::size_t level = 0; level < found.places.above.size(); ++level)
    add(fmt::format("bytes between {}", found.places.above[level].name).c_str(),
        static_cast<double>(found.order.above_before[level].between_nodes),
        static_cast<double>(found.order.above_after[level].between_nodes), report::bytes_text);
  add("messages between nodes", before.messages_between, after.messages_between,
      [](double messages) { return report::count_text(static_cast<std::uint64_t>(messages)); });
  add("busiest node, in and out", before.busiest_node, after.busiest_node, report::bytes_text);
  add("busiest pair of nodes", before.busiest_pair, after.busiest_pair, report::bytes_text);
  for (std::size_t level = 0; level < found.places.levels.size(); ++level)
    table.add({fmt::format("within nodes, between {} domains", found.places.levels[level].name),
               report::bytes_text(static_cast<double>(found.order.level_before[level])),
               report::bytes_text(static_cast<double>(found.order.level_after[level])),
               fmt::format("{:.3f}", ratio(static_cast<double>(found.order.level_after[level]),
                                           static_cast<double>(found.order.level_before[level])))});
  add("time to send all, predicted", found.predicted_before.seconds, found.predicted_after.seconds,
      report::seconds_text);
  print_lines(table.text());
  print_formatted(
      "  The time is a prediction, not a measurement: all ranks send at once, {} GB/s leave a node, a rank moves {} "
      "GB/s,\n  a message takes {:.1f} us; {}. Ranks that send in turn, or wait for each other,\n  take longer in "
      "either order and gain less: compare the times of runs in both.\n",
      options.rates.node, options.rates.process, mapping::Machine{}.latency * 1e6,
      found.predicted_after.limit == mapping::Limit::network ? "the network is the limit after"
                                                             : "the rate of a rank is the limit after");
  if (const double run = run_seconds(found.traffic.job); run > 0) {
    const double part = std::max(0.0, found.predicted_before.seconds - found.predicted_after.seconds) / run;
    print_formatted("  The run took {}; by the prediction {} of that would be saved{}.\n", report::seconds_text(run),
                    report::percent_text(part),
                    found.order.moved && part < least_part_of_run ? ", too little to hope for on such a network" : "");
  }
  if (const double bytes = collectives_in_parts(found.traffic.job); bytes > 0)
    print_formatted("  Not part of it: {} of collectives on parts of the job. The MPI library chooses their ways.\n",
                    report::bytes_text(bytes));
  const double apart = static_cast<double>(found.traffic.to_nodes.bytes + found.traffic.foreign.bytes);
  if (apart > 0)
    print_formatted("  Not part of it: {} to peers that the run did not keep apart, {} to other jobs.\n",
                    report::bytes_text(static_cast<double>(found.traffic.to_nodes.bytes)),
                    report::bytes_text(static_cast<double>(found.traffic.foreign.bytes)));
  print_formatted("\nMethods, best first; bytes between nodes and of the busiest node\n");
  std::vector<Table::Column> columns{{"method", report::Align::left}, {"between nodes"}, {"busiest node"}};
  for (const mapping::NodeLevel& level : found.places.above) columns.push_back({"between " + level.name});
  columns.push_back({"", report::Align::left});
  Table methods(columns);
  for (const mapping::OrderEntry& entry : found.order.entries) {
    std::vector<report::Cell> row{entry.method, "-", "-"};
    if (entry.why_not.empty())
      row = {entry.method, report::bytes_text(static_cast<double>(entry.crossing.between_nodes)),
             report::bytes_text(static_cast<double>(entry.crossing.busiest_node))};
    for (const mapping::Crossing& crossing : entry.above)
      row.push_back(report::bytes_text(static_cast<double>(crossing.between_nodes)));
    row.resize(columns.size() - 1, "-");
    row.push_back(entry.why_not);
    methods.add(row);
  }
  print_lines(methods.text());
  if (!found.order.moved) print_formatted("\nNo better order was found: the order given stays.\n");
  if (stays) print_formatted("\nThe order given stays: {}. --always takes the order found.\n", found.reason_to_stay);
}

Json traffic_json(const NodeTraffic& traffic, const mapping::Prediction& predicted) {
  return Json::object({{"bytes_between_nodes", traffic.bytes_between},
                       {"messages_between_nodes", traffic.messages_between},
                       {"bytes_busiest_node", traffic.busiest_node},
                       {"bytes_busiest_pair", traffic.busiest_pair},
                       {"predicted_seconds", predicted.seconds},
                       {"limited_by", name_of(predicted.limit)}});
}

void print_order_json(const OrderOptions& options, const Found& found) {
  Json hosts = Json::array(), methods = Json::array(), levels = Json::array(), above = Json::array();
  for (const Host& host : found.places.hosts)
    hosts.push_back(found.places.named ? Json::object({{"name", host.name}, {"places", host.places}})
                                       : Json::object({{"places", host.places}}));
  for (const mapping::OrderEntry& entry : found.order.entries)
    methods.push_back(entry.why_not.empty() ? Json::object({{"method", entry.method},
                                                            {"bytes_between_nodes", entry.crossing.between_nodes},
                                                            {"bytes_busiest_node", entry.crossing.busiest_node}})
                                            : Json::object({{"method", entry.method}, {"why_not", entry.why_not}}));
  for (std::size_t level = 0; level < found.places.levels.size(); ++level)
    levels.push_back(Json::object({{"level", found.places.levels[level].name},
                                   {"bytes_before", found.order.level_before[level]},
                                   {"bytes_after", found.order.level_after[level]}}));
  for (std::size_t level = 0; level < found.places.above.size(); ++level)
    above.push_back(Json::object({{"level", found.places.above[level].name},
                                  {"bytes_before", found.order.above_before[level].between_nodes},
                                  {"bytes_after", found.order.above_after[level].between_nodes}}));
  const Json all = Json::object({{"source", options.grid.dims.empty() ? options.traffic : options.grid.dims},
                                 {"ranks", found.traffic.job.processes()},
                                 {"bytes", found.before.bytes},
                                 {"messages", found.before.messages},
                                 {"run_seconds", run_seconds(found.traffic.job)},
                                 {"bytes_to_nodes", found.traffic.to_nodes.bytes},
                                 {"bytes_foreign", found.traffic.foreign.bytes},
                                 {"nodes", std::move(hosts)},
                                 {"collectives_in_parts", collectives_in_parts(found.traffic.job)},
                                 {"moved", found.order.moved && found.reason_to_stay.empty()},
                                 {"reason_to_stay", found.reason_to_stay},
                                 {"before", traffic_json(found.before, found.predicted_before)},
                                 {"after", traffic_json(found.after, found.predicted_after)},
                                 {"levels_above", std::move(above)},
                                 {"levels", std::move(levels)},
                                 {"methods", std::move(methods)},
                                 {"place_of_rank", found.place_of_rank()}});
  print_whole(report::json_text_of_rows(all) + "\n");
}

void write_file(const std::string& path, const std::string& text) {
  if (path == "-")
    print_whole(text);
  else
    write_text_file(path, text);
}

void draw_orders(const OrderOptions& options, const Found& found) {
  const auto panel = [&](const char* title, const NodeTraffic& traffic) {
    return report::HeatPanel{
        title,
        {fmt::format("{} between nodes, {} of all bytes", report::bytes_text(traffic.bytes_between),
                     share_of(traffic.bytes_between, traffic.bytes)),
         fmt::format("busiest node {}, busiest pair {}", report::bytes_text(traffic.busiest_node),
                     report::bytes_text(traffic.busiest_pair))},
        traffic.pairs};
  };
  const report::HeatPanel panels[] = {
      panel("order given", found.before),
      panel(found.reason_to_stay.empty() ? "this order" : "order found, not taken", found.after)};
  write_file(options.svg, report::heat_maps(static_cast<std::uint32_t>(found.places.hosts.size()), panels,
                                            order_heading(options, found)));
}

void order_ranks(const OrderOptions& options) {
  const Found found = found_for(options);
  const Launcher* launcher = launcher_for(options, found.places);
  const std::string path =
      launcher == nullptr || !options.output.empty() ? options.output : std::string(launcher->file);
  if (path != "-") {
    if (options.json)
      print_order_json(options, found);
    else
      print_order_text(options, found);
  }
  if (!options.svg.empty()) draw_orders(options, found);
  if (launcher == nullptr) return;
  const OrderedRanks ranks{found.places.hosts, found.place_of_rank(), options.cores};
  write_file(path, launcher->text(ranks));
  if (!options.json && path != "-")
    print_formatted(
        "\nwrote {}, to use as\n  {}\n", path,
        fmt::format(fmt::runtime(launcher->use), ranks.place_of_rank.size(), shell_word(path), ranks.hosts.size()));
}

}  // namespace

int order_command(Arguments arguments) {
  CommandLine line(
      "marshal order",
      "In what order should the ranks stand on the nodes? From what a run sent, or from a grid; writes what "
      "launchers read. No MPI needed.");
  OrderOptions options;
  std::vector<std::string> words;
  for (const Launcher& launcher : launchers()) words.emplace_back(launcher.word);
  line.option("traffic", &options.traffic, "what a run sent, a file NAME.traffic; or --dims", {.type = "FILE"});
  options.grid.add_to(line, {});
  line.option("--hostfile", &options.hostfile, "the nodes: lines as host slots=4, host:4, or a host for each process");
  options.nodes.add_to(line);
  line.option("--given", &options.given, "how the launcher would place the ranks: block or cyclic (default: block)",
              {.among = {"block", "cyclic"}});
  line.option("--inside", &options.inside,
              "the inside of a node as an hwloc synthetic string, as 'package:2 core:24 pu:1'");
  line.option("--for", &options.launcher, "write a file for this launcher", {.among = words});
  line.option("--output", &options.output, "name of that file; -: standard output, and nothing else there");
  line.option("--cores", &options.cores,
              "of a node, for --for openmpi: its processes divide them (default: one core a process)",
              {.positive = true});
  line.option("--effort", &options.effort, "neighbours that annealing may look at, about 4 ns each",
              {.shows_default = true});
  options.rates.add_to(line);
  line.flag("--always", options.always, "take the order found even if the run says that it is not worth it");
  line.flag("--json", options.json, "as JSON");
  line.option("--svg", &options.svg, "draw the bytes between nodes, before and after, into this file");
  if (const auto over = line.parse(arguments)) return *over;
  try {
    order_ranks(options);
  } catch (const std::invalid_argument& error) {
    say_line(marshal::Level::error, error.what());
    return 2;
  }
  return 0;
}

}  // namespace marshal::tools
