#include "report/html_table.h"

#include <fmt/ranges.h>

#include "base/printable_text.h"
#include "report/units.h"

namespace marshal::report {
namespace {

Cell at_most(const Memory& m, double value) {
  return HtmlTable::number(value, (m.at_most != 0 ? "\u2264 " : "") + bytes_text(value));
}

}  // namespace

HtmlTable::Cell HtmlTable::text(const std::string& plain) {
  std::string html;
  for (const char c : escaped(plain)) {
    html += c;
    if (html.ends_with("::") || c == '/') html += "<wbr/>";  // long names may be broken there
  }
  return {html, 0, true};
}
HtmlTable::Cell HtmlTable::number(double value, const std::string& plain) { return {escaped(plain), value, true}; }
HtmlTable::Cell HtmlTable::unknown(const std::string& plain, const std::string& why) {
  return {fmt::format("<span class=\"soft\" title=\"{}\">{}</span>", escaped(why), escaped(plain)), 0, false};
}

std::string HtmlTable::html() const {
  std::string out = "<div class=\"wide\"><table class=\"sortable\"><thead><tr>";
  for (const Column& column : columns_)
    out += fmt::format("<th{}{}><button type=\"button\">{}</button></th>", column.text ? " class=\"l\"" : "",
                       column.explanation.empty() ? "" : fmt::format(" title=\"{}\"", escaped(column.explanation)),
                       escaped(column.title));
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows_) {
    out += "<tr>";
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const Cell& cell = row[c];
      if (columns_[c].text)
        out += fmt::format("<td class=\"l\">{}</td>", cell.html);
      else if (cell.known)
        out += fmt::format("<td data-v=\"{:.17g}\">{}</td>", cell.value, cell.html);
      else
        out += fmt::format("<td>{}</td>", cell.html);
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string figure(const std::string& picture, const std::string& caption) {
  return fmt::format("<figure>{}<figcaption>{}</figcaption></figure>\n", picture, escaped(caption));
}

std::string where(const std::string& symbol, const CallSite& site) {
  const std::string name = name_or_place(symbol, site);
  return name.empty() ? "not recorded" : name;
}

Cell count(std::uint64_t value) { return HtmlTable::number(static_cast<double>(value), count_text(value)); }
Cell seconds(std::uint64_t ns) { return HtmlTable::number(static_cast<double>(ns), time_text(ns)); }
Cell bytes(double value) { return HtmlTable::number(value, bytes_text(value)); }
Cell bytes(std::uint64_t value) { return bytes(static_cast<double>(value)); }
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
