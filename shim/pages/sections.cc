// What the sections of the report share.
#include "pages/sections.h"

#include <fmt/ranges.h>

#include <vector>

#include "base/printable_text.h"
#include "record/units.h"

namespace marshal::report {
namespace {

Cell at_most(const Memory& memory, double value) {
  return {value, (memory.at_most != 0 ? "<= " : "") + bytes_text(value)};
}

}  // namespace

Cell count_cell(std::uint64_t value) { return {real(value), count_text(value)}; }
Cell bytes_cell(double value) { return {value, bytes_text(value)}; }
Cell bytes_cell(std::uint64_t value) { return bytes_cell(real(value)); }
Cell time_cell(double ns) { return {ns, time_text(ns)}; }
Cell time_cell(std::uint64_t ns) { return time_cell(real(ns)); }
Cell rate_cell(double bytes_per_second) {
  return bytes_per_second == 0 ? Cell("not timed") : Cell(bytes_per_second, rate_text(bytes_per_second));
}

Cell place_cell(const std::string& symbol, const CallSite& site) {
  Cell cell(name_or_place(symbol, site));
  if (cell.text.empty()) cell.page = "not recorded";
  return cell;
}

Cell memory_cell(const Memory& memory) {
  return memory.available() ? at_most(memory, memory.per_process.mean()) : Cell("not available", memory.unavailable);
}
Cell projected_cell(const Memory& memory, const Job& job) {
  if (!memory.available() || job.ranks == 0) return {"not available", memory.unavailable};
  if (!memory.can_be_projected()) return {"not measurable", memory.not_projected};
  return at_most(memory, memory.projected(job.ranks, job.project_ranks));
}

std::string joined(const std::map<std::string, std::uint64_t>& counts) {
  std::vector<std::string> parts;
  for (const auto& [name, n] : counts) parts.push_back(counts.size() == 1 ? name : fmt::format("{} ({})", name, n));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string figure(const std::string& picture, const std::string& caption) {
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", picture, escaped(caption));
}

std::string more_line(std::size_t most_rows, std::size_t all, bool overflowed, const std::string& what) {
  const std::size_t left = most_rows == 0 || most_rows > all ? 0 : all - most_rows;
  if (left == 0 && !overflowed) return {};
  return fmt::format("  and {}{} further {}\n", left, overflowed ? " and more" : "", what);
}

}  // namespace marshal::report
