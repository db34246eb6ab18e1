#include "report/html_cells.h"

#include <fmt/ranges.h>

#include <vector>

#include "report/svg_charts.h"
#include "report/units.h"

namespace marshal::report {
namespace {

Cell at_most(const Memory& m, double value) {
  return HtmlTable::number(value, (m.at_most != 0 ? "\u2264 " : "") + bytes_text(value));
}

}  // namespace

std::string figure(const std::string& picture, const std::string& caption) {
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", picture, escaped(caption));
}

std::string where(const std::string& symbol, const CallSite& site) {
  const std::string name = name_or_place(symbol, site);
  return name.empty() ? "not recorded" : name;
}

Cell count(std::uint64_t value) { return HtmlTable::number(static_cast<double>(value), count_text(value)); }
Cell seconds(std::uint64_t ns) {
  return HtmlTable::number(static_cast<double>(ns), seconds_text(static_cast<double>(ns) / 1e9));
}
Cell bytes(double value) { return HtmlTable::number(value, bytes_text(value)); }
Cell memory(const Memory& m) {
  return m.available() ? at_most(m, m.per_process.mean()) : HtmlTable::unknown("not available", m.unavailable);
}
Cell projected(const Memory& m, const Job& job) {
  if (!m.available() || job.ranks == 0) return HtmlTable::unknown("not available", m.unavailable);
  if (!m.can_be_projected()) return HtmlTable::unknown("not measurable", m.not_projected);
  return at_most(m, m.projected(job.ranks, job.project_ranks));
}

std::string joined(const std::map<std::string, std::uint64_t>& counts) {
  std::vector<std::string> parts;
  for (const auto& [name, n] : counts) parts.push_back(counts.size() == 1 ? name : fmt::format("{} ({})", name, n));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace marshal::report
