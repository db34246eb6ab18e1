#include "report/findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "report/ranked_rows.h"
#include "report/units.h"

namespace marshal::report {
namespace {

using Verdict = Finding::Verdict;

struct Weighed {
  Finding finding;
  double weight = 0;  // the part of the run that it is about, 0 to 1
};

std::string at(const std::string& symbol, const CallSite& site) {
  const std::string place = symbol.empty() ? place_text(site) : symbol;
  return place.empty() ? "" : fmt::format(" ({})", place);
}
std::string seconds(double ns) { return seconds_text(ns / 1e9); }
double real(std::uint64_t n) { return static_cast<double>(n); }

// Of all processes together; 0: not measured.
double wall_ns(const Record& record) { return real(record.own.wall_ns.sum); }
double part_of_run(double ns, const Record& record) {
  return wall_ns(record) > 0 ? std::min(1.0, ns / wall_ns(record)) : 0;
}
std::string of_the_run(double ns, const Record& record) {
  return wall_ns(record) > 0 ? fmt::format(", {} of the run", percent_text(part_of_run(ns, record))) : "";
}

std::uint64_t calls_of(const Record& record, std::initializer_list<const char*> names) {
  std::uint64_t calls = 0;
  for (const char* name : names)
    if (const CallCount* row = record.calls.find(name)) calls += row->calls;
  return calls;
}

// ---- the report itself

void missing_ranks(const Record& record, std::vector<Weighed>& all) {
  const std::uint64_t recorded = record.ranks.count();
  if (recorded >= record.job.ranks && record.partial.empty()) return;
  Finding finding{Verdict::act, "report", "", "", ""};
  finding.what = recorded < record.job.ranks
                     ? fmt::format("This report knows {} of {} ranks only.", recorded, record.job.ranks)
                     : "Some ranks ended without MPI_Finalize.";
  if (recorded < record.job.ranks)
    finding.evidence = fmt::format("Missing: {}. ", record.ranks.missing(record.job.ranks).text());
  if (!record.partial.empty())
    finding.evidence += fmt::format("Ended without MPI_Finalize: {}.", record.partial.text());
  finding.action =
      "Every rank that ends by itself leaves a file; `marshal report FILE...` merges them. A killed rank leaves none.";
  all.push_back({std::move(finding), 1});
}

// ---- messages

// "Measured: 5.24 MiB between nodes, 1.31 MiB from the busiest; in the order given 0.94 MiB, 0.24 MiB."
std::string between_nodes_text(const PlacedBytes& between, const BytesOfNodes& leaving) {
  const PlacedBytes most = busiest(leaving);
  std::string text = fmt::format("Measured: {} between nodes, {} from the busiest", bytes_text(real(between.in_force)),
                                 bytes_text(real(most.in_force)));
  if (between.in_force != between.given || most.in_force != most.given)
    text += fmt::format("; in the order given {}, {}", bytes_text(real(between.given)), bytes_text(real(most.given)));
  return text + ".";
}

double share(std::uint64_t part, std::uint64_t whole) { return whole == 0 ? 0 : real(part) / real(whole); }

void of_traffic(const Record& record, std::vector<Weighed>& all) {
  const Traffic& traffic = record.traffic;
  if (traffic.processes == 0 || traffic.messages == 0 || record.job.nodes <= 1) return;
  const PlacedBytes& between = traffic.between_nodes;
  const double part = share(between.in_force, traffic.bytes), part_given = share(between.given, traffic.bytes);
  Finding finding{Verdict::nothing, "traffic", "", "", ""};
  finding.what = fmt::format("Messages: {} in {}; {} of the bytes left their node.", bytes_text(real(traffic.bytes)),
                             count_text(traffic.messages), percent_text(part));
  finding.evidence = between_nodes_text(between, traffic.leaving);
  const std::string order =
      traffic.file.empty()
          ? "MARSHAL_TRAFFIC=on writes what marshal order needs to work out another order of the ranks."
          : fmt::format("`marshal order {}` works out another order of the ranks.", traffic.file);
  if (between.in_force < between.given) {
    finding.verdict = Verdict::gained;
    finding.action = order;
  } else if (between.in_force > 0) {
    finding.verdict = Verdict::act;
    finding.action = order;
  } else {
    finding.action = "Nothing to gain: no message left its node.";
  }
  all.push_back({std::move(finding), std::max(part, part_given)});
}

// ---- grids

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
// "1 call", "2 calls".
std::string counted(std::uint64_t count, const std::string& thing) {
  return fmt::format("{} {}{}", count_text(count), thing, count == 1 ? "" : "s");
}

// "1,8" for two dimensions.
std::string example_weights(const GridRow& row) {
  std::string example = "1";
  for (std::size_t d = 1; d < row.first->dims.size(); ++d) example += fmt::format(",{}", 1 << (3 * d));
  return example;
}

// Whether this run teaches the next one what the grid's processes send.
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

// What a prediction takes for granted.
std::string assumption(const Grid& grid) {
  if (grid.weights == "learned") return "for the bytes that an earlier run measured";
  if (grid.weights == "equal" || grid.weights == "unknown") return "assuming equal faces";
  return grid.weights == "given" ? "for the offsets given by MARSHAL_CART_STENCIL"
                                 : "for the faces given by MARSHAL_CART_WEIGHTS";
}

// What the grid's processes really sent to each other; empty where nothing was counted.
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

Finding moved_grid(const GridRow& row, const Record& record) {
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

Finding grid_not_looked_at(const GridRow& row) {
  const Grid& grid = *row.second;
  const bool off = grid.reason == "MARSHAL_CART=off";
  Finding finding{Verdict::act, "grids", "", "", ""};
  finding.what = off ? fmt::format("MARSHAL_CART=off leaves the {} in the order given.", grid_text(row))
                     : fmt::format("The program does not let MPI reorder the {}.", grid_text(row));
  finding.evidence = fmt::format("In the order given, {}.", messages_text(grid.before));
  finding.action =
      off ? "MARSHAL_CART=report (marshal run --cart=report) tells what another order would gain, and moves nobody."
          : "MARSHAL_CART=report (marshal run --cart=report) tells what another order would gain, and moves nobody. "
            "Then pass reorder = 1 in that call; or set MARSHAL_CART_FORCE=on, where ranks stay and coordinates move.";
  return finding;
}

std::string why_grids_stay(const std::vector<GridRow>& rows, const Record& record) {
  if (record.job.nodes == 1) return "Nothing to gain: all processes are on one node.";
  if (std::none_of(rows.begin(), rows.end(), [](const GridRow& row) { return has_metrics(*row.second); }))
    return "Nothing to gain: Marshal does not know on which nodes the processes are.";
  for (const auto& [key, grid] : rows)
    if (!grid->reason.empty()) return fmt::format("Nothing to gain: {}.", grid->reason);
  return "Nothing to gain: no better order of the processes was found.";
}

void of_grids(const Record& record, std::vector<Weighed>& all) {
  const std::vector<GridRow> rows =
      heaviest_first(record.grids, [](const Grid& g) { return real(g.made) * g.before.jsum; });
  const std::size_t before = all.size();
  std::vector<GridRow> staying;
  for (const GridRow& row : rows) {
    const Grid& grid = *row.second;
    const bool off_node = grid.before.off_node.sum > 0;
    const double gain = relative_gain(grid);
    const double part =
        off_node ? real(grid.before.off_node.sum) / real(grid.before.off_node.sum + grid.before.on_node.sum) : 0;
    if (row.first->moved)
      all.push_back({moved_grid(row, record), part * gain});
    else if (off_node && gain > 0)
      all.push_back({grid_to_move(row, record), part * gain});
    else if (off_node && waits_for_weights(row))
      all.push_back({grid_that_waits(row, record), part * (1 - least_jsum(grid) / grid.before.jsum)});
    else if (off_node && row.first->mapper == "off")
      all.push_back({grid_not_looked_at(row), part * 0.1});
    else
      staying.push_back(row);
  }
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

// ---- datatypes

// The work of both directions, of all layouts.
template <class Work>
Work work_of(const Record& record, Work DatatypeLayout::*one_way, Work DatatypeLayout::*other_way) {
  Work all;
  const auto add = [&](const DatatypeLayout& layout) {
    all.merge(layout.*one_way);
    all.merge(layout.*other_way);
  };
  record.datatypes.each([&](const LayoutKey&, const DatatypeLayout& layout) { add(layout); });
  if (record.datatypes.overflowed()) add(record.datatypes.others());
  return all;
}
PackWork packing_of(const Record& record) { return work_of(record, &DatatypeLayout::pack, &DatatypeLayout::unpack); }
MessageWork messages_of(const Record& record) {
  return work_of(record, &DatatypeLayout::sent, &DatatypeLayout::received);
}

struct LayoutCounts {
  std::uint64_t packed = 0, commits = 0;  // layouts that MPI_Pack or MPI_Unpack met; commits of all
};
LayoutCounts count_layouts(const Record& record) {
  LayoutCounts counts;
  const auto add = [&](const DatatypeLayout& layout) {
    counts.packed += layout.pack.calls + layout.unpack.calls != 0 ? 1 : 0;
    counts.commits += layout.commits;
  };
  record.datatypes.each([&](const LayoutKey&, const DatatypeLayout& layout) { add(layout); });
  if (record.datatypes.overflowed()) add(record.datatypes.others());
  return counts;
}

double ns_at(std::uint64_t bytes, double rate) { return rate == 0 ? 0 : real(bytes) * 1e9 / rate; }

// Nanoseconds of all of the work, at the rates of the parts that were timed; 0: none was.
double time_of(const PackWork& work) {
  return ns_at(work.engine_bytes, work.rate()) + ns_at(work.bytes - work.engine_bytes, work.host_rate());
}

// Where both were timed: what the host would have taken longer for the engine's part, of all processes. Negative: it
// was faster.
struct Saved {
  double ns = 0, bytes = 0;
};
template <class Work>
Saved saved_by_engine(const Record& record, Work DatatypeLayout::*one_way, Work DatatypeLayout::*other_way) {
  Saved saved;
  const auto add = [&](const Work& work) {
    if (work.rate() <= 0 || work.host_rate() <= 0) return;
    saved.ns += ns_at(work.engine_bytes, work.host_rate()) - ns_at(work.engine_bytes, work.rate());
    saved.bytes += real(work.engine_bytes);
  };
  record.datatypes.each([&](const LayoutKey&, const DatatypeLayout& layout) {
    add(layout.*one_way);
    add(layout.*other_way);
  });
  return saved;
}
// `timed_at`: what of the host was timed.
std::string saved_text(const Saved& saved, const std::string& timed_at, double host_rate, const Record& record) {
  if (saved.bytes <= 0) return " The MPI library was not timed at this work.";
  return fmt::format(" The MPI library, timed at {}: {}. Estimated from that: {} {} in all processes{}.", timed_at,
                     rate_text(host_rate), seconds(std::abs(saved.ns)), saved.ns >= 0 ? "saved" : "lost",
                     of_the_run(std::abs(saved.ns), record));
}

void of_messages(const Record& record, std::vector<Weighed>& all) {
  const MessageWork work = messages_of(record);
  if (work.messages == 0) return;
  Finding finding{Verdict::nothing, "messages", "", "", ""};
  finding.what = fmt::format("Messages of datatypes moved {} in {}, {} of it by Marshal's engine.",
                             bytes_text(real(work.bytes)), counted(work.messages, "message"),
                             percent_text(work.bytes == 0 ? 0 : real(work.engine_bytes) / real(work.bytes)));
  const double ns = ns_at(work.engine_bytes, work.rate());
  if (ns != 0)
    finding.evidence = fmt::format("Measured on a sample: {}, which makes {} of all processes{}.",
                                   rate_text(work.rate()), seconds(ns), of_the_run(ns, record));
  const Saved saved = saved_by_engine(record, &DatatypeLayout::sent, &DatatypeLayout::received);
  finding.evidence += saved_text(saved, fmt::format("{} of the same layouts", bytes_text(real(work.host_bytes))),
                                 work.host_rate(), record);
  if (saved.ns > 0) {
    finding.verdict = Verdict::gained;
    finding.action = "Nothing is left to set: messages of each datatype go to whoever was faster.";
  } else {
    finding.action = work.engine_bytes == 0
                         ? "Nothing to gain: the MPI library is as fast with these datatypes."
                         : "Nothing to gain is known: messages of each datatype go to whoever was faster.";
  }
  all.push_back({std::move(finding), part_of_run(std::max(saved.ns, ns), record)});
}

void of_datatypes(const Record& record, std::vector<Weighed>& all) {
  const PackWork work = packing_of(record);
  const LayoutCounts layouts = count_layouts(record);
  const auto setting = record.job.settings.find("MARSHAL_PACK");
  const bool by_setting = setting != record.job.settings.end() && setting->second.starts_with("host");
  Finding finding{Verdict::nothing, "datatypes", "", "", ""};
  if (work.calls == 0) {
    finding.what = layouts.commits == 0 ? "The program uses no derived datatype."
                                        : "The program packs no derived datatype by MPI_Pack.";
    finding.evidence = fmt::format("Derived datatypes committed: {}; MPI_Pack and MPI_Unpack of one: 0 B.",
                                   count_text(layouts.commits));
    finding.action = layouts.commits == 0 ? "Nothing to gain: there is nothing to pack."
                     : messages_of(record).messages != 0
                         ? "Nothing to gain there: datatypes travel in messages."
                         : "Nothing to gain: they are packed neither by MPI_Pack nor in messages that Marshal sees.";
    all.push_back({std::move(finding), 0});
    return;
  }
  finding.what =
      fmt::format("MPI_Pack and MPI_Unpack moved {} in {}, of {} of datatypes.", bytes_text(real(work.bytes)),
                  counted(work.calls, "call"), counted(layouts.packed, "layout"));
  const double ns = time_of(work);
  if (ns != 0)
    finding.evidence = fmt::format("Measured: {}, which makes {} of all processes{}.", rate_text(work.rate()),
                                   seconds(ns), of_the_run(ns, record));
  const Saved saved = saved_by_engine(record, &DatatypeLayout::pack, &DatatypeLayout::unpack);
  finding.evidence += saved_text(saved, "the same work", work.host_rate(), record);
  double weight = part_of_run(ns, record);
  if (by_setting) {
    finding.verdict = Verdict::act;
    finding.action =
        "MARSHAL_PACK=host leaves packing to the MPI library; MARSHAL_PACK=auto gives it to the faster one.";
  } else if (saved.ns > 0) {
    finding.verdict = Verdict::gained;
    finding.action = "Nothing is left to set: each size of each datatype is packed by whoever was faster.";
    weight = part_of_run(saved.ns, record);
  } else {
    finding.action = "Nothing to gain: packing is a small part of the run, or the MPI library is as fast.";
  }
  all.push_back({std::move(finding), weight});
}

// ---- communicators

CommunicatorSite all_sites(const Record& record) {
  CommunicatorSite all = record.communicators.others();
  record.communicators.each([&](const CallSite&, const CommunicatorSite& site) { all.merge(site); });
  return all;
}

std::string memory_of_a_process(const Memory& memory, const Record& record) {
  if (!memory.available()) return "not available";
  const double processes = real(std::max<std::uint64_t>(1, record.ranks.count()));
  return (memory.at_most != 0 ? "at most " : "") + bytes_text(real(memory.per_process.sum) / processes);
}

// From this part of the run on, making communicators is worth a word.
constexpr double much_creation = 0.01;
constexpr std::uint64_t many_alive = 100;

void of_communicators(const Record& record, std::vector<Weighed>& all) {
  const std::size_t before = all.size();
  for (const auto& [key, site] :
       heaviest_first(record.communicators, [](const CommunicatorSite& s) { return s.creation_ns; })) {
    const double part = part_of_run(real(site->creation_ns), record);
    const std::string where = key->call + at(site->symbol, *key);
    if (part >= much_creation && site->made.max > 1)
      all.push_back(
          {{Verdict::act, "communicators",
            fmt::format("{} of the run goes into making communicators by {}.", percent_text(part), where),
            fmt::format("Measured: {} communicators, {} of all processes, {} a call.", count_text(site->communicators),
                        seconds(real(site->creation_ns)), seconds(real(site->creation_ns) / real(site->made.sum))),
            "Change the program to make them once and keep them; Marshal cannot make the MPI library faster here."},
           part});
    else if (site->alive.max >= many_alive)
      all.push_back({{Verdict::act, "communicators", fmt::format("Communicators made by {} are not freed.", where),
                      fmt::format("At the end a process still had {}, which took {} of the MPI library's memory.",
                                  count_text(site->alive.max),
                                  site->host.available() ? bytes_text(real(site->host.per_process.max)) : "bytes"),
                      "Call MPI_Comm_free when one is no longer needed."},
                     0.005});
  }
  if (all.size() != before) return;
  const CommunicatorSite sum = all_sites(record);
  Finding finding{Verdict::nothing, "communicators", "", "", ""};
  finding.what = sum.made.sum == 0 ? "The program makes no communicator of its own."
                                   : fmt::format("{} made; no process made more than {} at one place.",
                                                 counted(sum.communicators, "communicator"), count_text(sum.made.max));
  finding.evidence =
      sum.made.sum == 0
          ? "Calls that make one: 0."
          : fmt::format(
                "Measured: {} of all processes{}, waiting for each other included; memory of a process: MPI library "
                "{}, Marshal {}.",
                seconds(real(sum.creation_ns)), of_the_run(real(sum.creation_ns), record),
                memory_of_a_process(sum.host, record), memory_of_a_process(sum.marshal, record));
  finding.action = fmt::format("Nothing to gain at {} ranks.", count_text(record.job.ranks));
  if (sum.host.can_be_projected() && record.job.ranks != 0 && record.job.project_ranks > record.job.ranks)
    finding.action += fmt::format(
        " Extrapolated to {} ranks, a process would need {}{}.", ranks_text(record.job.project_ranks),
        sum.host.at_most != 0 ? "at most " : "",
        bytes_text(sum.host.projected(record.job.ranks, record.job.project_ranks) * real(sum.host.per_process.samples) /
                   real(std::max<std::uint64_t>(1, record.ranks.count()))));
  all.push_back({std::move(finding), 0});
}

// ---- Marshal itself

void of_marshal(const Record& record, std::vector<Weighed>& all) {
  constexpr double much = 0.02;
  const std::optional<double> share = record.own.cpu_share();
  if (!share || *share < much) return;
  const OwnCost& own = record.own;
  const double inside = own.inside_cpu_ns.mean(), ends = own.init_cpu_ns.mean() + own.finalize_cpu_ns.mean();
  all.push_back(
      {{Verdict::act, "Marshal", fmt::format("Marshal itself took {} of the processors' time.", percent_text(*share)),
        fmt::format("Measured, CPU time, mean of a process: init {}, inside calls {}, finalize {}.",
                    seconds(own.init_cpu_ns.mean()), seconds(inside), seconds(own.finalize_cpu_ns.mean())),
        inside > ends ? "MARSHAL_CALLSITES=off does not record where communicators are made, and MARSHAL_RANKMAP=off "
                        "keeps no maps of them."
                      : "Init and finalize are paid once: in a longer run it is less. MARSHAL_REPORT=json writes the "
                        "shortest report."},
       *share});
}

}  // namespace

std::string verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::act:
      return "to do";
    case Verdict::gained:
      return "gained";
    case Verdict::nothing:
      break;
  }
  return "nothing to gain";
}

std::vector<Finding> findings(const Record& record) {
  std::vector<Weighed> all;
  missing_ranks(record, all);
  of_traffic(record, all);
  of_grids(record, all);
  of_datatypes(record, all);
  of_messages(record, all);
  of_communicators(record, all);
  of_marshal(record, all);
  std::stable_sort(all.begin(), all.end(), [](const Weighed& a, const Weighed& b) {
    return a.finding.verdict != b.finding.verdict ? a.finding.verdict < b.finding.verdict : a.weight > b.weight;
  });
  constexpr std::ptrdiff_t most_of_a_subject = 2;
  std::vector<Finding> chosen;
  for (Weighed& one : all) {
    const auto alike = std::count_if(chosen.begin(), chosen.end(),
                                     [&](const Finding& other) { return other.subject == one.finding.subject; });
    if (alike < most_of_a_subject && chosen.size() < most_findings) chosen.push_back(std::move(one.finding));
  }
  return chosen;
}

}  // namespace marshal::report
