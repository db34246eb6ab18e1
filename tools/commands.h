// The subcommands of `marshal`, one source each. arguments[0] is the subcommand's name, as argv[0] is a program's; the
// return value is the exit status.
#pragma once

#include <span>

namespace marshal::tools {

using Arguments = std::span<char* const>;

int run_command(Arguments arguments);
int launch_command(Arguments arguments);
int info_command(Arguments arguments);
int profile_command(Arguments arguments);
int jobs_command(Arguments arguments);
int report_command(Arguments arguments);
int map_command(Arguments arguments);
int order_command(Arguments arguments);
int tune_command(Arguments arguments);

// The benchmarks; arguments[0] is the benchmark's name.
int bench_cart(Arguments arguments);
int bench_files(Arguments arguments);
int bench_messages(Arguments arguments);
int bench_order(Arguments arguments);
int bench_overhead(Arguments arguments);
int bench_pack(Arguments arguments);
int bench_planning(Arguments arguments);
int bench_rankmap(Arguments arguments);

}  // namespace marshal::tools
