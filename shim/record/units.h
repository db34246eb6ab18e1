// Numbers with units, short enough for a table.
#pragma once

#include <concepts>
#include <cstdint>
#include <string>

namespace marshal::report {

inline double real(std::uint64_t n) { return static_cast<double>(n); }

std::string bytes_text(double bytes);         // "64 B", "2.2 KiB", "360 MiB"
std::string seconds_text(double seconds);     // "1.2 ms", "12.3 s", "2 h 03 min"
std::string time_text(double ns);             // the same of nanoseconds
std::string count_text(std::uint64_t count);  // "718000" up to six digits, then "1.2 M" (powers of 1000)
std::string counted(std::uint64_t count, const std::string& thing);  // "1 call", "2 calls"
// "7 calls"; "more than 7 calls" where not all of them are known.
std::string counted_rows(std::uint64_t rows, bool are_more, const std::string& thing);
std::string ranks_text(std::uint64_t ranks);     // "768 K", "1 M" where exact (powers of 1024), else digits
std::string rate_text(double bytes_per_second);  // "11.5 GB/s"
std::string percent_text(double fraction);       // "0.03 %"
std::string range_text(std::uint64_t min, std::uint64_t max);  // "8" or "2-8"
// A plain number with at most `digits` significant ones.
std::string number_text(double value, int digits = 4);

// Of whole numbers.
std::string bytes_text(std::integral auto bytes) { return bytes_text(static_cast<double>(bytes)); }
std::string time_text(std::integral auto ns) { return time_text(static_cast<double>(ns)); }
std::string rate_text(std::integral auto bytes_per_second) { return rate_text(static_cast<double>(bytes_per_second)); }
std::string number_text(std::integral auto value) { return number_text(static_cast<double>(value)); }

// Short names of functions for a reader.

// "_ZN2ns5solveIdEEvi" -> "ns::solve<...>": without result, arguments and template arguments, which make a table's cell
// too wide and tell little. gfortran's "__grid_MOD_setup" -> "grid::setup". All else stays as it is.
std::string function_name(const std::string& symbol);

}  // namespace marshal::report
