// The sections of the report. Each is described in one file and printed twice: as text, and on the HTML page, where it
// begins with its heading. `most_rows`: of a table in the text; the rest is counted in one line. 0: all of them, and
// details of each.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "pages/table.h"
#include "record/record.h"

namespace marshal::report {

// ", 28 % waiting, 13 % moving, 2 % not told apart": parts of the run, of that in MPI. Empty where hardly any is known.
std::string waiting_text(const Times& times);
std::string times_text(const Record& record, std::size_t most_rows);
std::string times_page(const Record& record);
std::string traffic_text(const Record& record);
std::string traffic_page(const Record& record);
std::string grids_text(const Record& record, std::size_t most_rows);
std::string grids_page(const Record& record);
std::string communicators_text(const Record& record, std::size_t most_rows);
std::string communicators_page(const Record& record);
// The models of rank maps, and what the two published ways to keep communicators would take. Empty without
// communicators.
std::string papers_text(const Record& record);
std::string papers_page(const Record& record);
// What each place makes and does not free. Empty if the program made nothing.
std::string objects_text(const Record& record, std::size_t most_rows);
std::string objects_page(const Record& record);
// Commits and packs, and then messages, if any had such types.
std::string datatypes_text(const Record& record, std::size_t most_rows);
std::string datatypes_page(const Record& record);
// The same for all records.
std::string glossary_page();
std::string_view page_style();
std::string_view page_script();

// Cells with a unit.
Cell count_cell(std::uint64_t value);
Cell bytes_cell(double value);
Cell bytes_cell(std::uint64_t value);
Cell time_cell(double ns);
Cell time_cell(std::uint64_t ns);
Cell rate_cell(double bytes_per_second);
// The symbol, or the place.
Cell place_cell(const std::string& symbol, const CallSite& site);
// Bytes of a process, and the same at Job::project_ranks.
Cell memory_cell(const Memory& memory);
Cell projected_cell(const Memory& memory, const Job& job);

// "a" or "a (3), b (1)".
std::string joined(const std::map<std::string, std::uint64_t>& counts);
std::string figure(const std::string& picture, const std::string& caption);
// "  and 3 further grids", or nothing: of a table whose first rows are shown.
std::string more_line(std::size_t most_rows, std::size_t all, bool overflowed, const std::string& what);

}  // namespace marshal::report
