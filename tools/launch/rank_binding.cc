#include "tools/launch/rank_binding.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>
#include <utility>

namespace marshal::tools {
namespace {

int number_in_file(const std::string& path) {
  int number = -1;
  std::ifstream(path) >> number;
  return number;
}

// The processors that this process may use.
std::vector<Processor> allowed_processors() {
  std::vector<Processor> all;
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return all;
  for (int number = 0; number < CPU_SETSIZE; ++number) {
    if (!CPU_ISSET(number, &allowed)) continue;
    const std::string directory = fmt::format("/sys/devices/system/cpu/cpu{}/topology/", number);
    all.push_back({number, number_in_file(directory + "core_id"), number_in_file(directory + "physical_package_id")});
  }
  return all;
}

int number_in_environment(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? -1 : std::atoi(text);
}

}  // namespace

std::vector<int> processors_for(std::string_view policy, std::vector<Processor> processors, int rank, int ranks,
                                bool by_socket) {
  std::vector<int> chosen;
  std::set<std::pair<int, int>> cores;
  std::set<int> packages;
  for (const Processor& processor : processors) {
    cores.emplace(processor.package, processor.core);
    packages.insert(processor.package);
  }
  if (processors.empty() || rank < 0 || ranks > static_cast<int>(cores.size())) return chosen;
  const auto numbers_where = [&](auto is_chosen) {
    for (const Processor& processor : processors)
      if (is_chosen(processor)) chosen.push_back(processor.number);
    return chosen;
  };
  const auto count = static_cast<int>(packages.size());
  const int package = *std::next(packages.begin(), rank % count);
  if (policy == "socket")
    return numbers_where([&](const Processor& processor) { return processor.package == package; });
  if (policy != "core") return chosen;
  std::vector<std::pair<int, int>> candidates;
  for (const auto& core : cores)
    if (!by_socket || core.first == package) candidates.push_back(core);
  const auto at = static_cast<std::size_t>(by_socket ? rank / count : rank);
  if (at >= candidates.size()) return chosen;
  return numbers_where(
      [&](const Processor& processor) { return std::pair(processor.package, processor.core) == candidates[at]; });
}

void bind_rank(std::string_view policy) {
  const std::vector<int> processors = processors_for(
      policy, allowed_processors(), number_in_environment("OMPI_COMM_WORLD_LOCAL_RANK"),
      number_in_environment("OMPI_COMM_WORLD_LOCAL_SIZE"), number_in_environment("OMPI_COMM_WORLD_SIZE") > 2);
  if (processors.empty()) return;
  cpu_set_t chosen;
  CPU_ZERO(&chosen);
  for (const int processor : processors) CPU_SET(processor, &chosen);
  sched_setaffinity(0, sizeof chosen, &chosen);
}

}  // namespace marshal::tools
