// What `marshal bench pack` and `marshal bench messages` have in common: options, and points that are printed as they
// come, with geometric means at the end.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "record/json.h"
#include "tools/bench/layouts.h"
#include "tools/command_line.h"

namespace marshal::bench {

struct LayoutOptions {
  std::vector<std::int64_t> sizes;  // packed bytes
  std::string only;
  int rounds = 9;
  double slice = 0;  // seconds of a sample
  bool json = false;
  std::string mpi;  // `marshal bench` takes it before the program is started

  void add_to(tools::CommandLine& line);
};

// A layout of one size in one call, done in each way.
struct Point {
  std::string series, call;  // points of one series have means in common
  std::string group, layout;
  std::int64_t asked_for, bytes, mean_block;
  std::vector<double> seconds;  // of each variant
};

class Points {
 public:
  explicit Points(const LayoutOptions& options) : options_(options) {}

  // Variants that all points have; the first one is the host.
  void set_variants(std::vector<std::string> names) { variants_ = std::move(names); }
  void add(Point point);
  void pass_over(const Layout& layout, double memory) const;
  // The means, or all as JSON.
  void print_end() const;

 private:
  using Filter = std::function<bool(const Point&)>;
  std::vector<std::pair<std::string, Filter>> groups() const;
  // Of the host's time to each variant's; none without points.
  std::vector<double> means(const std::string& series, const Filter& has) const;
  // Of the host's time to a variant's, how often it is 0.97 at least, and where it is least.
  std::string as_fast(const std::string& series, std::size_t variant) const;
  report::Json by_variant(const std::vector<double>& values) const;

  LayoutOptions options_;
  std::vector<std::string> variants_;
  std::vector<Point> points_;
};

}  // namespace marshal::bench
