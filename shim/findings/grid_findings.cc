// The findings on the grids of the run.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "findings/findings.h"
#include "record/units.h"

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

std::string grid_text(const GridRow& row) {
  return dims_text(*row.first) + (row.first->dims.empty() ? "" : " grid") + at(row.second->symbol, row.first->site);
}
bool has_metrics(const Grid& grid) { return grid.before.on_node.samples != 0 || grid.before.off_node.samples != 0; }

// "of the 48 messages of an exchange with all neighbours, 24 go to another node".
std::string messages_text(const GridMetrics& metrics) {
  return fmt::format("of the {} messages of an exchange with all neighbours, {} go to another node",
                     count_text(metrics.off_node.sum + metrics.on_node.sum), count_text(metrics.off_node.sum));
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

// Where the weights of the grid come from, for the evidence.
std::string weights_text(const GridRow& row) {
  const Grid& grid = *row.second;
  if (grid.weights == "learned")
    return fmt::format(
        " The weights are in proportion to the bytes that an earlier run sent ({}). So Jsum is not in bytes.",
        grid.learned_from);
  if (row.first->dims.size() >= 2 && (grid.weights == "equal" || grid.weights == "unknown"))
    return " All faces were taken as equally large.";
  return {};
}
// How the user may tell the weights, for the action.
std::string weights_hint(const GridRow& row, const Record& record) {
  const Grid& grid = *row.second;
  if (row.first->dims.size() < 2) return {};
  if (grid.weights == "unknown" && teaches(row, record))
    return " What goes along each dimension was learned for the next run.";
  if (grid.weights == "equal" || grid.weights == "unknown")
    return fmt::format(" MARSHAL_CART_WEIGHTS={} gives the bytes of a face of each dimension.", example_weights(row));
  return {};
}

// The assumption of a prediction.
std::string assumption(const Grid& grid) {
  if (grid.weights == "learned") return "for the bytes that an earlier run measured";
  if (grid.weights == "equal" || grid.weights == "unknown") return "assuming equal faces";
  return grid.weights == "given" ? "for the offsets given by MARSHAL_CART_STENCIL"
                                 : "for the faces given by MARSHAL_CART_WEIGHTS";
}

// True if it is known what the grid's processes really sent between nodes.
bool is_measured(const Grid& grid) { return grid.traffic.messages != 0 && grid.traffic.between_nodes != PlacedBytes{}; }
std::string measured_text(const Grid& grid) {
  return is_measured(grid) ? " " + between_nodes_text(grid.traffic.between_nodes, grid.traffic.leaving) : "";
}

// The sentences on the levels above the nodes.
std::string above_text(const Grid& grid) {
  std::string text;
  for (const auto& [level, weights] : grid.above)
    text +=
        fmt::format(" Weighted, between {}: {} -> {}.", level, number_text(weights.before), number_text(weights.after));
  return text;
}

// Only where nothing was measured.
std::string prediction(const Grid& grid) {
  const double before = grid.before.predicted_exchange_s, after = grid.after.predicted_exchange_s;
  if (before <= 0 || is_measured(grid)) return {};
  const std::string assumed = assumption(grid);
  if (before - after < 0.005 * before)
    return fmt::format(" Predicted, {}, not measured: an exchange with all neighbours takes as long as before.",
                       assumed);
  return fmt::format(" Predicted, {}, not measured: an exchange with all neighbours takes {} less time.", assumed,
                     percent_text((before - after) / before));
}

double relative_gain(const Grid& grid) {
  double gain = grid.before.jsum > 0 ? (grid.before.jsum - grid.after.jsum) / grid.before.jsum : 0;
  for (const auto& [level, weights] : grid.above)
    if (weights.before > 0) gain = std::max(gain, (weights.before - weights.after) / weights.before);
  return gain;
}

std::string moved_text(const Grid& grid) {
  if (is_measured(grid)) return in_place_of_given(grid.traffic);
  return fmt::format("{} messages of an exchange between nodes in place of {} (predicted)",
                     count_text(grid.after.off_node.sum), count_text(grid.before.off_node.sum));
}

// The action where more was sent because of moving.
std::string undoing(const GridRow& row, const Record& record) {
  if (!teaches(row, record)) return "MARSHAL_CART=off keeps the order given.";
  return row.second->weights == "learned" ? "Run it again: the next run keeps the order given."
                                          : "Run it again: the next run is placed by what was measured.";
}

Finding finding_of_moved(const GridRow& row, const Record& record) {
  const Grid& grid = *row.second;
  const PlacedBytes& bytes = grid.traffic.between_nodes;
  const bool sent_more = bytes.in_force > bytes.given;
  Finding finding{sent_more ? Verdict::act : Verdict::gained, "grids", "", "", ""};
  finding.what = fmt::format("{} of {} ranks of the {} moved; {}.", count_text(grid.moved_ranks),
                             count_text(grid.processes), grid_text(row), moved_text(grid));
  finding.evidence = fmt::format(
      "In the order given, {}; in the order in force, {}. Weighted (Jsum): {} -> {}. The busiest node (Jmax): {} -> "
      "{}.",
      messages_text(grid.before), count_text(grid.after.off_node.sum), number_text(grid.before.jsum),
      number_text(grid.after.jsum), number_text(grid.before.jmax), number_text(grid.after.jmax));
  finding.evidence += weights_text(row) + measured_text(grid) + above_text(grid) + prediction(grid);
  if (sent_more) {
    finding.action = undoing(row, record);
    return finding;
  }
  if (grid.lower_bound > 0 && grid.after.jsum <= grid.lower_bound)
    finding.action = "Nothing is left to gain by these weights: no order of the processes has a smaller Jsum.";
  else if (grid.lower_bound > 0)
    finding.action = fmt::format("No order can have a Jsum of less than {}.", number_text(grid.lower_bound));
  else
    finding.action = "`marshal map --effort` shows what a longer search finds.";
  finding.action += weights_hint(row, record);
  return finding;
}

Finding grid_to_move(const GridRow& row, const Record& record) {
  const Grid& grid = *row.second;
  return {Verdict::act, "grids", fmt::format("Another order would suit the {} better (predicted).", grid_text(row)),
          fmt::format("In the order given, {}; in another order, {}.", messages_text(grid.before),
                      count_text(grid.after.off_node.sum)) +
              weights_text(row) + weights_hint(row, record) + measured_text(grid) + above_text(grid) + prediction(grid),
          "MARSHAL_CART=best moves the processes."};
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
  finding.evidence =
      fmt::format(
          "In the order given, {} (Jsum {}). For equal faces another order has a Jsum of {}. For others it could send "
          "more between nodes. MARSHAL_CART_WEIGHTS={}, the bytes of a face of each dimension, moves the processes at "
          "once, and so does MARSHAL_CART_WEIGHTS=equal.",
          messages_text(grid.before), number_text(grid.before.jsum), number_text(least_jsum(grid)),
          example_weights(row)) +
      measured_text(grid);
  finding.action = teaches(row, record) ? "Run it again: that was learned, and the next run is placed by it."
                                        : "A run with MARSHAL_PROFILE and MARSHAL_TRAFFIC=auto learns it.";
  return finding;
}

constexpr std::string_view switched_off = "MARSHAL_CART=off", not_allowed = "the program did not allow reordering",
                           nodes_not_known = "the nodes of the processes are not known";

// By MARSHAL_CART, or by MARSHAL_MODE=observe.
bool is_switched_off(const Grid& grid) {
  return grid.reason.starts_with(switched_off) || grid.reason.starts_with("MARSHAL_MODE=");
}

Finding grid_not_looked_at(const GridRow& row) {
  const Grid& grid = *row.second;
  const bool off = is_switched_off(grid);
  Finding finding{Verdict::act, "grids", "", "", ""};
  finding.what = off ? fmt::format("{} leaves the {} in the order given.", grid.reason, grid_text(row))
                     : fmt::format("The program does not let MPI reorder the {}.", grid_text(row));
  finding.evidence = fmt::format("In the order given, {}.", messages_text(grid.before));
  finding.action = off ? "MARSHAL_CART=report (marshal run --cart=report) tells what another order would gain."
                       : "MARSHAL_CART=report tells if any order is better; reorder = 1 or `marshal launch` "
                         "brings it.";
  return finding;
}

// Nobody looked for another order, though the program and the settings allow one.
bool keeps_ranks(const GridRow& row) {
  const std::string& reason = row.second->reason;
  return row.first->mapper == "off" && !reason.empty() && !is_switched_off(*row.second) && reason != not_allowed;
}

Finding grid_that_keeps_ranks(const GridRow& row) {
  const Grid& grid = *row.second;
  return {Verdict::act, "grids", fmt::format("The {} keeps its ranks.", grid_text(row)),
          fmt::format("The reason: {}. In the order given, {}.", grid.reason, messages_text(grid.before)),
          grid.reason.find("marshal launch") != std::string::npos
              ? "`marshal launch` places the processes before the start: they keep their ranks."
              : fmt::format("Unless the program {}, MARSHAL_CART_MOVE=ranks moves them.",
                            grid.reason.find(" GPU") == std::string::npos ? "mixes up ranks of two communicators"
                                                                          : "chooses its GPU by its rank")};
}

std::string why_grids_stay(const std::vector<GridRow>& rows, const Record& record) {
  if (record.job.nodes == 1) return "Nothing to gain: all processes are on one node.";
  if (no_order_saves(record))
    return "Nothing to gain is known: no order of the ranks that was tried sends clearly less between nodes.";
  if (std::none_of(rows.begin(), rows.end(), [](const GridRow& row) { return has_metrics(*row.second); })) {
    const Grid& grid = *rows.front().second;
    if (is_switched_off(grid))
      return fmt::format("What another order would gain is not known: {} asks the MPI library nothing.", grid.reason);
    if (grid.reason.empty() || grid.reason == nodes_not_known)
      return "Nothing to gain is known: Marshal does not know on which nodes the processes are.";
    return fmt::format("Nothing moved: {}.", grid.reason);
  }
  for (const auto& [key, grid] : rows)
    if (!grid->reason.empty()) return fmt::format("Nothing to gain is known: {}.", grid->reason);
  return "Nothing to gain is known: no better order of the processes was found.";
}

}  // namespace

