// Writes the summaries of made-up runs, by Marshal's own code, as a site has them:
//
//   make_summaries DIRECTORY RUNS      DIRECTORY/USER/YEAR/MONTH/PROGRAM-JOB.summary.json
//
// Always the same ones. Prints what they add up to, with the names and numbers that `marshal jobs --json` has for it:
// all times are whole hours, so that the sums are exact.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "report/record_json.h"

using namespace marshal::report;

namespace {

constexpr std::uint64_t hour_ns = 3600ULL * 1000000000;

Summary made_up(std::uint64_t number) {
  constexpr const char* programs[] = {"lmp",   "pw.x",    "heat",      "solver",
                                      "namd3", "wrf.exe", "cp2k.psmp", "python_model.py"};
  Summary summary;
  summary.program = programs[number % 8];
  summary.user = fmt::format("user{:02}", number % 50);
  summary.host = fmt::format("login{}", number % 3);
  summary.job_id = std::to_string(1000000 + number);
  summary.scheduler = "SLURM";
  summary.started = fmt::format("2026-{:02}-{:02}T12:00:00+00:00", 1 + number / 28 % 12, 1 + number % 28);
  summary.marshal_version = "0.2.0";
  summary.mpi = "Open MPI 4.1.4";
  summary.ranks = summary.recorded_ranks = std::uint64_t{1} << number % 9;
  summary.nodes = 1 + summary.ranks / 64;
  const std::uint64_t wall_ns = (1 + number % 5) * hour_ns;
  summary.wall_ns = {summary.ranks, summary.ranks * wall_ns, wall_ns, wall_ns};
  if (number % 2 == 0) summary.mpi_share = 0.25;
  if (number % 10 == 0) summary.saved_seconds = 64;
  summary.own_share = summary.own_cpu_share = 0.0001;
  summary.messages = number;
  summary.bytes = 1000 * number;
  summary.between_nodes = PlacedBytes{100 * number, 200 * number};
  summary.findings = {
      {"to do", "communicators",
       fmt::format("Communicators made by {} (setup.c:{}) are not freed.", "setup", number % 20)},
      {"gained", "grids", fmt::format("{} of {} processes of the 8x8 grid were moved.", number % 64, 64)},
      {"nothing to gain", "traffic",
       fmt::format("Messages: {} KiB in {} messages; 3.2 % of the bytes left their node.", number, number)}};
  summary.warnings = number % 2;
  return summary;
}

bool write(const std::string& directory, const Summary& summary) {
  const std::string place =
      fmt::format("{}/{}/{}/{}", directory, summary.user, summary.started.substr(0, 4), summary.started.substr(5, 2));
  std::filesystem::create_directories(place);
  std::ofstream file(fmt::format("{}/{}-{}.summary.json", place, summary.program, summary.job_id));
  file << to_json(summary);
  return file.flush().good();
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::fputs("usage: make_summaries DIRECTORY RUNS\n", stderr);
    return 2;
  }
  const std::uint64_t runs = std::strtoull(arguments[2], nullptr, 10);
  std::uint64_t rank_hours = 0, bytes = 0, between = 0, saved = 0, warnings = 0;
  for (std::uint64_t number = 0; number < runs; ++number) {
    const Summary summary = made_up(number);
    if (!write(arguments[1], summary)) {
      std::perror(arguments[1]);
      return 1;
    }
    rank_hours += summary.wall_ns.sum / hour_ns;
    bytes += *summary.bytes;
    between += summary.between_nodes->in_force;
    saved += summary.saved_seconds ? 64 : 0;
    warnings += summary.warnings;
  }
  fmt::print(
      "\"runs\": {}\n\"rank_hours\": {}.0\n\"mpi_share\": 0.25\n\"bytes\": {}.0\n\"bytes_between_nodes\": {}.0\n", runs,
      rank_hours, bytes, between);
  fmt::print("\"bytes_between_nodes_given\": {}.0\n\"saved_rank_seconds\": {}.0\n\"warnings\": {}\n", 2 * between,
             saved, warnings);
  return 0;
}
