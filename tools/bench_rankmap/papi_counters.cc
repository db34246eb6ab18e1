#include "tools/bench_rankmap/papi_counters.h"

#include <papi.h>

#include "base/dynamic_library.h"

namespace marshal::tools {

PapiCounters::PapiCounters() {
  DynamicLibrary library{"libpapi.so.7.0", "libpapi.so.7", "libpapi.so.6.0", "libpapi.so"};
  if (!library.is_loaded()) {
    reason_ = "libpapi is not installed";
    return;
  }
  int (*init)(int);
  int (*create)(int*);
  int (*add)(int, int);
  char* (*explain)(int);
  library.find("PAPI_library_init", init);
  library.find("PAPI_create_eventset", create);
  library.find("PAPI_add_event", add);
  library.find("PAPI_strerror", explain);
  library.find("PAPI_start", start_);
  library.find("PAPI_stop", stop_);
  library.find("PAPI_shutdown", shutdown_);
  if (library.missing() != nullptr || init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) {
    reason_ = "libpapi is of another version";
    return;
  }
  int set = PAPI_NULL;
  int status = create(&set);
  if (status == PAPI_OK) status = add(set, static_cast<int>(PAPI_L1_DCM));
  if (status == PAPI_OK) status = add(set, static_cast<int>(PAPI_L2_DCM));
  if (status == PAPI_OK) {
    event_set_ = set;
  } else {
    reason_ = std::string("PAPI: ") + explain(status);
  }
}

PapiCounters::~PapiCounters() {
  if (shutdown_ != nullptr) shutdown_();
}

std::optional<std::array<double, 2>> PapiCounters::count(const std::function<void()>& work) const {
  std::array<long long, 2> values{};
  if (!available() || start_(event_set_) != PAPI_OK) return std::nullopt;
  work();
  if (stop_(event_set_, values.data()) != PAPI_OK) return std::nullopt;
  return std::array<double, 2>{static_cast<double>(values[0]), static_cast<double>(values[1])};
}

}  // namespace marshal::tools
