#include "report/html_table.h"

#include <fmt/format.h>

#include "report/svg_charts.h"

namespace marshal::report {

HtmlTable::Cell HtmlTable::text(const std::string& plain) {
  std::string html;
  for (const char c : plain) {
    html += escaped({&c, 1});
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

}  // namespace marshal::report
