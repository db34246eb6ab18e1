#include "report/text.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "base/printable_text.h"
#include "report/findings.h"
#include "report/text_lines.h"
#include "report/text_objects.h"
#include "report/text_table.h"
#include "report/text_times.h"
#include "report/units.h"
#include "report/way_of_messages.h"

namespace marshal::report {
namespace {

using Align = TextTable::Align;

std::string memory_text(const Memory& memory) {
  if (!memory.available()) return "not available";
  return (memory.at_most != 0 ? "<= " : "") + bytes_text(memory.per_process.mean());
}
std::string projected_text(const Memory& memory, const Job& job) {
  if (!memory.available() || job.ranks == 0) return "not available";
  if (!memory.can_be_projected()) return "not measurable";
  return (memory.at_most != 0 ? "<= " : "") + bytes_text(memory.projected(job.ranks, job.project_ranks));
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

// Words of the text, in lines of `width` that begin with `indent` blanks.
std::string wrapped(const std::string& text, std::size_t width, std::size_t indent) {
  std::string out;
  for (const std::string& line : wrap(printable(text), width - indent)) out += std::string(indent, ' ') + line + "\n";
  return out;
}

std::string head(const Record& record) {
  const Job& job = record.job;
  std::string out =
      fmt::format("{}{}, ", printable(job.program),
                  job.job_id.empty() ? ""
                                     : fmt::format(" (job {}{})", printable(job.job_id),
                                                   job.scheduler.empty() ? "" : ", " + printable(job.scheduler)));
  out += fmt::format("{}{}, {} rank{}", job.mpi.empty() ? "MPI not available" : printable(job.mpi),
                     job.mpi_standard.empty() ? "" : " (MPI " + printable(job.mpi_standard) + ")", job.ranks,
                     job.ranks == 1 ? "" : "s");
  if (job.nodes != 0)
    out += fmt::format(" on {} node{} ({} a node)", job.nodes, job.nodes == 1 ? "" : "s",
                       range_text(job.ranks_per_node_min, job.ranks_per_node_max));
  else
    out += ", nodes not available";
  out += fmt::format(", {}\n",
                     record.own.wall_ns.samples == 0 ? "wall time not available" : time_text(record.own.wall_ns.max));
  std::vector<std::string> details(record.bindings.begin(), record.bindings.end());
  if (!job.thread_level.empty()) details.push_back(job.thread_level);
  if (!job.started.empty()) details.push_back("started " + job.started);
  if (!details.empty()) out += printable(fmt::format("{}", fmt::join(details, ", "))) + "\n";
  if (!job.settings.empty()) {
    std::vector<std::string> settings;
    for (const auto& [name, value] : job.settings) settings.push_back(fmt::format("{}={}", name, value));
    out += printable(fmt::format("{}", fmt::join(settings, ", "))) + "\n";
  }
  if (record.ranks.count() < job.ranks)
    out += fmt::format("INCOMPLETE: {} of {} ranks recorded; missing: {}\n", record.ranks.count(), job.ranks,
                       record.ranks.missing(job.ranks).text());
  if (!record.partial.empty())
    out += fmt::format("{} rank{} ended without MPI_Finalize: {}\n", record.partial.count(),
                       record.partial.count() == 1 ? "" : "s", record.partial.text());
  return out;
}

std::string findings_text(const Record& record, const TextStyle& style) {
  std::string out = "What to do:\n";
  std::size_t number = 0;
  for (const Finding& finding : findings(record)) {
    std::string first = wrapped(finding.what, style.width, 5);
    first.replace(2, 2, fmt::format("{}.", ++number));
    out += first + wrapped(finding.evidence, style.width, 5) + wrapped("-> " + finding.action, style.width, 5);
  }
  return out;
}

// Not all processes take part at every site: means over all processes of the job can be added up.
Memory of_all_processes(Memory memory, const Record& record) {
  if (memory.available()) memory.per_process.samples = std::max<std::uint64_t>(1, record.ranks.count());
  return memory;
}

std::string communicators(const Record& record, const TextStyle& style) {
  const auto rows = record.communicators.heaviest_first([](const CommunicatorSite& s) { return s.made.sum; });
  if (rows.empty()) return "Communicators: 0 made\n";
  const CommunicatorSite all = record.communicators.sum();
  const std::string at = " at " + ranks_text(record.job.project_ranks);
  std::string out = fmt::format(
      "Communicators: {} made{}; bytes at the peak, averaged over the processes that have such communicators\n",
      count_text(all.communicators),
      all.not_known == 0
          ? ""
          : fmt::format(", and others whose processes are not known ({} memberships)", count_text(all.not_known)));
  TextTable table({{"made by", Align::left, 24},
                   {"at", Align::left, 60},
                   {"count"},
                   {"ranks"},
                   {"Marshal"},
                   {"MPI library"},
                   {"Marshal" + at},
                   {"MPI library" + at}});
  for (const auto& [key, site] : rows) {
    if (style.rows_of_a_table != 0 && table.rows() == style.rows_of_a_table) break;
    table.add({key->call, name_or_place(site->symbol, *key),
               site->not_known == 0 ? count_text(site->communicators) : "not known",
               site->ranks.samples == 0 ? "not known" : range_text(site->ranks.min, site->ranks.max),
               memory_text(site->marshal), memory_text(site->host), projected_text(site->marshal, record.job),
               projected_text(site->host, record.job)});
  }
  out += table.text() + more_line(table.rows(), rows.size(), record.communicators.overflowed(), "call sites");
  const Memory marshal = of_all_processes(all.marshal, record), host = of_all_processes(all.host, record);
  out += fmt::format("  {} of a process: Marshal {}, MPI library {}; extrapolated to {} ranks: {}, {}\n",
                     all.not_known == 0 ? "all" : "those known", memory_text(marshal), memory_text(host),
                     ranks_text(record.job.project_ranks), projected_text(marshal, record.job),
                     projected_text(host, record.job));
  if (all.host_in_passing_bytes.sum != 0)
    out += fmt::format("  the MPI library took up to {} more for itself in these calls, in a process\n",
                       bytes_text(all.host_in_passing_bytes.max));
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
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", mapper, number_text(jsum));
  return text;
}

std::string about_grid(const std::string& dims, const GridKey& key, const Grid& grid) {
  std::string out = "  " + dims;
  if (std::find(key.periodic.begin(), key.periodic.end(), 1u) != key.periodic.end())
    out += fmt::format(" periodic {}", fmt::join(key.periodic, ","));
  if (grid.before.on_node.samples > 0)
    out += fmt::format(": partners min/max/avg on-node {}, off-node {}",
                       arrow(partners(grid.before.on_node), partners(grid.after.on_node)),
                       arrow(partners(grid.before.off_node), partners(grid.after.off_node)));
  if (grid.mapping_ns.samples > 0) out += fmt::format(", mapped in {}", time_text(grid.mapping_ns.mean()));
  // A reader who sees Jmax fall expects the time to fall as much.
  if (grid.after.jmax < grid.before.jmax && grid.after.limited_by == "processes")
    out += "; the predicted exchange is limited by the processes' own rate now, not by the network";
  out += '\n';
  if (!grid.jsum_by_mapper.empty()) out += fmt::format("    Jsum by mapper: {}\n", printable(contenders(grid)));
  if (grid.weights == "learned")
    out += fmt::format("    weights: in proportion to the bytes of an earlier run, {}: {}\n",
                       printable(grid.learned_from), printable(grid.stencil));
  else if (grid.weights == "unknown")
    out += "    weights: not known; the figures assume equal ones\n";
  if (!grid.reason.empty()) out += fmt::format("    {}\n", printable(grid.reason));
  return out;
}

std::string traffic(const Record& record) {
  const Traffic& sent = record.traffic;
  if (sent.processes == 0) return "Traffic: not counted\n";
  std::string out = fmt::format("Traffic: {} messages sent, {}", count_text(sent.messages), bytes_text(sent.bytes));
  if (record.job.nodes > 1 && sent.bytes != 0) {
    const PlacedBytes most = busiest(sent.leaving);
    const auto order = [&](std::uint64_t between, std::uint64_t busiest_node) {
      return fmt::format("{} between nodes ({}), {} from the busiest", bytes_text(between),
                         percent_text(static_cast<double>(between) / static_cast<double>(sent.bytes)),
                         bytes_text(busiest_node));
    };
    out += "; " + order(sent.between_nodes.in_force, most.in_force);
    if (sent.between_nodes.in_force != sent.between_nodes.given || most.in_force != most.given)
      out += "; in the order given " + order(sent.between_nodes.given, most.given);
  }
  if (sent.foreign_messages != 0)
    out +=
        fmt::format("; to other jobs {} more, {}", count_text(sent.foreign_messages), bytes_text(sent.foreign_bytes));
  if (sent.unknown_messages != 0)
    out += fmt::format("; {} more, {}, to processes that are not known", count_text(sent.unknown_messages),
                       bytes_text(sent.unknown_bytes));
  if (sent.unsized != 0)
    out += fmt::format("; the bytes of {} of these messages and of the collectives are not known",
                       count_text(sent.unsized));
  if (sent.lost_messages != 0) out += fmt::format("; {} more not counted, for want of memory", sent.lost_messages);
  out += "\n";
  const std::string collectives = collectives_text(sent);
  if (!collectives.empty()) out += fmt::format("  collectives, not among them: {}\n", printable(collectives));
  return out;
}

std::string grids(const Record& record, const TextStyle& style) {
  const auto rows = record.grids.heaviest_first([](const Grid& g) { return g.processes * g.made; });
  if (rows.empty()) return "Grids: 0 made\n";
  std::string out =
      "Grids: traffic between nodes in all (Jsum) and of the busiest node (Jmax): pairs of neighbours on different "
      "nodes, weighted; order given -> in force\n";
  TextTable table({{"at", Align::left, 60},
                   {"dims", Align::left, 16},
                   {"count"},
                   {"mapper", Align::left, 10},
                   {"moved"},
                   {"Jsum"},
                   {"least possible"},
                   {"Jmax"},
                   {"off-node avg"},
                   {"weights", Align::left, 12},
                   {"predicted gain"},
                   {"measured between nodes"}});
  std::string details;
  for (const auto& [key, grid] : rows) {
    if (style.rows_of_a_table != 0 && table.rows() == style.rows_of_a_table) break;
    const double before = grid->before.predicted_exchange_s, after = grid->after.predicted_exchange_s;
    const std::string dims = key->dims.empty() ? "graph" : fmt::format("{}", fmt::join(key->dims, "x"));
    table.add(
        {name_or_place(grid->symbol, key->site), dims, count_text(grid->made), key->mapper,
         count_text(grid->moved_ranks),
         grid->nodes == 0 ? "not known" : arrow(number_text(grid->before.jsum), number_text(grid->after.jsum)),
         grid->lower_bound > 0 ? number_text(grid->lower_bound) : "not known",
         grid->nodes == 0 ? "not known" : arrow(number_text(grid->before.jmax), number_text(grid->after.jmax)),
         grid->nodes == 0 ? "not known"
                          : arrow(number_text(grid->before.off_node.mean()), number_text(grid->after.off_node.mean())),
         grid->weights, before > 0 ? percent_text((before - after) / before) : "none made",
         grid->traffic.processes == 0
             ? "not counted"
             : arrow(bytes_text(grid->traffic.between_nodes.given), bytes_text(grid->traffic.between_nodes.in_force))});
    if (style.rows_of_a_table == 0) details += about_grid(dims, *key, *grid);
  }
  return out + table.text() + more_line(table.rows(), rows.size(), record.grids.overflowed(), "grids") + details;
}

std::string bandwidth(double rate) { return rate == 0 ? "not timed" : rate_text(rate); }

std::string datatypes(const Record& record, const TextStyle& style) {
  const auto rows =
      record.datatypes.heaviest_first([](const DatatypeLayout& d) { return d.pack.bytes + d.unpack.bytes; });
  if (rows.empty()) return "Datatypes: 0 committed\n";
  std::uint64_t commits = record.datatypes.others().commits;
  for (const auto& [key, layout] : rows) commits += layout->commits;
  std::string out = fmt::format("Datatypes: {} committed, by layout\n", count_text(commits));
  TextTable table({{"layout", Align::left, 36},
                   {"at", Align::left, 60},
                   {"packs"},
                   {"unpacks"},
                   {"bytes"},
                   {"pack"},
                   {"unpack"},
                   {"MPI library"},
                   {"bound"},
                   {"packed by", Align::left, 24},
                   {"segment"}});
  for (const auto& [key, layout] : rows) {
    if (style.rows_of_a_table != 0 && table.rows() == style.rows_of_a_table) break;
    PackWork both = layout->pack;
    both.merge(layout->unpack);
    table.add({key->form, name_or_place(layout->symbol, layout->site), count_text(layout->pack.calls),
               count_text(layout->unpack.calls), bytes_text(both.bytes), bandwidth(layout->pack.rate()),
               bandwidth(layout->unpack.rate()), bandwidth(both.host_rate()),
               layout->touched_bound_bytes_per_s == 0 ? "not measured" : rate_text(layout->touched_bound_bytes_per_s),
               commonest(layout->plans), layout->segment == 0 ? "none" : count_text(layout->segment)});
  }
  return out + table.text() + more_line(table.rows(), rows.size(), record.datatypes.overflowed(), "layouts");
}

// Only where there were any.
std::string messages(const Record& record, const TextStyle& style) {
  std::string out;
  if (const std::string_view why = why_left_to_host(record.job.messages); !why.empty())
    out = printable(fmt::format("Datatypes in messages: left to the MPI library ({})", why)) + "\n";
  if (const std::string_view why = why_at_calls(record.job.messages); !why.empty())
    out = printable(fmt::format("Datatypes in messages: packed before the MPI library's calls ({})", why)) + "\n";
  auto rows = record.datatypes.heaviest_first([](const DatatypeLayout& d) { return d.sent.bytes + d.received.bytes; });
  std::erase_if(rows, [](const auto& row) { return row.second->sent.messages + row.second->received.messages == 0; });
  if (rows.empty()) return out;
  out += "Datatypes in messages, by layout\n";
  TextTable table({{"layout", Align::left, 36},
                   {"sent"},
                   {"received"},
                   {"bytes"},
                   {"fragments"},
                   {"by engine"},
                   {"engine"},
                   {"MPI library"}});
  for (const auto& [key, layout] : rows) {
    if (style.rows_of_a_table != 0 && table.rows() == std::min<std::size_t>(style.rows_of_a_table, 3)) break;
    MessageWork both = layout->sent;
    both.merge(layout->received);
    table.add(
        {key->form, count_text(layout->sent.messages), count_text(layout->received.messages), bytes_text(both.bytes),
         count_text(both.fragments),
         percent_text(both.bytes == 0 ? 0 : static_cast<double>(both.engine_bytes) / static_cast<double>(both.bytes)),
         bandwidth(both.rate()), bandwidth(both.host_rate())});
  }
  return out + table.text() + more_line(table.rows(), rows.size(), false, "layouts");
}

// Only where there were any.
std::string files(const Record& record) {
  const Files& files = record.files;
  if (files.opened + files.written.calls + files.read.calls == 0) return {};
  const auto accesses = [](const FileAccesses& some) {
    return fmt::format("{} in {}", bytes_text(some.bytes), counted(some.calls, "call"));
  };
  return fmt::format("Files: {} opened, counted in each process; written {}, read {}; packed first: {}\n",
                     count_text(files.opened), accesses(files.written), accesses(files.read),
                     bytes_text(files.packed.bytes));
}

std::string cost(const Record& record) {
  const OwnCost& own = record.own;
  const auto worst = [](const Spread& wall, const Spread& cpu) {
    if (wall.samples == 0) return std::string("not available");
    return fmt::format("{} (CPU {})", time_text(wall.max), cpu.samples == 0 ? "not available" : time_text(cpu.max));
  };
  std::string out = fmt::format("Marshal itself, in the slowest process: init {}, inside calls {}, finalize {}",
                                worst(own.init_ns, own.init_cpu_ns), worst(own.inside_ns, own.inside_cpu_ns),
                                worst(own.finalize_ns, own.finalize_cpu_ns));
  if (const auto share = own.share()) out += fmt::format("; {} of the time of all processes", percent_text(*share));
  if (const auto share = own.cpu_share()) out += fmt::format(" (CPU {})", percent_text(*share));
  if (own.map_bytes_peak.samples != 0) out += fmt::format("; rank maps at most {}", bytes_text(own.map_bytes_peak.max));
  return out + "\n";
}

// For readers of the papers.
std::string papers(const Record& record) {
  const CommunicatorSite all = record.communicators.sum();
  if (all.made.sum == 0) return {};
  std::string models;
  for (const auto& [model, count] : all.models)
    models += fmt::format("{}{} {}", models.empty() ? "" : ", ", printable(model), count_text(count));
  const auto both = [&](const Memory& memory) {
    const Memory of_all = of_all_processes(memory, record);
    return fmt::format("{} ({} at {})", memory_text(of_all), projected_text(of_all, record.job),
                       ranks_text(record.job.project_ranks));
  };
  return fmt::format(
      "For readers of the papers: models of rank maps: {}; a process would take by VC-VCRT {}, by "
      "AV-Rankmap {}\n",
      models.empty() ? "none" : models, both(all.vc_vcrt), both(all.av_rankmap));
}

std::string counters(const Record& record) {
  std::string out;
  record.counters.each([&](const std::string& event, const Counter& counter) {
    if (counter.processes == 0)
      out += fmt::format("Counter {}: not available ({})\n", printable(event), printable(counter.unavailable));
    else
      out +=
          fmt::format("Counter {}: {} while packing, {} while translating ranks, in {} processes\n", printable(event),
                      count_text(counter.packing), count_text(counter.translation), counter.processes);
  });
  return out;
}

std::string warnings(const Record& record) {
  std::string out;
  record.warnings.each([&](const std::string& text, const Warning& warning) {
    out += fmt::format("Warning: {}{}\n", printable(text),
                       warning.count > 1 ? fmt::format(" ({} times, first rank {})", warning.count, warning.first_rank)
                                         : fmt::format(" (rank {})", warning.first_rank));
  });
  return out;
}

}  // namespace

std::string to_text(const Record& record, const std::string& json_path, TextStyle style) {
  const std::string title = fmt::format("Marshal {} ", record.job.marshal_version);
  std::string out = title + std::string(style.width > title.size() ? style.width - title.size() : 0, '-') + "\n";
  out += head(record) + warnings(record) + findings_text(record, style) + times_text(record, style.rows_of_a_table) +
         traffic(record) + grids(record, style) + communicators(record, style) +
         objects_text(record, style.rows_of_a_table) + datatypes(record, style) + messages(record, style) +
         files(record) + cost(record) + counters(record) + papers(record);
  if (record.warnings.empty()) out += "Warnings: 0\n";
  if (!json_path.empty()) out += fmt::format("Whole report: marshal report {}\n", shell_word(json_path));
  return out + std::string(style.width, '-') + "\n";
}

}  // namespace marshal::report
