// Two hardware counters through PAPI, loaded when asked for: misses of the first and second level of cache.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

#include "counters/papi.h"

namespace marshal::tools {

class PapiCounters {
 public:
  PapiCounters();

  // Whether this machine counts them; if not, why.
  bool available() const { return reason_.empty(); }
  const std::string& reason() const { return reason_; }
  // L1D and L2 misses while `work` runs.
  std::optional<std::array<double, 2>> count(const std::function<void()>& work) const;

 private:
  std::string reason_;
  std::optional<counters::Papi> papi_;
  int event_set_ = -1;
};

}  // namespace marshal::tools
