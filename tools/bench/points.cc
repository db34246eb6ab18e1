#include "tools/bench/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace marshal::bench {

using report::Json;
using tools::Cell;
using tools::FigureTable;

Points::Points(const std::vector<Json>& lines) {
  for (const Json& line : lines) {
    const auto whole = [&](const char* name) { return line[name].whole().value_or(0); };
    if (const auto needs = line["needs"].number()) {
      passed_over_.push_back(fmt::format("{} of {} B passed over: takes {:.1f} GB of memory", line["layout"].text(),
                                         whole("bytes"), *needs * 1e-9));
      continue;
    }
    points_.push_back({line["series"].text(),
                       line["call"].text(),
                       line["group"].text(),
                       line["layout"].text(),
                       whole("asked"),
                       whole("bytes"),
                       whole("block"),
                       {}});
    variants_.clear();
    for (const auto& [variant, seconds] : line["seconds"].members()) {
      variants_.push_back(variant);
      points_.back().seconds.push_back(seconds.number().value_or(0));
    }
    if (std::ranges::find(series_, points_.back().series) == series_.end()) series_.push_back(points_.back().series);
  }
}

FigureTable Points::table(const std::string& name, const std::string& title) const {
  FigureTable table{
      .name = name, .title = title + ": us", .columns = {"call", "layout", "bytes"}, .notes = passed_over_};
  table.texts = 2;
  table.columns.insert(table.columns.end(), variants_.begin(), variants_.end());
  for (const Point& point : points_) {
    std::vector<Cell> row{point.call, point.group + "/" + point.layout, point.bytes};
    for (const double seconds : point.seconds) row.emplace_back(seconds * 1e6, seconds < 1e-5 ? 3 : 1);
    table.rows.push_back(std::move(row));
  }
  return table;
}

// All points, those of each size asked for, of like mean length of a block, and of each group of layouts.
std::vector<std::pair<std::string, Points::Filter>> Points::groups(const std::vector<std::int64_t>& sizes) const {
  std::vector<std::pair<std::string, Filter>> all{{"all", [](const Point&) { return true; }}};
  for (const std::int64_t size : sizes)
    all.emplace_back(fmt::format("{} B", size), [size](const Point& p) { return p.asked_for == size; });
  constexpr std::int64_t ends[] = {8, 16, 64, 512, 4096, std::numeric_limits<std::int64_t>::max()};
  std::int64_t begin = 1;
  for (const std::int64_t end : ends) {
    const std::string to = end == std::numeric_limits<std::int64_t>::max() ? "" : std::to_string(end);
    all.emplace_back(fmt::format("blocks of {}-{} B", begin, to),
                     [begin, end](const Point& p) { return p.mean_block >= begin && p.mean_block <= end; });
    begin = end + 1;
  }
  std::set<std::string> names;
  for (const Point& point : points_) names.insert(point.group);
  for (const std::string& name : names)
    all.emplace_back(name, [name](const Point& point) { return point.group == name; });
  return all;
}

// Nothing without points.
std::vector<Cell> Points::means_of(const std::string& series, const Filter& has) const {
  std::vector<double> logs(variants_.size());
  int count = 0;
  for (const Point& point : points_) {
    if (point.series != series || !has(point)) continue;
    ++count;
    for (std::size_t v = 0; v < logs.size(); ++v) logs[v] += std::log(point.seconds[0] / point.seconds[v]);
  }
  std::vector<Cell> means;
  for (const double log : logs)
    if (count != 0) means.emplace_back(std::exp(log / count), 2);
  return means;
}

std::string Points::as_fast(const std::string& series, std::size_t variant) const {
  constexpr double enough = 0.97;
  const Point* worst = nullptr;
  const auto ratio = [variant](const Point& point) { return point.seconds[0] / point.seconds[variant]; };
  int count = 0, fast = 0;
  for (const Point& point : points_) {
    if (point.series != series) continue;
    ++count;
    fast += ratio(point) >= enough ? 1 : 0;
    if (worst == nullptr || ratio(point) < ratio(*worst)) worst = &point;
  }
  return fmt::format("{} against host ({}): at least {} at {} of {} points, worst {:.2f} at {} {} {}",
                     variants_[variant], series, enough, fast, count, ratio(*worst), worst->layout, worst->bytes,
                     worst->call);
}

FigureTable Points::means(const std::string& name, const std::vector<std::int64_t>& sizes) const {
  FigureTable table{.name = name + "-means",
                    .title = "host's time to each variant's, geometric means",
                    .columns = {"call", "points"}};
  table.texts = 2;
  table.columns.insert(table.columns.end(), variants_.begin(), variants_.end());
  for (const std::string& series : series_) {
    for (const auto& [points, has] : groups(sizes)) {
      std::vector<Cell> row = means_of(series, has);
      if (row.empty()) continue;
      row.insert(row.begin(), {series, points});
      table.rows.push_back(std::move(row));
    }
    for (std::size_t v = 1; v < variants_.size(); ++v)
      if (variants_[v] == "marshal" || variants_[v] == "again") table.notes.push_back(as_fast(series, v));
  }
  return table;
}

}  // namespace marshal::bench
