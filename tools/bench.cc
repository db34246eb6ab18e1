// `marshal bench NAME`: the figures, reproduced here.
#include <fmt/format.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/message.h"
#include "base/nearest_name.h"
#include "tools/commands.h"

namespace marshal::tools {
namespace {

struct Bench {
  std::string_view name;
  std::string_view help;
  int (*run)(Arguments);
};

constexpr Bench kBenches[] = {
    {"cart", "what reordered grids gain on emulated nodes with a limited network, measured and predicted", bench_cart},
    {"overhead", "what Marshal costs: calls, communicator creation, messages, init and finalize", bench_overhead},
    {"pack", "packing of datatypes: the host, loops by hand, Marshal's strategies, the bound of touched lines",
     bench_pack},
    {"rankmap", "the figures of the rank map papers, beside models and what Marshal takes", bench_rankmap},
};

void print_help() {
  fmt::print(
      "Usage: marshal bench NAME [OPTIONS]\n\nMeasures on this machine, variants interleaved, medians of many.\n\n");
  for (const Bench& bench : kBenches) fmt::print("  {:<9} {}\n", bench.name, bench.help);
  fmt::print("\n`marshal bench NAME --help` tells more, as does marshal-bench(1).\n");
}

}  // namespace

int bench_command(Arguments arguments) {
  const std::string_view wanted = arguments.size() > 1 ? arguments[1] : "";
  if (wanted == "--help" || wanted == "-h" || wanted.empty()) {
    print_help();
    return wanted.empty() ? 2 : 0;
  }
  std::vector<std::string_view> names;
  for (const Bench& bench : kBenches) {
    if (bench.name == wanted) return bench.run(arguments.subspan(1));
    names.push_back(bench.name);
  }
  const std::string_view nearest = nearest_name(wanted, names);
  say(Level::kError, "no benchmark {}; {}", wanted,
      nearest.empty() ? "`marshal bench --help` lists them" : fmt::format("did you mean {}?", nearest));
  return 2;
}

}  // namespace marshal::tools
