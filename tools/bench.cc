// `marshal bench NAME`: starts one of the benchmarks.
#include "tools/subcommands.h"

namespace marshal::tools {
namespace {

constexpr Subcommand benches[] = {
    {"cart", "what reordered grids gain on emulated nodes with a limited network, measured and predicted", bench_cart},
    {"messages", "messages of datatypes: the host, loops by hand, MPI_Pack before the send, Marshal, contiguous ones",
     bench_messages},
    {"order", "how good the orders of marshal order are, beside other methods, and how long they take", bench_order},
    {"overhead", "what Marshal costs: calls, communicator creation, messages, init and finalize", bench_overhead},
    {"pack", "packing of datatypes: the host, loops by hand, Marshal's strategies, the bound of touched lines",
     bench_pack},
    {"planning", "the planning of a large reordered grid, alone and shared by many processes", bench_planning},
    {"rankmap", "the figures of the rank map papers, beside models and what Marshal takes", bench_rankmap},
};

}  // namespace

int bench_command(Arguments arguments) {
  return hand_on({.kind = "benchmark",
                  .caller = "marshal bench",
                  .intro = "Usage: marshal bench NAME [OPTIONS]\n\nMeasures on this machine, variants interleaved, "
                           "medians of many.",
                  .more = "`marshal bench NAME --help` tells more, as does marshal-bench(1).",
                  .all = benches},
                 arguments);
}

}  // namespace marshal::tools
