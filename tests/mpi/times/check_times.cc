// check_times REPORT OUTPUT: are the report's times those that the program measured round its calls? Of each sum over
// the processes, the least, the most and whose that is; within 2 %, or what the program says, and 2 ms for what one
// clock sees and the other not.
//
// Lines of the output that begin with "timed RANK" say what a rank measured, in seconds:
//   timed RANK call NAME SECONDS          in calls of one kind
//   timed RANK region NAME RUN MPI        in a region, and of that in MPI
//   timed RANK others SECONDS             in MPI, by other threads
//   timed RANK run RUN MPI                from MPI_Init to MPI_Finalize, and of that in MPI
//   timed RANK within 0.05 0.004          the report may be off by 5 %, and by 4 ms in place of 2
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>

#include "pages/pages.h"

namespace {

using marshal::report::RankedSpread;
using marshal::report::Spread;

bool all_right = true;
double within = 0.02, besides = 0.002;

void expect(bool holds, const std::string& what) {
  if (holds) return;
  fmt::print("times: {}\n", what);
  all_right = false;
}

void expect_close(const std::string& what, double reported_ns, double measured_s, double samples) {
  const double reported = reported_ns * 1e-9;
  expect(std::abs(reported - measured_s) <= within * measured_s + besides * samples,
         fmt::format("{}: {:.6f} s reported, {:.6f} s measured", what, reported, measured_s));
}

// What the ranks measured of one thing.
using ByRank = std::map<std::uint64_t, double>;

void compare(const std::string& what, const Spread& reported, const ByRank& measured) {
  double sum = 0, least = HUGE_VAL, most = 0;
  for (const auto& [rank, seconds] : measured)
    sum += seconds, least = std::min(least, seconds), most = std::max(most, seconds);
  const auto samples = static_cast<double>(measured.size());
  expect(reported.samples == measured.size(),
         fmt::format("{}: of {} processes, not {}", what, reported.samples, measured.size()));
  expect_close(what + ", all", static_cast<double>(reported.sum), sum, samples);
  expect_close(what + ", least", static_cast<double>(reported.min), least, 1);
  expect_close(what + ", most", static_cast<double>(reported.max), most, 1);
}
void compare(const std::string& what, const RankedSpread& reported, const ByRank& measured) {
  compare(what, reported.of, measured);
  const auto of_most = measured.find(reported.most_rank);
  expect(of_most != measured.end(), fmt::format("{}: rank {} measured nothing", what, reported.most_rank));
  if (of_most != measured.end())
    expect_close(what + ", most, of the rank that the report names", static_cast<double>(reported.of.max),
                 of_most->second, 1);
}

struct Measured {
  std::map<std::string, ByRank> calls, region_runs, region_mpi;
  ByRank others, runs, mpi;
};

Measured read(const char* path) {
  Measured measured;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string timed, what, name;
    std::uint64_t rank = 0;
    if (!(words >> timed >> rank >> what) || timed != "timed") continue;
    if (what == "call" && words >> name) words >> measured.calls[name][rank];
    if (what == "region" && words >> name) words >> measured.region_runs[name][rank] >> measured.region_mpi[name][rank];
    if (what == "others") words >> measured.others[rank];
    if (what == "within") words >> within >> besides;
    if (what == "run") words >> measured.runs[rank] >> measured.mpi[rank];
    expect(!words.fail(), "cannot be read: " + line);
  }
  return measured;
}

void check(const marshal::report::Record& record, const Measured& measured) {
  expect(!measured.runs.empty(), "the program measured nothing");
  compare("run", record.times.run.run_ns, measured.runs);
  compare("MPI", record.times.run.mpi_ns, measured.mpi);
  compare("other threads", record.times.other_threads_ns, measured.others);
  for (const auto& [name, ranks] : measured.calls) {
    const auto* row = record.calls.find(name);
    expect(row != nullptr, name + ": not in the report");
    if (row != nullptr) compare(name, row->time_ns, ranks);
  }
  std::map<std::string, double> at_places;
  record.times.places.each([&](const auto& place, const auto& row) {
    at_places[place.site.call] += static_cast<double>(row.time_ns.of.sum);
  });
  for (const auto& [name, seconds] : at_places)
    if (const auto* row = record.calls.find(name))
      expect(std::abs(seconds - static_cast<double>(row->time_ns.of.sum)) <= 1000,
             fmt::format("{}: {} ns by place, {} ns in all", name, seconds, row->time_ns.of.sum));
  expect(record.times.regions.size() == measured.region_runs.size(),
         fmt::format("{} regions, not {}", record.times.regions.size(), measured.region_runs.size()));
  for (const auto& [name, ranks] : measured.region_runs) {
    const auto* row = record.times.regions.find(name);
    expect(row != nullptr, name + ": no such region in the report");
    if (row == nullptr) continue;
    compare(name, row->run.run_ns, ranks);
    compare(name + ", MPI", row->run.mpi_ns, measured.region_mpi.at(name));
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print("usage: check_times REPORT OUTPUT\n");
    return 2;
  }
  std::ifstream file(argv[1]);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::string why_not;
  const auto record = marshal::report::from_json(text, why_not);
  expect(record.has_value(), why_not);
  if (record) check(*record, read(argv[2]));
  return all_right ? 0 : 1;
}
