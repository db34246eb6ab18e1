// `marshal bench pack`: starts measure.cc's program for each host, one after the other, under Marshal's library, whose
// MPI_Pack is one of the variants. With --counts twice: by the processor's counters, and under callgrind. With --fixed
// by turns with and without Marshal (fixed_costs_by_turns.h).
#include <fmt/format.h>
#include <unistd.h>

#include <bit>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/message.h"
#include "tools/bench_pack/fixed_costs_by_turns.h"
#include "tools/commands.h"
#include "tools/mpi_family.h"
#include "tools/mpi_program.h"
#include "tools/scratch_directory.h"

namespace marshal::tools {
namespace {

// False, with a line on stderr, when it failed.
bool run(const ConfiguredHost& host, const std::string& name, const std::vector<std::string>& before,
         std::vector<std::string> variables, const std::vector<std::string>& arguments) {
  const auto installed = installed_benchmark("bench pack", name, host.family);
  if (!installed) return false;
  variables.push_back("MARSHAL_REPORT=none");
  std::vector<std::string> command = before;
  command.push_back(installed->program);
  command.insert(command.end(), arguments.begin(), arguments.end());
  const int status = run_shown(launch_command(host, 1, variables, {installed->library}, command));
  if (status != 0) say(Level::error, "bench pack: {} ended with status {}", installed->program, status);
  return status == 0;
}

// Callgrind knows no AVX-512: its program has loops by hand without, and the engine takes other kernels by itself.
bool run_under_callgrind(const ConfiguredHost& host, std::vector<std::string> variables,
                         const std::vector<std::string>& arguments) {
  const ScratchDirectory scratch;
  const std::string file = scratch.file("callgrind");
  std::vector<std::string> valgrind{"valgrind", "--quiet", "--tool=callgrind", "--cache-sim=yes",
                                    "--collect-atstart=no"};
  valgrind.push_back("--callgrind-out-file=" + file + ".%p");
  // Valgrind rounds odd sizes of the last level, which virtual machines report, and prints long messages about it.
  if (const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE); bytes > 0)
    valgrind.push_back(fmt::format("--LL={},16,64", std::bit_floor(static_cast<std::uint64_t>(bytes))));
  variables.push_back("MARSHAL_BENCH_CALLGRIND_FILE=" + file);
  return run(host, "marshal-bench-pack-counts", valgrind, std::move(variables), arguments);
}

}  // namespace

int bench_pack(Arguments arguments) {
  std::string only;
  FixedCostsWanted wanted;
  std::vector<std::string> passed_on;
  bool asks_for_help = false, as_json = false, counts = false, fixed = false;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::string_view argument = arguments[i];
    if (argument.starts_with("--mpi=")) {
      only = argument.substr(6);
    } else if (argument == "--mpi" && i + 1 < arguments.size()) {
      only = arguments[++i];
    } else {
      passed_on.emplace_back(argument);
      asks_for_help = asks_for_help || argument == "--help" || argument == "-h";
      as_json = as_json || argument == "--json";
      counts = counts || argument == "--counts";
      fixed = fixed || argument == "--fixed";
      // The program that is started refuses what is no number.
      if (argument == "--rounds" && i + 1 < arguments.size()) wanted.rounds = std::atoi(arguments[i + 1]);
      if (argument.starts_with("--rounds=")) wanted.rounds = std::atoi(argument.substr(9).data());
    }
  }
  wanted.arguments = passed_on;
  wanted.json = as_json;
  // With messages on, Open MPI's own MPI_Pack would run on Marshal's engine, too.
  const std::vector<std::string> variables{"MARSHAL_MESSAGES=off"};
  bool ran = false;
  for (const ConfiguredHost& host : configured_hosts()) {
    if (!only.empty() && only != family_tag(host.family)) continue;
    if (!as_json && !asks_for_help) fmt::print("{}\n", family_name(host.family));
    std::fflush(stdout);
    const bool both = counts && !asks_for_help;
    if (fixed && !asks_for_help) {
      if (!bench_fixed_costs(host, wanted)) return 1;
    } else {
      if ((!both || !as_json) && !run(host, "marshal-bench-pack", {}, variables, passed_on)) return 1;
      if (both && !run_under_callgrind(host, variables, passed_on)) return 1;
    }
    if (asks_for_help) return 0;
    ran = true;
  }
  if (ran) return 0;
  say(Level::error, "bench pack: Marshal was not built for an MPI named {}", only);
  return 2;
}

}  // namespace marshal::tools
