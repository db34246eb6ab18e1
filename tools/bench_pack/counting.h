// Counts instructions and cache misses of a function: under callgrind by its simulation of this processor's caches;
// else misses by PAPI, if this machine has such counters.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace marshal::bench {

class Counting {
 public:
  Counting();

  // Names of the counts, in order; empty if nothing can be counted, for the reason in why_not().
  const std::vector<std::string>& events() const { return events_; }
  const std::string& why_not() const { return why_not_; }
  std::vector<double> of(const std::function<void()>& run) const;

 private:
  std::vector<std::string> events_;
  std::string why_not_;
  std::function<std::vector<double>(const std::function<void()>&)> count_;
};

}  // namespace marshal::bench
