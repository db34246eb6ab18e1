#include "tools/bench_pack/ratios.h"

#include <fmt/core.h>

#include <cmath>

namespace marshal::bench {

void Ratios::add(double ratio, const std::string& layout, std::int64_t bytes, bool unpack) {
  logs_ += std::log(ratio);
  at_least_ += ratio >= enough_;
  if (points_ == 0 || ratio < worst_) {
    worst_ = ratio;
    worst_layout_ = layout;
    worst_at_ = fmt::format("{} {} {}", layout, bytes, unpack ? "unpack" : "pack");
  }
  ++points_;
}

double Ratios::mean() const { return std::exp(logs_ / static_cast<double>(points_)); }
double Ratios::share() const { return static_cast<double>(at_least_) / static_cast<double>(points_); }

std::string Ratios::text() const {
  return fmt::format("{:6.2f}  {:4.0f} % of {:3}  {:5.2f} at {}", mean(), 100 * share(), points_, worst_, worst_at_);
}

void Ratios::add_to(report::Json& object) const {
  object.add("geometric_mean", mean());
  object.add(fmt::format("share_at_least_{}", enough_), share());
  object.add("worst", worst_);
  object.add("worst_at", worst_layout_);
  object.add("points", points_);
}

}  // namespace marshal::bench
