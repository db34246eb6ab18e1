#include "tools/bench_rankmap/papi_counters.h"

namespace marshal::tools {

PapiCounters::PapiCounters() : papi_(counters::load_papi(counters::papi_file_names(), reason_)) {
  if (!papi_) return;
  int status = papi_->create_eventset(&event_set_), code = 0;
  for (const char* event : {"PAPI_L1_DCM", "PAPI_L2_DCM"}) {
    if (status == 0) status = papi_->name_to_code(event, &code);
    if (status == 0) status = papi_->add_event(event_set_, code);
  }
  if (status != 0) reason_ = std::string("PAPI: ") + papi_->strerror(status);
}

std::optional<std::array<double, 2>> PapiCounters::count(const std::function<void()>& work) const {
  std::array<long long, 2> values{};
  if (!available() || papi_->start(event_set_) != 0) return std::nullopt;
  work();
  if (papi_->stop(event_set_, values.data()) != 0) return std::nullopt;
  return std::array<double, 2>{static_cast<double>(values[0]), static_cast<double>(values[1])};
}

}  // namespace marshal::tools
