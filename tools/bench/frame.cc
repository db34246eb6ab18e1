#include "tools/bench/frame.h"

#include <fmt/format.h>

#include <cstdio>
#include <limits>
#include <utility>

#include "pages/table.h"

namespace marshal::tools {

BenchFrame::BenchFrame(const std::string& name, const std::string& what, int rounds_if_not_asked, int most_rounds)
    : line("marshal " + name, what), rounds(rounds_if_not_asked), name_(name) {
  line.option("--rounds", &rounds, "times that each variant is measured; the median counts",
              {.least = 1, .most = most_rounds, .shows_default = true});
  line.option("--mpi", &mpi_, "openmpi or mpich (default: every one Marshal was built for)");
  line.flag("--json", json_, "print JSON");
}

std::optional<int> BenchFrame::parse(Arguments arguments) {
  if (const auto over = line.parse(arguments)) return over;
  hosts_ = hosts_named(name_, mpi_);
  return hosts_.empty() ? std::optional(2) : std::nullopt;
}

void BenchFrame::show(const FigureTable& table) {
  if (json_) {
    document_.add(table.name, table.json());
  } else {
    fmt::print("{}\n", table.text());
    std::fflush(stdout);
  }
}

int BenchFrame::end() const {
  if (json_) fmt::print("{}\n", report::json_text(document_, 2));
  return 0;
}

Cell::Cell(double number, int decimals) : text(fmt::format("{:.{}f}", number, decimals)), value(number) {}

Cell bytes_cell(double bytes) {
  constexpr const char* unit_names[] = {"B", "KiB", "MiB", "GiB"};
  std::size_t unit = 0;
  double shown = bytes;
  for (; shown >= 1024 && unit < 3; ++unit) shown /= 1024;
  Cell cell(bytes, 0);
  cell.text = unit == 0 ? fmt::format("{:.0f} B", shown)
                        : fmt::format("{:.{}f} {}", shown, shown < 100 ? 1 : 0, unit_names[unit]);
  return cell;
}

std::string count_text(std::int64_t count) {
  if (count >= 1 << 20 && count % (1 << 20) == 0) return fmt::format("{}M", count >> 20);
  if (count >= 1024 && count % 1024 == 0) return fmt::format("{}K", count >> 10);
  return fmt::format("{}", count);
}

std::string FigureTable::text() const {
  using report::Table;
  constexpr std::size_t uncut = std::numeric_limits<std::size_t>::max();
  std::vector<Table::Column> heads;
  for (const std::string& column : columns)
    heads.push_back({column, heads.size() < texts ? report::Align::left : report::Align::right, uncut});
  Table table(std::move(heads));
  for (const auto& row : rows) {
    std::vector<report::Cell> cells;
    for (const Cell& cell : row) cells.emplace_back(cell.text);
    table.add(std::move(cells));
  }
  std::string out = title + "\n";
  if (!source.empty()) out += fmt::format("  beside: {}\n", source);
  out += table.text();
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
