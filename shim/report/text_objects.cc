#include "report/text_objects.h"

#include <fmt/format.h>

#include "report/leaks.h"
#include "report/text_table.h"
#include "report/units.h"

namespace marshal::report {

std::string objects_text(const Record& record, std::size_t rows_of_a_table) {
  using Align = TextTable::Align;
  TextTable table({{"made", Align::left, 24},
                   {"by", Align::left, 28},
                   {"at", Align::left, 60},
                   {"made there"},
                   {"not freed"},
                   {"at once"}});
  const std::vector<ObjectsOfPlace> places = objects_by_place(record);
  for (const ObjectsOfPlace& one : places) {
    if (rows_of_a_table != 0 && table.rows() == rows_of_a_table) break;
    table.add({std::string(objects_of(one.site->call)), one.site->call, name_or_place(*one.symbol, *one.site),
               count_text(one.made.max), one.alive.samples == 0 ? "-" : count_text(one.alive.max),
               one.most_alive.samples == 0 ? "-" : count_text(one.most_alive.max)});
  }
  if (places.empty()) return {};
  std::string out =
      "Objects: most in a process, made by a place of the program, not freed when MPI_Finalize began, and alive at "
      "once\n" +
      table.text();
  std::string rest;
  const bool are_more = record.communicators.overflowed() || record.objects.overflowed();
  const std::size_t left = places.size() - table.rows();
  if (left != 0) rest = fmt::format("; and {}", counted_rows(left, are_more, "further place"));
  if (record.job.communicator_limit != 0)
    rest += fmt::format("; communicators in use at once: {} in rank {}, of {} that the MPI library has for a process",
                        count_text(record.communicators_at_once.of.max), record.communicators_at_once.most_rank,
                        count_text(record.job.communicator_limit));
  if (!rest.empty()) out += "  " + rest.substr(2) + "\n";
  return out;
}

}  // namespace marshal::report
