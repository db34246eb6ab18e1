// The points that `marshal bench pack` and `marshal bench messages` measure: a layout of one size in one call, done in
// each way. A table of them, and one of geometric means.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "record/json.h"
#include "tools/bench/frame.h"

namespace marshal::bench {

struct Point {
  std::string series, call;  // points of one series have means in common
  std::string group, layout;
  std::int64_t asked_for, bytes, mean_block;
  std::vector<double> seconds;  // of each variant
};

class Points {
 public:
  // As the programs print them (print_point() and print_passed_over() of layouts.h); all have the same variants, the
  // first of which is the host.
  explicit Points(const std::vector<report::Json>& lines);

  tools::FigureTable table(const std::string& name, const std::string& title) const;
  // Of the host's time to each variant's, by groups of points; how often the host and Marshal are as fast as the host,
  // and where they are least so.
  tools::FigureTable means(const std::string& name, const std::vector<std::int64_t>& sizes) const;

 private:
  using Filter = std::function<bool(const Point&)>;
  std::vector<std::pair<std::string, Filter>> groups(const std::vector<std::int64_t>& sizes) const;
  std::vector<tools::Cell> means_of(const std::string& series, const Filter& has) const;
  std::string as_fast(const std::string& series, std::size_t variant) const;

  std::vector<std::string> variants_, series_, passed_over_;
  std::vector<Point> points_;
};

}  // namespace marshal::bench
