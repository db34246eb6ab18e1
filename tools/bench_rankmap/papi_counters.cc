#include "tools/bench_rankmap/papi_counters.h"

#include <dlfcn.h>
#include <papi.h>

#include "base/dynamic_symbol.h"

namespace marshal::tools {
namespace {

template <class Function>
Function* symbol(void* library, const char* name) {
  Function* function;
  find_symbol(library, name, function);
  return function;
}

}  // namespace

PapiCounters::PapiCounters() {
  for (const char* name : {"libpapi.so.7.0", "libpapi.so.7", "libpapi.so.6.0", "libpapi.so"}) {
    if ((library_ = dlopen(name, RTLD_NOW | RTLD_LOCAL)) != nullptr) break;
  }
  if (library_ == nullptr) {
    reason_ = "libpapi is not installed";
    return;
  }
  auto* const init = symbol<int(int)>(library_, "PAPI_library_init");
  auto* const create = symbol<int(int*)>(library_, "PAPI_create_eventset");
  auto* const add = symbol<int(int, int)>(library_, "PAPI_add_event");
  auto* const explain = symbol<char*(int)>(library_, "PAPI_strerror");
  if (init == nullptr || create == nullptr || add == nullptr || explain == nullptr ||
      init(PAPI_VER_CURRENT) != PAPI_VER_CURRENT) {
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
  if (library_ == nullptr) return;
  if (auto* const shutdown = symbol<void()>(library_, "PAPI_shutdown")) shutdown();
}

std::optional<std::array<double, 2>> PapiCounters::count(const std::function<void()>& work) const {
  auto* const start = symbol<int(int)>(library_, "PAPI_start");
  auto* const stop = symbol<int(int, long long*)>(library_, "PAPI_stop");
  std::array<long long, 2> values{};
  if (!available() || start(event_set_) != PAPI_OK) return std::nullopt;
  work();
  if (stop(event_set_, values.data()) != PAPI_OK) return std::nullopt;
  return std::array<double, 2>{static_cast<double>(values[0]), static_cast<double>(values[1])};
}

}  // namespace marshal::tools
