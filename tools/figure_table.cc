#include "tools/figure_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace marshal::tools {

Cell::Cell(double number, int decimals) : text(fmt::format("{:.{}f}", number, decimals)), value(number) {}

Cell bytes_cell(double bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  double shown = bytes;
  for (; shown >= 1024 && unit < 3; ++unit) shown /= 1024;
  Cell cell(bytes, 0);
  cell.text =
      unit == 0 ? fmt::format("{:.0f} B", shown) : fmt::format("{:.{}f} {}", shown, shown < 100 ? 1 : 0, kUnits[unit]);
  return cell;
}

std::string count_text(std::int64_t count) {
  if (count >= 1 << 20 && count % (1 << 20) == 0) return fmt::format("{}M", count >> 20);
  if (count >= 1024 && count % 1024 == 0) return fmt::format("{}K", count >> 10);
  return fmt::format("{}", count);
}

std::string FigureTable::text() const {
  std::vector<std::size_t> widths;
  for (const std::string& column : columns) widths.push_back(column.size());
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].text.size());
  }
  std::string out = fmt::format("{}\n", title);
  if (!source.empty()) out += fmt::format("  beside: {}\n", source);
  const auto line = [&](auto cell_text, std::size_t cells) {
    std::string text = " ";
    for (std::size_t c = 0; c < cells; ++c) {
      // Names to the left, figures to the right.
      text +=
          c == 0 ? fmt::format(" {:<{}}", cell_text(c), widths[c]) : fmt::format("  {:>{}}", cell_text(c), widths[c]);
    }
    while (text.back() == ' ') text.pop_back();
    return text + "\n";
  };
  out += line([&](std::size_t c) { return columns[c]; }, columns.size());
  for (const auto& row : rows) out += line([&](std::size_t c) { return row[c].text; }, row.size());
  for (const std::string& note : notes) out += fmt::format("  * {}\n", note);
  return out;
}

report::Json FigureTable::json() const {
  report::Json all = report::Json::array();
  for (const auto& row : rows) {
    report::Json object;
    for (std::size_t c = 0; c < row.size(); ++c) object.add(columns[c], row[c].value);
    all.push_back(std::move(object));
  }
  return report::Json::object({{"title", title}, {"beside", source}, {"rows", std::move(all)}, {"notes", notes}});
}

}  // namespace marshal::tools
