#include "tools/bench_pack/counting.h"

#include <config.h>
#ifdef HAVE_VALGRIND_CALLGRIND_H
#include <unistd.h>
#include <valgrind/callgrind.h>
#endif

#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <sstream>

#include "tools/bench_rankmap/papi_counters.h"

namespace marshal::bench {
namespace {

#ifdef HAVE_VALGRIND_CALLGRIND_H
// The costs in the file that callgrind wrote last.
std::map<std::string, double> costs_of(const std::filesystem::path& file_name) {
  std::vector<std::string> events;
  std::map<std::string, double> costs;
  std::ifstream file(file_name);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string first;
    words >> first;
    if (first == "events:")
      for (std::string word; words >> word;) events.push_back(word);
    if (first == "totals:" || first == "summary:") {
      std::size_t i = 0;
      for (double cost; i < events.size() && words >> cost; ++i) costs[events[i]] = cost;
    }
  }
  return costs;
}

// Callgrind names its files NAME.PID.N, N from 1 on; `marshal bench pack` says which NAME.
std::vector<double> by_callgrind(const std::string& name, int& number, const std::function<void()>& run) {
  run();  // its own data into the simulated caches
  CALLGRIND_ZERO_STATS;
  CALLGRIND_TOGGLE_COLLECT;
  run();
  CALLGRIND_TOGGLE_COLLECT;
  CALLGRIND_DUMP_STATS;
  const std::filesystem::path file = name + "." + std::to_string(getpid()) + "." + std::to_string(++number);
  std::map<std::string, double> costs = costs_of(file);
  std::filesystem::remove(file);
  return {costs["Ir"], costs["D1mr"] + costs["D1mw"], costs["DLmr"] + costs["DLmw"]};
}
#endif

}  // namespace

Counting::Counting() {
#ifdef HAVE_VALGRIND_CALLGRIND_H
  if (RUNNING_ON_VALGRIND) {
    const char* name = std::getenv("MARSHAL_BENCH_CALLGRIND_FILE");
    if (name == nullptr) {
      why_not_ = "the file for callgrind's counts is not known";
      return;
    }
    events_ = {"instructions", "L1D misses (simulated)", "last-level misses (simulated)"};
    count_ = [name = std::string(name), number = std::make_shared<int>(0)](const std::function<void()>& run) {
      return by_callgrind(name, *number, run);
    };
    return;
  }
#endif
  const auto papi = std::make_shared<tools::PapiCounters>();
  if (!papi->available()) {
    why_not_ = papi->reason();
    return;
  }
  events_ = {"L1D misses (PAPI)", "L2 misses (PAPI)"};
  count_ = [papi](const std::function<void()>& run) {
    run();
    const auto counted = papi->count(run);
    return counted ? std::vector<double>(counted->begin(), counted->end()) : std::vector<double>(2);
  };
}

std::vector<double> Counting::of(const std::function<void()>& run) const { return count_(run); }

}  // namespace marshal::bench
