// Two hardware counters through PAPI, loaded when asked for.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>

namespace marshal::tools {

class PapiCounters {
 public:
  // Loads PAPI; after that available() says whether this machine counts misses of the first and second level of cache.
  PapiCounters();
  ~PapiCounters();
  PapiCounters(const PapiCounters&) = delete;
  PapiCounters& operator=(const PapiCounters&) = delete;

  bool available() const { return event_set_ >= 0; }
  // Why it is not available.
  const std::string& reason() const { return reason_; }
  // L1D and L2 misses while `work` runs.
  std::optional<std::array<double, 2>> count(const std::function<void()>& work) const;

 private:
  int (*start_)(int) = nullptr;
  int (*stop_)(int, long long*) = nullptr;
  void (*shutdown_)() = nullptr;
  int event_set_ = -1;
  std::string reason_;
};

}  // namespace marshal::tools
