// The section on what a program makes and frees.
#include <fmt/format.h>

#include "findings/leaks.h"
#include "pages/sections.h"
#include "record/units.h"

namespace marshal::report {
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
