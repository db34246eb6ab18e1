// How much faster or slower one way is than another, over many layouts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "report/json.h"

namespace marshal::bench {

class Ratios {
 public:
  // `enough`: from which ratio on a point counts as as fast.
  explicit Ratios(double enough) : enough_(enough) {}

  void add(double ratio, const std::string& layout, std::int64_t bytes, bool unpack);
  bool empty() const { return points_ == 0; }

  // "<mean>  <share> % of <points>  <worst> at <layout> <bytes> pack"
  std::string text() const;
  // Adds geometric_mean, share_at_least_<enough>, worst, worst_at and points.
  void add_to(report::Json& object) const;

 private:
  double mean() const;
  double share() const;

  double enough_;
  double logs_ = 0, worst_ = 0;
  std::string worst_at_, worst_layout_;
  std::size_t points_ = 0, at_least_ = 0;
};

}  // namespace marshal::bench
