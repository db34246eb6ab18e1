#include "report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "report/ranked_rows.h"
#include "report/text_table.h"
#include "report/units.h"

namespace marshal::report {
namespace {

using Align = TextTable::Align;

std::string where(const std::string& symbol, const CallSite& site) {
  return symbol.empty() ? place_text(site) : symbol;
}

std::string memory_text(const Memory& memory) {
  return memory.available() ? bytes_text(memory.per_process.mean()) : "not available";
}
std::string projected_text(const Memory& memory, const Job& job) {
  return memory.available() && job.ranks != 0 ? bytes_text(memory.projected(job.ranks, job.project_ranks))
                                              : "not available";
}

std::string commonest(const std::map<std::string, std::uint64_t>& counts) {
  const auto most =
      std::max_element(counts.begin(), counts.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == counts.end()) return "none";
  return counts.size() == 1 ? most->first : fmt::format("{} +{}", most->first, counts.size() - 1);
}

std::string more_line(std::size_t shown, std::size_t all, bool overflowed, const std::string& what) {
  if (shown >= all && !overflowed) return {};
  return fmt::format("  and {}{} further {}\n", all - shown, overflowed ? " and more" : "", what);
}

std::string head(const Record& record) {
  const Job& job = record.job;
  std::string out = fmt::format(
      "{}{}, ", job.program,
      job.job_id.empty() ? ""
                         : fmt::format(" (job {}{})", job.job_id, job.scheduler.empty() ? "" : ", " + job.scheduler));
  out += fmt::format("{}{}, {} rank{}", job.mpi.empty() ? "MPI not available" : job.mpi,
                     job.mpi_standard.empty() ? "" : " (MPI " + job.mpi_standard + ")", job.ranks,
                     job.ranks == 1 ? "" : "s");
  if (job.nodes != 0)
    out += fmt::format(" on {} node{} ({} a node)", job.nodes, job.nodes == 1 ? "" : "s",
                       range_text(job.ranks_per_node_min, job.ranks_per_node_max));
  else
    out += ", nodes not available";
  out += fmt::format(", {}\n", record.own.wall_ns.samples == 0
                                   ? "wall time not available"
                                   : seconds_text(static_cast<double>(record.own.wall_ns.max) / 1e9));
  std::vector<std::string> details(record.bindings.begin(), record.bindings.end());
  if (!job.thread_level.empty()) details.push_back(job.thread_level);
  if (!job.topology.empty()) details.push_back(job.topology);
  if (!job.started.empty()) details.push_back("started " + job.started);
  if (!details.empty()) out += fmt::format("{}\n", fmt::join(details, ", "));
  if (!job.settings.empty()) {
    std::vector<std::string> settings;
    for (const auto& [name, value] : job.settings) settings.push_back(name + "=" + value);
    out += fmt::format("{}\n", fmt::join(settings, ", "));
  }
  if (record.ranks.count() < job.ranks)
    out += fmt::format("INCOMPLETE: {} of {} ranks recorded; missing: {}\n", record.ranks.count(), job.ranks,
                       record.ranks.missing(job.ranks).text());
  if (!record.partial.empty())
    out += fmt::format("{} rank{} ended without MPI_Finalize: {}\n", record.partial.count(),
                       record.partial.count() == 1 ? "" : "s", record.partial.text());
  return out;
}

std::string communicators(const Record& record, const TextStyle& style) {
  const auto rows = heaviest_first(record.communicators, [](const CommunicatorSite& s) { return s.made.sum; });
  CommunicatorSite all = record.communicators.others();
  for (const auto& [key, site] : rows) all.merge(*site);
  if (rows.empty()) return "Communicators: 0 made\n";
  const std::string at = " at " + ranks_text(record.job.project_ranks);
  std::string out =
      fmt::format("Communicators: {} made; bytes are of the most alive at once, means of a process that has any\n",
                  count_text(all.communicators));
  TextTable table({{"made by", Align::kLeft, 24},
                   {"at", Align::kLeft, 40},
                   {"count"},
                   {"ranks"},
                   {"model", Align::kLeft, 14},
                   {"Marshal"},
                   {"host"},
                   {"Marshal" + at},
                   {"host" + at}});
  for (const auto& [key, site] : rows) {
    if (style.rows_of_a_table != 0 && table.rows() == style.rows_of_a_table) break;
    table.add({key->call, where(site->symbol, *key), count_text(site->communicators),
               range_text(site->ranks.min, site->ranks.max), commonest(site->models), memory_text(site->marshal),
               memory_text(site->host), projected_text(site->marshal, record.job),
               projected_text(site->host, record.job)});
  }
  out += table.text() + more_line(table.rows(), rows.size(), record.communicators.overflowed(), "call sites");
  // Sites differ in which processes took part: over all processes of the job the means add up.
  const auto total = [&](const char* name, Memory memory, bool projected, const char* verb = "") {
    if (!memory.available())
      return fmt::format("{} not available{}", name, memory.unavailable.empty() ? "" : " (" + memory.unavailable + ")");
    memory.per_process.samples = std::max<std::uint64_t>(1, record.ranks.count());
    return fmt::format("{}{} {}", name, verb, projected ? projected_text(memory, record.job) : memory_text(memory));
  };
  for (const bool projected : {false, true})
    out += fmt::format("  all of a process{}: {}, {}, {}, {}\n", projected ? at : "",
                       total("Marshal", all.marshal, projected), total("host", all.host, projected),
                       total("VC-VCRT", all.vc_vcrt, projected, " would take"),
                       total("AV-Rankmap", all.av_rankmap, projected, " would take"));
  return out;
}

std::string arrow(const std::string& before, const std::string& after) {
  return before == after ? before : before + " -> " + after;
}

std::string partners(const Spread& spread) {
  return fmt::format("{}/{}/{}", spread.min, spread.max, number_text(spread.mean()));
}

// Least first.
std::string contenders(const Grid& grid) {
  std::vector<std::pair<std::uint64_t, std::string>> sorted;
  for (const auto& [mapper, jsum] : grid.jsum_by_mapper) sorted.emplace_back(jsum, mapper);
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (const auto& [jsum, mapper] : sorted)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", mapper, number_text(static_cast<double>(jsum)));
  return text;
}

// Where a table is cut short, this is told of so many grids, the heaviest; of the others only the reason.
constexpr std::size_t kGridsInDetail = 3;

std::string about_grid(const std::string& dims, const GridKey& key, const Grid& grid) {
  std::string out = "  " + dims;
  if (std::find(key.periodic.begin(), key.periodic.end(), 1u) != key.periodic.end())
    out += fmt::format(" periodic {}", fmt::join(key.periodic, ","));
  if (grid.before.on_node.samples > 0)
    out += fmt::format(": partners min/max/avg on-node {}, off-node {}",
                       arrow(partners(grid.before.on_node), partners(grid.after.on_node)),
                       arrow(partners(grid.before.off_node), partners(grid.after.off_node)));
  if (grid.mapping_ns.samples > 0) out += fmt::format(", mapped in {}", seconds_text(grid.mapping_ns.mean() / 1e9));
  // Who sees Jmax fall expects as much of the time.
  if (grid.after.jmax < grid.before.jmax && grid.after.limited_by == "processes")
    out += "; the processes' own rate limits the predicted exchange now, not the network";
  out += '\n';
  if (!grid.jsum_by_mapper.empty()) out += fmt::format("    Jsum by mapper: {}\n", contenders(grid));
  if (!grid.reason.empty()) out += fmt::format("    {}\n", grid.reason);
  return out;
}

std::string grids(const Record& record, const TextStyle& style) {
  const auto rows = heaviest_first(record.grids, [](const Grid& g) { return g.processes * g.made; });
  if (rows.empty()) return "Grids: 0 made\n";
  std::string out =
      "Grids: off-node weight in all (Jsum) and of the busiest node (Jmax), in the order given -> in force\n";
  TextTable table({{"at", Align::kLeft, 40},
                   {"dims", Align::kLeft, 16},
                   {"count"},
                   {"mapper", Align::kLeft, 10},
                   {"moved"},
                   {"Jsum"},
                   {"bound"},
                   {"Jmax"},
                   {"off-node avg"},
                   {"predicted gain"}});
  std::string details;
  for (const auto& [key, grid] : rows) {
    if (style.rows_of_a_table != 0 && table.rows() == style.rows_of_a_table) break;
    const double before = grid->before.predicted_exchange_s, after = grid->after.predicted_exchange_s;
    const std::string dims = key->dims.empty() ? "graph" : fmt::format("{}", fmt::join(key->dims, "x"));
    table.add({where(grid->symbol, key->site), dims, count_text(grid->made), key->mapper, count_text(grid->moved_ranks),
               arrow(number_text(grid->before.jsum), number_text(grid->after.jsum)),
               grid->lower_bound > 0 ? number_text(grid->lower_bound) : "not known",
               arrow(number_text(grid->before.jmax), number_text(grid->after.jmax)),
               arrow(number_text(grid->before.off_node.mean()), number_text(grid->after.off_node.mean())),
               before > 0 ? percent_text((before - after) / before) : "none made"});
    if (style.rows_of_a_table == 0 || table.rows() <= kGridsInDetail)
      details += about_grid(dims, *key, *grid);
    else if (!grid->reason.empty())
      details += fmt::format("  {}: {}\n", dims, grid->reason);
  }
  return out + table.text() + more_line(table.rows(), rows.size(), record.grids.overflowed(), "grids") + details;
}

std::string bandwidth(std::uint64_t bytes, std::uint64_t ns) {
  return ns == 0 ? "not timed" : rate_text(static_cast<double>(bytes) * 1e9 / static_cast<double>(ns));
}

std::string datatypes(const Record& record, const TextStyle& style) {
  const auto rows = heaviest_first(
      record.datatypes, [](const DatatypeLayout& d) { return d.pack.bytes + d.unpack.bytes + d.messages.bytes; });
  if (rows.empty()) return "Datatypes: 0 committed\n";
  std::uint64_t commits = record.datatypes.others().commits;
  for (const auto& [key, layout] : rows) commits += layout->commits;
  std::string out = fmt::format("Datatypes: {} committed, by layout\n", count_text(commits));
  TextTable table({{"layout", Align::kLeft, 36},
                   {"at", Align::kLeft, 40},
                   {"packs"},
                   {"unpacks"},
                   {"bytes"},
                   {"pack"},
                   {"unpack"},
                   {"host"},
                   {"bound"},
                   {"plan", Align::kLeft, 16},
                   {"segment"}});
  for (const auto& [key, layout] : rows) {
    if (style.rows_of_a_table != 0 && table.rows() == style.rows_of_a_table) break;
    PackWork both = layout->pack;
    both.merge(layout->unpack);
    table.add({key->form, where(layout->symbol, layout->site), count_text(layout->pack.calls),
               count_text(layout->unpack.calls), bytes_text(static_cast<double>(both.bytes)),
               bandwidth(layout->pack.bytes, layout->pack.ns), bandwidth(layout->unpack.bytes, layout->unpack.ns),
               both.host_ns == 0 ? "not measured" : bandwidth(both.host_bytes, both.host_ns),
               layout->touched_bound_bytes_per_s == 0
                   ? "not measured"
                   : rate_text(static_cast<double>(layout->touched_bound_bytes_per_s)),
               commonest(layout->plans), layout->segment == 0 ? "none" : count_text(layout->segment)});
  }
  return out + table.text() + more_line(table.rows(), rows.size(), record.datatypes.overflowed(), "layouts");
}

std::string cost(const Record& record) {
  const OwnCost& own = record.own;
  const auto worst = [](const Spread& s) {
    return s.samples == 0 ? std::string("not available") : seconds_text(static_cast<double>(s.max) / 1e9);
  };
  std::string out = fmt::format("Marshal itself, in the slowest process: init {}, inside calls {}, finalize {}",
                                worst(own.init_ns), worst(own.inside_ns), worst(own.finalize_ns));
  if (const auto share = own.share()) out += fmt::format("; {} of the time of all processes", percent_text(*share));
  if (own.map_bytes_peak.samples != 0)
    out += fmt::format("; rank maps at most {}", bytes_text(static_cast<double>(own.map_bytes_peak.max)));
  return out + "\n";
}

std::string counters(const Record& record) {
  std::string out;
  record.counters.each([&](const std::string& event, const Counter& counter) {
    if (counter.processes == 0)
      out += fmt::format("Counter {}: not available ({})\n", event, counter.unavailable);
    else
      out += fmt::format("Counter {}: {} while packing, {} while translating ranks, in {} processes\n", event,
                         count_text(counter.packing), count_text(counter.translation), counter.processes);
  });
  return out;
}

std::string phases(const Record& record) {
  std::string out;
  record.phases.each([&](const std::string& level, const Phase& phase) {
    out += fmt::format("Phase {}: entered {} times, {} in the slowest process\n", level, phase.entered,
                       seconds_text(static_cast<double>(phase.wall_ns.max) / 1e9));
  });
  return out;
}

std::string warnings(const Record& record) {
  std::string out;
  record.warnings.each([&](const std::string& text, const Warning& warning) {
    out += fmt::format("Warning: {}{}\n", text,
                       warning.count > 1 ? fmt::format(" ({} times, first rank {})", warning.count, warning.first_rank)
                                         : fmt::format(" (rank {})", warning.first_rank));
  });
  return out.empty() ? "Warnings: 0\n" : out;
}

}  // namespace

std::string to_text(const Record& record, const std::string& json_path, TextStyle style) {
  const std::string title = fmt::format("Marshal {} ", record.job.marshal_version);
  std::string out = title + std::string(style.width > title.size() ? style.width - title.size() : 0, '-') + "\n";
  out += head(record) + communicators(record, style) + grids(record, style) + datatypes(record, style) + cost(record) +
         counters(record) + phases(record) + warnings(record);
  if (!json_path.empty()) out += fmt::format("Whole report: marshal report {}\n", json_path);
  return out + std::string(style.width, '-') + "\n";
}

}  // namespace marshal::report
