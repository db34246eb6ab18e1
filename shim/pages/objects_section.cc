// The section on what a program makes and frees.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/printable_text.h"
#include "findings/findings.h"
#include "pages/sections.h"
#include "record/units.h"

namespace marshal::report {

// The section on communicators and the memory that they take.
namespace {

using Shown = Table::Shown;
using CommunicatorRows = std::vector<std::pair<const CallSite*, const CommunicatorSite*>>;

CommunicatorRows rows_of(const Record& record) {
  return record.communicators.heaviest_first([](const CommunicatorSite& s) { return s.made.sum; });
}

Table communicators_table(const Record& record, const CommunicatorRows& rows) {
  const std::string at = " at " + ranks_text(record.job.project_ranks);
  Table table({{"made by", Align::left, 24},
               {"at", Align::left, 60, "function, file and line, or module and offset"},
               number_column("count", "distinct communicators"),
               number_column("ranks", "least and most in one communicator"),
               number_column("freed", "memberships freed", 0, Shown::on_page),
               number_column("Marshal", "bytes of rank maps in a process", 1),
               number_column("MPI library", "bytes that it allocated for them, measured", 1),
               number_column("Marshal" + at, "extrapolated", 2),
               number_column("MPI library" + at, "extrapolated", 2),
               number_column("MPI library's time", "in its calls, mean of a membership", 3, Shown::on_page),
               number_column("Marshal's time", "around them, mean of a membership", 3, Shown::on_page)});
  const auto mean_time = [](std::uint64_t ns, const Spread& made) {
    return time_cell(made.sum == 0 ? 0 : ns / made.sum);
  };
  const auto add = [&](const std::string& call, Cell place, const CommunicatorSite& s) {
    table.add({call, std::move(place), s.not_known == 0 ? count_cell(s.communicators) : Cell("not known"),
               s.ranks.samples == 0 ? Cell("not known") : Cell(real(s.ranks.max), range_text(s.ranks.min, s.ranks.max)),
               count_cell(s.freed.sum), memory_cell(s.marshal), memory_cell(s.host),
               projected_cell(s.marshal, record.job), projected_cell(s.host, record.job),
               mean_time(s.creation_ns, s.made), mean_time(s.marshal_ns, s.made)});
  };
  for (const auto& [key, site] : rows) add(key->call, place_cell(site->symbol, *key), *site);
  if (record.communicators.overflowed()) add("others", "further call sites", record.communicators.others());
  return table;
}

// Not all processes take part at every site: means over all processes of the job can be added up.
Memory of_all_processes(Memory memory, const Record& record) {
  if (memory.available()) memory.per_process.samples = std::max<std::uint64_t>(1, record.ranks.count());
  return memory;
}

}  // namespace

std::string communicators_text(const Record& record, std::size_t most_rows) {
  const CommunicatorRows rows = rows_of(record);
  if (rows.empty()) return "Communicators: 0 made\n";
  const CommunicatorSite all = record.communicators.sum();
  std::string out = fmt::format(
      "Communicators: {} made{}; bytes at the peak, averaged over the processes that have such communicators\n",
      count_text(all.communicators),
      all.not_known == 0
          ? ""
          : fmt::format(", and others whose processes are not known ({} memberships)", count_text(all.not_known)));
  const std::size_t shown = most_rows == 0 ? rows.size() : std::min(rows.size(), most_rows);  // without the others
  out += communicators_table(record, rows).text(shown) +
         more_line(shown, rows.size(), record.communicators.overflowed(), "call sites");
  const Memory marshal = of_all_processes(all.marshal, record), host = of_all_processes(all.host, record);
  out += fmt::format("  {} of a process: Marshal {}, MPI library {}; extrapolated to {} ranks: {}, {}\n",
                     all.not_known == 0 ? "all" : "those known", memory_cell(marshal).text, memory_cell(host).text,
                     ranks_text(record.job.project_ranks), projected_cell(marshal, record.job).text,
                     projected_cell(host, record.job).text);
  if (all.host_in_passing_bytes.sum != 0)
    out += fmt::format("  the MPI library took up to {} more for itself in these calls, in a process\n",
                       bytes_text(all.host_in_passing_bytes.max));
  return out;
}

std::string communicators_page(const Record& record) {
  const CommunicatorRows rows = rows_of(record);
  std::string out = "<h2>Communicators</h2>\n";
  if (rows.empty()) return out + "<p>0 made.</p>\n";
  const CommunicatorSite all = record.communicators.sum();
  out += fmt::format(
      "<p>{} made at {}. Bytes are those at the peak, averaged over the processes that have such communicators. "
      "Extrapolated: bytes that grow with the number of ranks are scaled, the rest is kept.",
      count_text(all.communicators), counted_rows(rows.size(), record.communicators.overflowed(), "call site"));
  if (all.host_in_passing_bytes.sum != 0)
    out += fmt::format(" The MPI library took up to {} more for itself in these calls, in a process.",
                       bytes_text(all.host_in_passing_bytes.max));
  return out + "</p>\n" + communicators_table(record, rows).html();
}

std::string papers_text(const Record& record) {
  const CommunicatorSite all = record.communicators.sum();
  if (all.made.sum == 0) return {};
  std::vector<std::string> models;
  for (const auto& [model, count] : all.models)
    models.push_back(fmt::format("{} {}", printable(model), count_text(count)));
  const auto both = [&](const Memory& memory) {
    const Memory of_all = of_all_processes(memory, record);
    return fmt::format("{} ({} at {})", memory_cell(of_all).text, projected_cell(of_all, record.job).text,
                       ranks_text(record.job.project_ranks));
  };
  return fmt::format(
      "For readers of the papers: models of rank maps: {}; a process would take by VC-VCRT {}, by "
      "AV-Rankmap {}\n",
      models.empty() ? "none" : fmt::format("{}", fmt::join(models, ", ")), both(all.vc_vcrt), both(all.av_rankmap));
}

std::string papers_page(const Record& record) {
  const CommunicatorRows rows = rows_of(record);
  if (rows.empty()) return {};
  const std::string at = " at " + ranks_text(record.job.project_ranks);
  Table table({{"made by", Align::left},
               {"at", Align::left},
               {"model", Align::left, 60, "form of the rank map, with memberships"},
               number_column("VC-VCRT", "virtual connections with a reference table a communicator", 1),
               number_column("AV-Rankmap", "address vectors with rank maps", 1),
               number_column("VC-VCRT" + at, "extrapolated", 2),
               number_column("AV-Rankmap" + at, "extrapolated", 2)});
  for (const auto& [key, s] : rows)
    table.add({key->call, place_cell(s->symbol, *key), joined(s->models), memory_cell(s->vc_vcrt),
               memory_cell(s->av_rankmap), projected_cell(s->vc_vcrt, record.job),
               projected_cell(s->av_rankmap, record.job)});
  return "<h2>For readers of the papers</h2>\n<p>The models of the rank maps, and what the two published ways to keep "
         "communicators would take: VC-VCRT and AV-Rankmap, computed.</p>\n" +
         table.html();
}

namespace {

Table objects_table(const std::vector<ObjectsOfPlace>& places) {
  Table table({{"made", Align::left, 24},
               {"by", Align::left, 28},
               {"at", Align::left, 60, "function, file and line, or module and offset"},
               number_column("made there", "in the process that made the most", 1),
               number_column("not freed", "when MPI_Finalize began, in the process with the most", 1),
               number_column("at once", "the most alive at once in a process", 1)});
  for (const ObjectsOfPlace& one : places)
    table.add({std::string(objects_of(one.site->call)), one.site->call, place_cell(*one.symbol, *one.site),
               count_cell(one.made.max),
               one.alive.samples == 0 ? Cell("-", "they ended unseen") : count_cell(one.alive.max),
               one.most_alive.samples == 0 ? Cell("-", "nobody counted it") : count_cell(one.most_alive.max)});
  return table;
}

// Empty where nobody knows a limit.
std::string limit_text(const Record& record) {
  if (record.job.communicator_limit == 0) return {};
  return fmt::format("communicators in use at once: {} in rank {}, of {} that the MPI library has for a process",
                     count_text(record.communicators_at_once.of.max), record.communicators_at_once.most_rank,
                     count_text(record.job.communicator_limit));
}

}  // namespace

std::string objects_text(const Record& record, std::size_t most_rows) {
  const std::vector<ObjectsOfPlace> places = objects_by_place(record);
  if (places.empty()) return {};
  std::string out =
      "Objects: most in a process, made by a place of the program, not freed when MPI_Finalize began, and alive at "
      "once\n" +
      objects_table(places).text(most_rows);
  std::string rest;
  const bool are_more = record.communicators.overflowed() || record.objects.overflowed();
  if (most_rows != 0 && places.size() > most_rows)
    rest = "and " + counted_rows(places.size() - most_rows, are_more, "further place");
  if (const std::string limit = limit_text(record); !limit.empty()) rest += (rest.empty() ? "" : "; ") + limit;
  return rest.empty() ? out : out + "  " + rest + "\n";
}

std::string objects_page(const Record& record) {
  const std::vector<ObjectsOfPlace> places = objects_by_place(record);
  if (places.empty()) return {};
  std::string out =
      "<h2>Objects</h2>\n<p>What the program makes and frees, by place: the most in a process. Of datatypes those that "
      "are committed count.</p>\n";
  if (const std::string limit = limit_text(record); !limit.empty()) out += fmt::format("<p>Most {}.</p>\n", limit);
  return out + objects_table(places).html();
}

}  // namespace marshal::report
