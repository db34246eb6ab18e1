#include "times/regions.h"

#include <algorithm>
#include <utility>

namespace marshal {

std::size_t Regions::number_of(std::string_view name) const {
  return static_cast<std::size_t>(std::ranges::find(regions_, name, &Region::name) - regions_.begin());
}

void Regions::enter(std::string_view name, const TimeSums& so_far) {
  const std::size_t number = number_of(name);
  if (open_.size() == most || (number == regions_.size() && number == most)) return;
  open_.push_back({number, so_far});
  if (number == regions_.size())
    regions_.push_back({std::string(name), 0, {0, std::vector<Ticks>(so_far.calls.size())}});
  ++regions_[number].entries;
}

void Regions::leave_innermost(const TimeSums& so_far) {
  const Open left = std::move(open_.back());
  open_.pop_back();
  if (std::ranges::any_of(open_, [&](const Open& outer) { return outer.region == left.region; })) return;
  TimeSums& sums = regions_[left.region].sums;
  sums.run += so_far.run - left.at_entry.run;
  for (std::size_t i = 0; i < sums.calls.size(); ++i) sums.calls[i] += so_far.calls[i] - left.at_entry.calls[i];
}

bool Regions::leave(std::string_view name, const TimeSums& so_far) {
  const std::size_t number = number_of(name);
  const auto named = [&](const Open& open) { return open.region == number; };
  const auto innermost = std::find_if(open_.rbegin(), open_.rend(), named);
  if (innermost == open_.rend()) return false;
  const auto outer = static_cast<std::size_t>(open_.rend() - innermost) - 1;
  while (open_.size() > outer) leave_innermost(so_far);
  return true;
}

const std::vector<Region>& Regions::end(const TimeSums& so_far) {
  while (!open_.empty()) leave_innermost(so_far);
  return regions_;
}

}  // namespace marshal