std::string in_place_of_given(const GridTraffic& traffic) {
  const auto changed = [](const PlacedBytes& bytes, const std::string& level) {
    return fmt::format("{} between {} in place of {}", bytes_text(bytes.in_force), level, bytes_text(bytes.given));
  };
  std::string text = changed(traffic.between_nodes, "nodes");
  for (const auto& [level, bytes] : traffic.above) text += " and " + changed(bytes, level);
  return text + " (measured)";
}

bool is_placed_by_next_run(const GridKey& key, const Grid& grid, const Record& record) {
  const GridRow row{&key, &grid};
  return waits_for_weights(row) && teaches(row, record);
}

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
    else if (off_node && no_order_saves(record) && row.first->mapper == "off")
      staying.push_back(row);
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
    all[i].finding.most_seconds = most_gain_of_an_order(record).value_or(-1);
  if (rows.empty()) {
    const std::uint64_t graphs =
        calls_of(record, {"MPI_Graph_create", "MPI_Dist_graph_create", "MPI_Dist_graph_create_adjacent"});
    all.push_back({{Verdict::nothing, "grids", "The program makes no Cartesian grid, so no process was moved.",
                    fmt::format("Calls of MPI_Cart_create: {}; of the constructors of graph topologies: {}.",
                                count_text(calls_of(record, {"MPI_Cart_create"})), count_text(graphs)),
                    record.job.nodes == 1 ? "Nothing to gain: all processes are on one node."
                                          : "Nothing to gain: Marshal moves processes where a program makes a grid or "
                                            "a graph topology, and lets MPI "
                                            "reorder it."},
                   0});
  } else if (!staying.empty() && all.size() == before) {
    const Grid& grid = *staying.front().second;
    std::string evidence = has_metrics(grid)
                               ? fmt::format("In the {}, {}.", grid_text(staying.front()), messages_text(grid.before))
                               : fmt::format("The {}.", grid_text(staying.front()));
    evidence += measured_text(grid);
    std::string why = why_grids_stay(staying, record);
    if (grid.weights == "learned") evidence += weights_text(staying.front());
    all.push_back({{Verdict::nothing, "grids", "The grids keep the order of processes that was given.",
                    std::move(evidence), std::move(why)},
                   0});
  }
}

}  // namespace marshal::report
