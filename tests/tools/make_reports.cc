// Writes the reports of made-up runs, by Marshal's own code. Always the same ones.
//
//   make_reports summaries DIRECTORY RUNS
//     as a site has them: DIRECTORY/USER/YEAR/MONTH/PROGRAM-JOB.summary.json. Prints what they add up to, with the
//     names and numbers that `marshal jobs --json` has for it: all times are whole hours, so that the sums are exact.
//   make_reports partial REPORT DIRECTORY RANK...
//     of processes of that report's job that ended without MPI_Finalize: DIRECTORY/rankRANK.json
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "pages/pages.h"
#include "tests/unit/record/random_record.h"

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

bool write(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  if (file.flush().good()) return true;
  std::perror(path.c_str());
  return false;
}

bool write_summary(const std::string& directory, const Summary& summary) {
  const std::string place =
      fmt::format("{}/{}/{}/{}", directory, summary.user, summary.started.substr(0, 4), summary.started.substr(5, 2));
  std::filesystem::create_directories(place);
  return write(fmt::format("{}/{}-{}.summary.json", place, summary.program, summary.job_id), to_json(summary));
}

int write_summaries(const std::string& directory, std::uint64_t runs) {
  std::uint64_t rank_hours = 0, bytes = 0, between = 0, saved = 0, warnings = 0;
  for (std::uint64_t number = 0; number < runs; ++number) {
    const Summary summary = made_up(number);
    if (!write_summary(directory, summary)) return 1;
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

// Every member of these is filled: they have the job alone in common with the report.
int write_partial(const char* report, const std::string& directory, char** begin, char** end) {
  std::stringstream text;
  text << std::ifstream(report).rdbuf();
  std::string why_not;
  const std::optional<Record> whole = from_json(text.str(), why_not);
  if (!whole) {
    std::fprintf(stderr, "%s: %s\n", report, why_not.c_str());
    return 1;
  }
  for (char** argument = begin; argument != end; ++argument) {
    const std::uint64_t rank = std::strtoull(*argument, nullptr, 10);
    Record record = RandomRecords(static_cast<unsigned>(rank)).record(rank, 8);
    record.job = whole->job;
    record.partial = record.ranks;
    if (!write(fmt::format("{}/rank{}.json", directory, rank), to_json(record))) return 1;
  }
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view kind = count > 1 ? arguments[1] : "";
  if (kind == "summaries" && count == 4) return write_summaries(arguments[2], std::strtoull(arguments[3], nullptr, 10));
  if (kind == "partial" && count > 4)
    return write_partial(arguments[2], arguments[3], arguments + 4, arguments + count);
  std::fputs("usage: make_reports summaries DIRECTORY RUNS | partial REPORT DIRECTORY RANK...\n", stderr);
  return 2;
}
