#include "tools/bench/points.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>

namespace marshal::bench {

using report::Json;

void LayoutOptions::add_to(tools::CommandLine& line) {
  line.option("--mpi", &mpi, "openmpi or mpich (default: every one Marshal was built for)",
              {.among = {"openmpi", "mpich"}});
  line.option("--sizes", &sizes, "packed bytes", {.positive = true, .shows_default = true, .commas = true});
  line.option("--only", &only, "layouts whose group/name matches this regular expression", {.shows_default = true});
  line.option("--rounds", &rounds, "samples of each variant", {.positive = true, .shows_default = true});
  line.option("--slice", &slice, "seconds of a sample", {.positive = true, .shows_default = true});
  line.flag("--json", json, "print JSON");
}

void Points::add(Point point) {
  if (!options_.json) {
    if (points_.empty()) {
      fmt::print("{:<19} {:<33} {:>9}", "call", "layout", "bytes");
      for (const std::string& variant : variants_) fmt::print(" {:>10}", variant);
      fmt::print("   (us)\n");
    }
    fmt::print("{:<19} {:<33} {:>9}", point.call, point.group + "/" + point.layout, point.bytes);
    for (const double seconds : point.seconds) fmt::print(" {:>10.{}f}", seconds * 1e6, seconds < 1e-5 ? 3 : 1);
    fmt::print("\n");
    std::fflush(stdout);
  }
  points_.push_back(std::move(point));
}

void Points::pass_over(const Layout& layout, double memory) const {
  if (!options_.json)
    fmt::print("{:<22} {:>9} passed over: takes {:.1f} GB of memory\n", layout.name, layout.bytes(), memory * 1e-9);
}

// All points, those of each size asked for, of like mean length of a block, and of each group of layouts.
std::vector<std::pair<std::string, Points::Filter>> Points::groups() const {
  std::vector<std::pair<std::string, Filter>> all{{"all", [](const Point&) { return true; }}};
  for (const std::int64_t size : options_.sizes)
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

std::vector<double> Points::means(const std::string& series, const Filter& has) const {
  std::vector<double> logs(variants_.size());
  int count = 0;
  for (const Point& point : points_) {
    if (point.series != series || !has(point)) continue;
    ++count;
    for (std::size_t v = 0; v < logs.size(); ++v) logs[v] += std::log(point.seconds[0] / point.seconds[v]);
  }
  if (count == 0) return {};
  for (double& log : logs) log = std::exp(log / count);
  return logs;
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

Json Points::by_variant(const std::vector<double>& values) const {
  Json object = Json::object();
  for (std::size_t v = 0; v < variants_.size(); ++v) object.add(variants_[v], values[v]);
  return object;
}

void Points::print_end() const {
  std::vector<std::string> all_series;
  for (const Point& point : points_)
    if (std::find(all_series.begin(), all_series.end(), point.series) == all_series.end())
      all_series.push_back(point.series);
  Json points = Json::array(), all_means = Json::array();
  for (const Point& point : points_)
    points.push_back(Json::object({{"call", point.call},
                                   {"layout", point.group + "/" + point.layout},
                                   {"bytes", point.bytes},
                                   {"mean_block", point.mean_block},
                                   {"seconds", by_variant(point.seconds)}}));
  if (!options_.json) {
    fmt::print("\nhost's time to each variant's, geometric means\n{:<19} {:<24}", "", "points");
    for (const std::string& variant : variants_) fmt::print(" {:>10}", variant);
    fmt::print("\n");
  }
  for (const std::string& series : all_series)
    for (const auto& [name, has] : groups()) {
      const std::vector<double> of = means(series, has);
      if (of.empty()) continue;
      all_means.push_back(Json::object({{"call", series}, {"points", name}, {"host_to", by_variant(of)}}));
      if (options_.json) continue;
      fmt::print("{:<19} {:<24}", series, name);
      for (const double mean : of) fmt::print(" {:>10.2f}", mean);
      fmt::print("\n");
    }
  if (options_.json) {
    const Json all = Json::object({{"points", std::move(points)}, {"means", std::move(all_means)}});
    fmt::print("{}\n", report::json_text(all, 2));
    return;
  }
  for (const std::string& series : all_series)
    for (std::size_t v = 1; v < variants_.size(); ++v)
      if (variants_[v] == "marshal" || variants_[v] == "again") fmt::print("{}\n", as_fast(series, v));
}

}  // namespace marshal::bench
