// The findings on the grids of the run.
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "report/units.h"
#include "report/weighed_findings.h"

namespace marshal::report {
namespace {

using Verdict = Finding::Verdict;

std::uint64_t calls_of(const Record& record, std::initializer_list<const char*> names) {
  std::uint64_t calls = 0;
  for (const char* name : names)
    if (const CallCount* row = record.calls.find(name)) calls += row->calls;
  return calls;
}

using GridRow = std::pair<const GridKey*, const Grid*>;

std::string dims_text(const GridKey& key) {
  return key.dims.empty() ? "graph" : fmt::format("{} grid", fmt::join(key.dims, "x"));
}
std::string grid_text(const GridRow& row) {
  return fmt::format("{}{}", dims_text(*row.first), at(row.second->symbol, row.first->site));
}
bool has_metrics(const Grid& grid) { return grid.before.on_node.samples != 0 || grid.before.off_node.samples != 0; }

// "of the 48 messages of an exchange with all neighbours, 24 go to another node (Jsum 24)".
std::string messages_text(const GridMetrics& metrics) {
  return fmt::format("of the {} messages of an exchange with all neighbours, {} go to another node (Jsum {})",
                     count_text(metrics.off_node.sum + metrics.on_node.sum), count_text(metrics.off_node.sum),
                     number_text(metrics.jsum));
}
// "1,8" for two dimensions.
std::string example_weights(const GridRow& row) {
  std::string example = "1";
  for (std::size_t d = 1; d < row.first->dims.size(); ++d) example += fmt::format(",{}", 1 << (3 * d));
  return example;
}

// True if the next run of the program will know what the grid's processes send.
bool teaches(const GridRow& row, const Record& record) {
  return !record.traffic.profile.empty() && row.second->traffic.bytes != 0;
}

// Where the weights of the grid come from.
std::string weights_hint(const GridRow& row, const Record& record) {
  const Grid& grid = *row.second;
  if (grid.weights == "learned")
    return fmt::format(" The weights are bytes, learned from an earlier run ({}).", grid.learned_from);
  if (row.first->dims.size() < 2) return {};
  if (grid.weights == "unknown" && teaches(row, record))
    return " The weights were not known: this order is no worse than the one given for any. What really goes along "
           "each dimension was learned for the next run.";
  if (grid.weights == "equal" || grid.weights == "unknown")
    return fmt::format(
        " All faces were taken as equally large; if they are not, give the bytes of a face of each dimension, as in "
        "MARSHAL_CART_WEIGHTS={}.",
        example_weights(row));
  return {};
}

// The assumption of a prediction.
std::string assumption(const Grid& grid) {
  if (grid.weights == "learned") return "for the bytes that an earlier run measured";
  if (grid.weights == "equal" || grid.weights == "unknown") return "assuming equal faces";
  return grid.weights == "given" ? "for the offsets given by MARSHAL_CART_STENCIL"
                                 : "for the faces given by MARSHAL_CART_WEIGHTS";
}

// The bytes that the grid's processes really sent to each other; empty where nothing was counted.
std::string measured_text(const Grid& grid) {
  const GridTraffic& traffic = grid.traffic;
  if (traffic.messages == 0 || traffic.between_nodes == PlacedBytes{}) return {};
  return " " + between_nodes_text(traffic.between_nodes, traffic.leaving);
}

std::string prediction(const Grid& grid) {
  const double before = grid.before.predicted_exchange_s, after = grid.after.predicted_exchange_s;
  if (before <= 0) return {};
  const std::string assumed = assumption(grid);
  if (before - after < 0.005 * before)
    return fmt::format(" Predicted, {}, not measured: an exchange with all neighbours takes as long as before.",
                       assumed);
  return fmt::format(" Predicted, {}, not measured: an exchange with all neighbours takes {} less time.", assumed,
                     percent_text((before - after) / before));
}

double relative_gain(const Grid& grid) {
  return grid.before.jsum > 0 ? (grid.before.jsum - grid.after.jsum) / grid.before.jsum : 0;
}

Finding finding_of_moved(const GridRow& row, const Record& record) {
  const Grid& grid = *row.second;
  const PlacedBytes& bytes = grid.traffic.between_nodes;
  Finding finding{bytes.in_force > bytes.given ? Verdict::act : Verdict::gained, "grids", "", "", ""};
  finding.what = fmt::format("{} of {} processes of the {} were moved{}.", count_text(grid.moved_ranks),
                             count_text(grid.processes), grid_text(row),
                             bytes.in_force > bytes.given ? ", and more bytes left their nodes than in the order given"
                                                          : ", so that neighbours share a node more often");
  finding.evidence =
      fmt::format("In the order given, {}; in the order in force, {} (Jsum {}). The busiest node (Jmax): {} -> {}.",
                  messages_text(grid.before), count_text(grid.after.off_node.sum), number_text(grid.after.jsum),
                  number_text(grid.before.jmax), number_text(grid.after.jmax)) +
      measured_text(grid) + prediction(grid);
  if (grid.lower_bound > 0 && grid.after.jsum <= grid.lower_bound)
    finding.action = "Nothing is left to gain in this grid: no order of the processes has fewer such messages.";
  else if (grid.lower_bound > 0)
    finding.action = fmt::format("No order can have fewer than {}.", number_text(grid.lower_bound));
  else
    finding.action = "A larger MARSHAL_CART_EFFORT searches longer for a better order.";
  finding.action += weights_hint(row, record);
  return finding;
}

Finding grid_to_move(const GridRow& row, const Record& record) {
  const Grid& grid = *row.second;
  return {Verdict::act, "grids",
          fmt::format("Another order of the processes would place the {} better.", grid_text(row)),
          fmt::format("In the order given, {}; in another order, {}.", messages_text(grid.before),
                      count_text(grid.after.off_node.sum)) +
              prediction(grid),
          "MARSHAL_CART=best (marshal run --cart=best) moves the processes." + weights_hint(row, record)};
}

// The least Jsum that any mapper reached.
double least_jsum(const Grid& grid) {
  double least = grid.before.jsum;
  for (const auto& [mapper, jsum] : grid.jsum_by_mapper) least = std::min(least, static_cast<double>(jsum));
  return least;
}
bool waits_for_weights(const GridRow& row) {
  return !row.first->moved && row.second->weights == "unknown" && least_jsum(*row.second) < row.second->before.jsum;
}

Finding grid_that_waits(const GridRow& row, const Record& record) {
  const Grid& grid = *row.second;
  Finding finding{Verdict::act, "grids", "", "", ""};
  finding.what =
      fmt::format("The {} keeps the order given: what goes along each dimension was not known.", grid_text(row));
  finding.evidence = fmt::format(
                         "In the order given, {}; for equal faces another order has a Jsum of {}, but for others "
                         "it could send more between nodes.",
                         messages_text(grid.before), number_text(least_jsum(grid))) +
                     measured_text(grid);
  finding.action = teaches(row, record)
                       ? "Run it again: what goes along each dimension was learned, and the next run is placed by it."
                       : "A run with MARSHAL_PROFILE and MARSHAL_TRAFFIC=auto learns it for the next one.";
  finding.action += fmt::format(
      " To move the processes at once, give the bytes of a face of each dimension, as in MARSHAL_CART_WEIGHTS={}, or "
      "MARSHAL_CART_WEIGHTS=equal.",
      example_weights(row));
  return finding;
}

constexpr std::string_view switched_off = "MARSHAL_CART=off", not_allowed = "the program did not allow reordering";

// By MARSHAL_CART, or by MARSHAL_MODE=observe.
bool is_switched_off(const Grid& grid) {
  return grid.reason == switched_off || grid.reason.starts_with("MARSHAL_MODE=");
}

Finding grid_not_looked_at(const GridRow& row) {
  const Grid& grid = *row.second;
  const bool off = is_switched_off(grid);
  Finding finding{Verdict::act, "grids", "", "", ""};
  finding.what = off ? fmt::format("{} leaves the {} in the order given.", grid.reason, grid_text(row))
                     : fmt::format("The program does not let MPI reorder the {}.", grid_text(row));
  finding.evidence = fmt::format("In the order given, {}.", messages_text(grid.before));
  finding.action =
      off ? "MARSHAL_CART=report (marshal run --cart=report) tells what another order would gain, and moves nobody."
          : "MARSHAL_CART=report (marshal run --cart=report) tells what another order would gain, and moves nobody. "
            "Then pass reorder = 1 in that call; or set MARSHAL_CART_FORCE=on, where ranks stay and coordinates move.";
  return finding;
}

// Nobody looked for another order, though the program and the settings allow one.
bool keeps_ranks(const GridRow& row) {
  const std::string& reason = row.second->reason;
  return row.first->mapper == "off" && !reason.empty() && !is_switched_off(*row.second) && reason != not_allowed;
}

Finding grid_that_keeps_ranks(const GridRow& row) {
  const Grid& grid = *row.second;
  return {Verdict::act, "grids", fmt::format("The {} keeps its ranks: {}.", grid_text(row), grid.reason),
          fmt::format("In the order given, {}.", messages_text(grid.before)),
          fmt::format("If the program does not {}, MARSHAL_CART_MOVE=ranks moves them.",
                      grid.reason.find(" GPU") == std::string::npos ? "mix up ranks of two communicators"
                                                                    : "choose its GPU by its rank")};
}

std::string why_grids_stay(const std::vector<GridRow>& rows, const Record& record) {
  if (record.job.nodes == 1) return "Nothing to gain: all processes are on one node.";
  if (std::none_of(rows.begin(), rows.end(), [](const GridRow& row) { return has_metrics(*row.second); }) &&
      is_switched_off(*rows.front().second))
    return fmt::format("What another order would gain is not known: {} asks the MPI library nothing.",
                       rows.front().second->reason);
  if (std::none_of(rows.begin(), rows.end(), [](const GridRow& row) { return has_metrics(*row.second); }))
    return "Nothing to gain: Marshal does not know on which nodes the processes are.";
  for (const auto& [key, grid] : rows)
    if (!grid->reason.empty()) return fmt::format("Nothing to gain: {}.", grid->reason);
  return "Nothing to gain: no better order of the processes was found.";
}

}  // namespace

void add_grid_findings(const Record& record, std::vector<Weighed>& all) {
  const std::vector<GridRow> rows =
      record.grids.heaviest_first([](const Grid& g) { return real(g.made) * g.before.jsum; });
  const std::size_t before = all.size();
  std::vector<GridRow> staying;
  for (const GridRow& row : rows) {
    const Grid& grid = *row.second;
    const bool off_node = grid.before.off_node.sum > 0;
    const double gain = relative_gain(grid);
    const double part =
        off_node ? real(grid.before.off_node.sum) / real(grid.before.off_node.sum + grid.before.on_node.sum) : 0;
    if (row.first->moved)
      all.push_back({finding_of_moved(row, record), part * gain});
    else if (off_node && gain > 0)
      all.push_back({grid_to_move(row, record), part * gain});
    else if (off_node && keeps_ranks(row))
      all.push_back({grid_that_keeps_ranks(row), part * 0.1});
    else if (off_node && waits_for_weights(row))
      all.push_back({grid_that_waits(row, record), part * (1 - least_jsum(grid) / grid.before.jsum)});
    else if (off_node && row.first->mapper == "off")
      all.push_back({grid_not_looked_at(row), part * 0.1});
    else
      staying.push_back(row);
  }
  for (std::size_t i = before; i < all.size(); ++i)
    all[i].finding.most_seconds = seconds_in_messages(record).value_or(-1);
  if (rows.empty()) {
    const std::uint64_t graphs =
        calls_of(record, {"MPI_Graph_create", "MPI_Dist_graph_create", "MPI_Dist_graph_create_adjacent"});
    all.push_back(
        {{Verdict::nothing, "grids", "The program makes no Cartesian grid, so no process was moved.",
          fmt::format("Calls of MPI_Cart_create: {}; of the constructors of graph topologies: {}.",
                      count_text(calls_of(record, {"MPI_Cart_create"})), count_text(graphs)),
          record.job.nodes == 1
              ? "Nothing to gain: all processes are on one node."
              : "Nothing to gain: Marshal moves processes where a program makes a grid or "
                "a graph topology and lets MPI reorder it; `marshal order` places the ranks of any other program."},
         0});
  } else if (!staying.empty() && all.size() == before) {
    const Grid& grid = *staying.front().second;
    std::string evidence = has_metrics(grid)
                               ? fmt::format("In the {}, {}.", grid_text(staying.front()), messages_text(grid.before))
                               : fmt::format("The {}.", grid_text(staying.front()));
    evidence += measured_text(grid);
    std::string why = why_grids_stay(staying, record);
    if (grid.weights == "learned") why += weights_hint(staying.front(), record);
    all.push_back({{Verdict::nothing, "grids", "The grids keep the order of processes that was given.",
                    std::move(evidence), std::move(why)},
                   0});
  }
}

}  // namespace marshal::report
