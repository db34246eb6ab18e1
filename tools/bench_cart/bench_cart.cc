// `marshal bench cart`: starts measure.c's program under Marshal on emulated nodes with a limited network
// (tools/cluster/run), once for each mapper and host, and shows each mapper's gain beside the predicted one.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/split_text.h"
#include "mapping/contest.h"
#include "mapping/metrics.h"
#include "mapping/problem.h"
#include "report/json.h"
#include "report/table.h"
#include "report/units.h"
#include "tools/bench_cart/emulated_nodes.h"
#include "tools/command_line.h"
#include "tools/commands.h"
#include "tools/mpi_program.h"
#include "tools/option_values.h"

namespace marshal::tools {
namespace {

using report::Json;

struct Wishes {
  std::string grids = "4x8,4x4x2", mappers = mapping::mapper_names(","), mpi;
  std::string bytes = "16384,65536,262144", meshes = "512,1024,2048", rate = "200mbit", way;
  int nodes = 4, per_node = 8, rounds = 5;
  bool json = false;
};

struct Row {
  std::string grid, mapper, what;
  std::int64_t size = 0;
  double given = 0, mapped = 0, within = 0;  // seconds
  double expected_ratio = 0;
  std::int64_t jmax_given = 0, jmax_mapped = 0;
  double ratio() const { return mapped / given; }
};

// The expected time of an exchange in a grid without wrap-around on nodes with a limited network. By the model of
// mapping/prediction.h it is that of the slower of processes and network. The processes' time is measured: the same
// exchange within the nodes.
struct Exchange {
  std::vector<int> dims;
  std::vector<std::int64_t> bytes;  // to each of both neighbours in a dimension
  double within_seconds = 0;        // of the same step within the nodes
  double node_rate = 0;             // bytes a second that leave a node
};
struct Expected {
  double seconds = 0;
  std::int64_t jmax = 0;  // neighbours, not bytes
};

// `nodes`: of each cell, any integers.
Expected expected_time(const Exchange& exchange, const std::vector<std::int32_t>& nodes) {
  const auto ndims = static_cast<int>(exchange.dims.size());
  const mapping::Grid grid = mapping::make_grid(exchange.dims, std::vector<int>(exchange.dims.size(), 0));
  const auto problem = mapping::make_problem(grid, mapping::star_stencil(ndims, exchange.bytes), nodes);
  const auto most_sent = traffic_of(problem.grid, problem.stencil, problem.given, problem.nodes()).jmax;
  return {std::max(exchange.within_seconds, static_cast<double>(most_sent) / exchange.node_rate),
          traffic_of(grid, mapping::star_stencil(ndims), problem.given, problem.nodes()).jmax};
}

// The bytes that the processes of a 2-D grid exchange of a mesh of points x points doubles.
std::vector<std::int64_t> bytes_of_borders(const std::vector<int>& dims, std::int64_t points) {
  constexpr std::int64_t bytes_of_double = 8;
  return {points / dims[1] * bytes_of_double, points / dims[0] * bytes_of_double};
}

std::vector<int> dims_of(std::string_view grid) { return integers(grid, 'x', 1, "--grids"); }

// The rows of one run, with predictions from the same steps within the nodes.
std::vector<Row> read_rows(const std::string& out, const std::string& mapper, double node_rate) {
  std::vector<Row> rows;
  std::vector<std::int32_t> given, mapped;  // nodes of the cells
  for (const Json& value : json_lines(out)) {
    if (const Json* nodes = value.find("nodes")) {
      std::vector<std::int32_t>& order = value["order"].text() == "given" ? given : mapped;
      order.clear();
      for (const Json& node : nodes->elements()) order.push_back(static_cast<std::int32_t>(node.whole().value_or(-1)));
      continue;
    }
    if (value.find("grid") == nullptr) continue;
    const auto seconds = [&](const char* name) { return value[name].number().value_or(0); };
    Row row{.grid = value["grid"].text(),
            .mapper = mapper,
            .what = value["what"].text(),
            .size = value["size"].whole().value_or(0),
            .given = seconds("given"),
            .mapped = seconds("mapped"),
            .within = seconds("within")};
    Exchange exchange{dims_of(row.grid), {}, row.within, node_rate};
    exchange.bytes = row.what == "sweep" ? bytes_of_borders(exchange.dims, row.size)
                                         : std::vector<std::int64_t>(exchange.dims.size(), row.size);
    const Expected before = expected_time(exchange, given), after = expected_time(exchange, mapped);
    row.expected_ratio = after.seconds / before.seconds;
    row.jmax_given = before.jmax;
    row.jmax_mapped = after.jmax;
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string size_text(const Row& row) {
  return row.what == "sweep" ? fmt::format("{0} x {0} points", row.size)
                             : fmt::format("{} a message", report::bytes_text(static_cast<double>(row.size)));
}

void print_text(const std::vector<Row>& rows) {
  report::Table table({{"grid", report::Table::Align::left},
                       {"mapper", report::Table::Align::left},
                       {"what", report::Table::Align::left},
                       {"size"},
                       {"Jmax"},
                       {"given"},
                       {"mapped"},
                       {"measured"},
                       {"predicted"}});
  double sum = 0, worst = 0;
  for (const Row& row : rows) {
    table.add({row.grid, row.mapper, row.what, size_text(row), fmt::format("{} -> {}", row.jmax_given, row.jmax_mapped),
               report::seconds_text(row.given), report::seconds_text(row.mapped), fmt::format("{:.2f}", row.ratio()),
               fmt::format("{:.2f}", row.expected_ratio)});
    const double off = std::abs(std::log(row.ratio() / row.expected_ratio));
    sum += off;
    worst = std::max(worst, off);
  }
  fmt::print("{}", table.text());
  if (rows.empty()) return;
  fmt::print("  measured beside predicted: {:.0f} % apart in the geometric mean, {:.0f} % at most\n\n",
             100 * std::expm1(sum / static_cast<double>(rows.size())), 100 * std::expm1(worst));
}

Json as_json(const std::vector<Row>& rows) {
  Json all = Json::array();
  for (const Row& row : rows)
    all.push_back(Json::object({{"grid", row.grid},
                                {"mapper", row.mapper},
                                {"what", row.what},
                                {"size", row.size},
                                {"jmax_given", row.jmax_given},
                                {"jmax_mapped", row.jmax_mapped},
                                {"given_s", row.given},
                                {"mapped_s", row.mapped},
                                {"within_nodes_s", row.within},
                                {"measured_ratio", row.ratio()},
                                {"predicted_ratio", row.expected_ratio}}));
  return all;
}

// Throws std::invalid_argument.
void check(const Wishes& wishes) {
  const std::int64_t processes = std::int64_t{wishes.nodes} * wishes.per_node;
  for (const std::string_view grid : split(wishes.grids, ',')) {
    std::int64_t cells = 1;
    for (const int dim : dims_of(grid)) {
      cells *= dim;
      if (cells > processes) break;
    }
    if (cells != processes)
      throw std::invalid_argument(
          fmt::format("--grids: {} does not have {} cells, one for each process of {} nodes of {}", grid, processes,
                      wishes.nodes, wishes.per_node));
  }
  for (const std::string_view mapper : split(wishes.mappers, ',')) mapping::parse_mapper(mapper);
  integers(wishes.bytes, ',', 1, "--bytes");
  integers(wishes.meshes, ',', 1, "--meshes");
  if (wishes.rate != "none" && !rate_of(wishes.rate))
    throw std::invalid_argument(fmt::format("--rate {}: none, or a number and kbit, mbit or gbit", wishes.rate));
}

// False, with a line on stderr, when a run failed.
bool measure(const Wishes& wishes, const EmulatedNodes& nodes, const ConfiguredHost& host, std::vector<Row>& rows) {
  const auto installed = installed_benchmark("bench cart", "marshal-bench-cart", host.family);
  if (!installed) return false;
  for (const std::string_view word : split(wishes.mappers, ',')) {
    const std::string mapper(word);
    // The datatypes of a sweep are the host's: only the order of the processes differs.
    const CommandOutput output = run_to_end(
        nodes.command(host, installed->library,
                      {"MARSHAL_CART=" + mapper, "MARSHAL_CART_MOVE=ranks", "MARSHAL_CART_WEIGHTS=equal",
                       "MARSHAL_PROFILE=off", "MARSHAL_PACK=host", "MARSHAL_REPORT=none"},
                      {installed->program, wishes.grids, wishes.bytes, wishes.meshes, std::to_string(wishes.rounds)}),
        Streams::captured);
    if (output.status != 0) {
      say(Level::error, "bench cart: {} with {} ended with status {}", installed->program, mapper, output.status);
      return false;
    }
    for (Row& row : read_rows(output.out, mapper, nodes.bytes_per_second())) rows.push_back(std::move(row));
  }
  return true;
}

}  // namespace

int bench_cart(Arguments arguments) {
  CommandLine line("marshal bench cart",
                   "Measures what the order of the processes gains: halo exchanges and a 5-point stencil sweep on "
                   "emulated nodes, each with "
                   "a limited network, in the given order and in each mapper's.");
  Wishes wishes;
  const auto number = [](double least, double most) {
    return OptionRules{.least = least, .most = most, .shows_default = true};
  };
  line.option("--grids", &wishes.grids, "grids of nodes x ppn cells, the sweep runs on those of two dimensions",
              {.shows_default = true});
  line.option("--mappers", &wishes.mappers, "which mappers", {.shows_default = true});
  line.option("--nodes", &wishes.nodes, "emulated nodes", number(1, 64));
  line.option("--ppn", &wishes.per_node, "processes a node", number(1, 256));
  line.option("--bytes", &wishes.bytes, "bytes of a message in a halo exchange", {.shows_default = true});
  line.option("--meshes", &wishes.meshes, "points along one side of a sweep's mesh", {.shows_default = true});
  line.option("--rate", &wishes.rate, "the rate of a node's network each way, as 200mbit; none: no limit",
              {.shows_default = true});
  line.option("--rounds", &wishes.rounds, "repetitions, of which the median counts", number(1, 1000));
  line.option("--mpi", &wishes.mpi, "openmpi or mpich (default: every one Marshal was built for)",
              {.among = {"openmpi", "mpich"}});
  line.option("--way", &wishes.way, "how nodes are emulated (default: namespaces where they are allowed)",
              {.among = {"namespaces", "launcher"}});
  line.flag("--json", wishes.json, "print JSON");
  if (const auto over = line.parse(arguments)) return *over;
  try {
    check(wishes);
  } catch (const std::invalid_argument& error) {
    say(Level::error, "bench cart: {}", error.what());
    return 2;
  }
  Json measured = Json::array();
  const std::vector<ConfiguredHost> hosts = hosts_named("bench cart", wishes.mpi);
  for (const ConfiguredHost& host : hosts) {
    EmulatedNodes nodes(wishes.nodes, wishes.per_node, wishes.rate, wishes.way);
    if (!nodes.installed()) {
      say(Level::error, "bench cart: cluster/run, which emulates nodes, is not installed");
      return 1;
    }
    nodes.try_limit(host);
    if (!wishes.json)
      fmt::print("{}, {} nodes of {} processes, {}; ratios are of the time in the given order\n",
                 family_name(host.family), wishes.nodes, wishes.per_node, nodes.network());
    std::fflush(stdout);
    std::vector<Row> rows;
    if (!measure(wishes, nodes, host, rows)) return 1;
    if (wishes.json)
      measured.push_back(Json::object(
          {{"mpi", family_name(host.family)}, {"limited", nodes.limited()}, {"measurements", as_json(rows)}}));
    else
      print_text(rows);
  }
  if (wishes.json) {
    const Json all = Json::object(
        {{"nodes", wishes.nodes}, {"ppn", wishes.per_node}, {"rate", wishes.rate}, {"hosts", std::move(measured)}});
    fmt::print("{}\n", report::json_text(all, 2));
  }
  return hosts.empty() ? 2 : 0;
}

}  // namespace marshal::tools
