#include <fmt/format.h>

#include "report/html_sections.h"
#include "report/html_table.h"
#include "report/leaks.h"
#include "report/units.h"

namespace marshal::report {

std::string objects_section(const Record& record) {
  const std::vector<ObjectsOfPlace> places = objects_by_place(record);
  if (places.empty()) return {};
  std::string out =
      "<h2>Objects</h2>\n<p>What the program makes and frees, by place: the most in a process. Of datatypes those that "
      "are committed count.";
  if (record.job.communicator_limit != 0)
    out += fmt::format(" Rank {} had the most communicators in use at once: {} of the {} that the MPI library has.",
                       record.communicators_at_once.most_rank, count_text(record.communicators_at_once.of.max),
                       count_text(record.job.communicator_limit));
  HtmlTable table({{"made", true},
                   {"by", true},
                   {"at", true, "function, file and line, or module and offset"},
                   {"made there", false, "in the process that made the most"},
                   {"not freed", false, "when MPI_Finalize began, in the process with the most"},
                   {"at once", false, "the most alive at once in a process"}});
  for (const ObjectsOfPlace& one : places)
    table.add({HtmlTable::text(std::string(objects_of(one.site->call))), HtmlTable::text(one.site->call),
               HtmlTable::text(where(*one.symbol, *one.site)), count(one.made.max),
               one.alive.samples == 0 ? HtmlTable::unknown("-", "they ended unseen") : count(one.alive.max),
               one.most_alive.samples == 0 ? HtmlTable::unknown("-", "nobody counted it") : count(one.most_alive.max)});
  return out + "</p>\n" + table.html();
}

}  // namespace marshal::report
