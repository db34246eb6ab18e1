// The parts that several sections of the HTML report share: cells of tables, figures, places in the program.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "report/html_table.h"
#include "report/record.h"

namespace marshal::report {

using Cell = HtmlTable::Cell;

inline constexpr std::size_t most_chart_rows = 12;

std::string figure(const std::string& picture, const std::string& caption);

// The symbol, or the place, or "not recorded".
std::string where(const std::string& symbol, const CallSite& site);

Cell count(std::uint64_t value);
Cell seconds(std::uint64_t ns);
Cell bytes(double value);
// Bytes of a process, and the same at the number of ranks that MARSHAL_PROJECT names.
Cell memory(const Memory& memory);
Cell projected(const Memory& memory, const Job& job);

// "a" or "a (3), b (1)".
std::string joined(const std::map<std::string, std::uint64_t>& counts);

}  // namespace marshal::report
