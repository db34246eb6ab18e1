#include "tools/bench_cart/emulated_nodes.h"

#include <fmt/format.h>

#include <array>
#include <cstdlib>

#include "base/message.h"
#include "mapping/prediction.h"

namespace marshal::tools {

std::optional<double> rate_of(const std::string& text) {
  constexpr std::array<std::pair<const char*, double>, 3> units{{{"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}}};
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  for (const auto& [unit, bits] : units)
    if (number > 0 && std::string(end) == unit) return number * bits / 8;
  return std::nullopt;
}

EmulatedNodes::EmulatedNodes(int nodes, int per_node, std::string rate, std::string way)
    : nodes_(nodes),
      per_node_(per_node),
      rate_(rate == "none" ? "" : std::move(rate)),
      way_(std::move(way)),
      script_(beside_mpi_programs("cluster/run")) {}

void EmulatedNodes::try_limit(const ConfiguredHost& host) {
  if (!limited()) return;
  std::vector<std::string> trial = command(host, {}, {}, {"true"});
  trial.insert(trial.begin() + 1, {"--timeout", "30"});
  if (run_to_end(trial, Streams::captured_quietly).status == 0) return;
  say(Level::warning, "bench cart: this machine allows no network of {} for each node: measured without a limit",
      rate_);
  rate_.clear();
}

std::string EmulatedNodes::network() const {
  return limited() ? fmt::format("each with a network of {}", rate_)
                   : "network not limited: predicted for one of 100 gbit, not for this machine";
}

double EmulatedNodes::bytes_per_second() const { return limited() ? *rate_of(rate_) : mapping::Machine{}.node_rate; }

std::vector<std::string> EmulatedNodes::command(const ConfiguredHost& host, const std::string& library,
                                                const std::vector<std::string>& variables,
                                                const std::vector<std::string>& program) const {
  std::vector<std::string> words{script_,
                                 "--host",
                                 family_tag(host.family),
                                 "--nodes",
                                 std::to_string(nodes_),
                                 "--ranks",
                                 std::to_string(nodes_ * per_node_),
                                 "--mpiexec",
                                 host.launcher};
  if (limited()) words.insert(words.end(), {"--rate", rate_});
  if (!way_.empty()) words.insert(words.end(), {"--way", way_});
  if (!library.empty()) words.insert(words.end(), {"--preload", library});
  for (const std::string& variable : variables) words.insert(words.end(), {"--env", variable});
  words.push_back("--");
  words.insert(words.end(), program.begin(), program.end());
  return words;
}

}  // namespace marshal::tools
