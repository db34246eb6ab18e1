// `marshal bench messages`: starts measure.cc's program on two ranks of each host, one host after the other, under
// Marshal's library.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "base/message.h"
#include "tools/commands.h"
#include "tools/mpi_program.h"

namespace marshal::tools {

int bench_messages(Arguments arguments) {
  const bool asks_for_help = has_flag(arguments, "--help") || has_flag(arguments, "-h");
  BenchmarkRun run{.command = "bench messages",
                   .program = "marshal-bench-messages",
                   .arguments = {arguments.begin() + 1, arguments.end()},
                   .variables = {"MARSHAL_REPORT=none"},
                   .ranks = asks_for_help ? 1 : 2,
                   .with_marshal = !has_flag(arguments, "--bare"),
                   .streams = Streams::shown};
  const std::string asked_for = value_of(arguments, "--transport"), transport = asked_for.empty() ? "shm" : asked_for;
  if (transport != "shm" && transport != "tcp") {
    say(Level::error, "bench messages: --transport {}: it is shm or tcp", transport);
    return 2;
  }
  const std::string way = value_of(arguments, "--by");
  if (!way.empty() && way != "pipeline" && way != "calls") {
    say(Level::error, "bench messages: --by {}: it is pipeline or calls", way);
    return 2;
  }
  if (!way.empty()) run.variables.push_back("MARSHAL_MESSAGES=" + way);
  const std::vector<ConfiguredHost> hosts = hosts_named(run.command, value_of(arguments, "--mpi"));
  for (const ConfiguredHost& host : hosts) {
    if (!asks_for_help && !has_flag(arguments, "--json"))
      fmt::print("{}, {}{}\n", family_name(host.family), transport, run.with_marshal ? "" : ", without Marshal");
    BenchmarkRun on_host = run;
    if (transport == "tcp")
      on_host.variables.push_back(host.family == MpiFamily::open_mpi ? "OMPI_MCA_btl=self,tcp" : "UCX_TLS=tcp,self");
    if (!run_benchmark(host, on_host)) return 1;
    if (asks_for_help) return 0;
  }
  return hosts.empty() ? 2 : 0;
}

}  // namespace marshal::tools
