// `marshal tune`: how long packing takes against the size of a segment (papers/mars.txt, figures 4 to 7), on this
// machine; keeps the best in a small file that the library reads.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/message.h"
#include "datatype/flatten.h"
#include "datatype/plan.h"
#include "datatype/tuning.h"
#include "tools/commands.h"

namespace marshal::tools {
namespace {

using namespace datatype;

// Structs of several fields, as their instances lie in memory.
struct Sample {
  const char* name;
  Type type;
  std::int64_t instances;
};

std::vector<Sample> samples() {
  const Type d = basic(8);
  return {
      {"2 doubles of 64 bytes", Resized{0, 64, Hindexed{{1, 1}, {0, 16}, d}}, 8192},
      {"int, double, char[3]", Resized{0, 24, Struct{{1, 1, 3}, {0, 8, 16}, {basic(4), d, basic(1)}}}, 8192},
      {"3 of 5 fields of 200 bytes", Resized{0, 200, Hindexed{{40, 24, 56}, {0, 64, 128}, basic(1)}}, 4096},
      {"4 doubles of a line, lines 8 pages apart", Resized{0, 8 * 4096 + 64, Vector{4, 1, 2, d}}, 2048},
  };
}

double seconds_of(const Plan& plan, std::int64_t count, const std::byte* user, std::byte* packed) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> all;
  for (int round = 0; round < 15; ++round) {
    const auto begin = Clock::now();
    plan.pack(count, user, packed);
    all.push_back(std::chrono::duration<double>(Clock::now() - begin).count());
  }
  std::nth_element(all.begin(), all.begin() + 7, all.end());
  return all[7];
}

struct Curve {
  std::string name;
  std::int64_t bytes_each;  // touched by an instance
  std::vector<double> seconds;
};

const std::vector<std::int64_t> segments{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};

Curve measure(const Sample& sample) {
  const Pieces pieces = flattened(sample.type);
  Curve curve{sample.name, touched(pieces).end + packed_size(pieces), {}};
  std::vector<std::byte> user(static_cast<std::size_t>(sample.instances * sample.type.extent()), std::byte{1});
  std::vector<std::byte> packed(static_cast<std::size_t>(sample.instances * sample.type.size()));
  for (const std::int64_t s : segments) {
    CompileOptions options;
    options.strategy = Strategy::mars;
    options.segment = {Segment::Unit::iterations, s};
    const Plan plan(pieces, sample.type.extent(), options);
    curve.seconds.push_back(seconds_of(plan, sample.instances, user.data(), packed.data()));
  }
  return curve;
}

// The size of a segment that loses least over all curves, each against its own best.
std::int64_t best_bytes(const std::vector<Curve>& curves) {
  std::int64_t best = Tuning{}.segment_bytes;
  double least = -1;
  for (std::int64_t bytes = 1024; bytes <= 1 << 20; bytes *= 2) {
    double loss = 0;
    for (const Curve& c : curves) {
      std::size_t i = 0;
      while (i + 1 < segments.size() && segments[i + 1] * c.bytes_each <= bytes) ++i;
      loss += std::log(c.seconds[i] / *std::min_element(c.seconds.begin(), c.seconds.end()));
    }
    if (least < 0 || loss < least) {
      least = loss;
      best = bytes;
    }
  }
  return best;
}

void print(const Curve& c) {
  const double longest = *std::max_element(c.seconds.begin(), c.seconds.end());
  const double shortest = *std::min_element(c.seconds.begin(), c.seconds.end());
  fmt::print("{}\n", c.name);
  for (std::size_t i = 0; i < segments.size(); ++i)
    fmt::print("  S {:>5} {:>9.1f} us {:<40}{}\n", segments[i], c.seconds[i] * 1e6,
               std::string(static_cast<std::size_t>(std::lround(40 * c.seconds[i] / longest)), '#'),
               c.seconds[i] == shortest ? " best" : "");
}

}  // namespace

int tune_command(Arguments arguments) {
  CLI::App app("Measures packing against the segment size and keeps the best for this machine.", "marshal tune");
  std::string path = tuning_path();
  bool dry = false;
  app.add_option("-o,--output", path, "the file to write")->capture_default_str();
  app.add_flag("-n,--dry-run", dry, "measure and show, write nothing");
  CLI11_PARSE(app, static_cast<int>(arguments.size()), arguments.data());
  if (path.empty() && !dry) {
    say(Level::kError, "tune: neither XDG_CACHE_HOME nor HOME is set; name a file with --output");
    return 1;
  }
  std::vector<Curve> curves;
  for (const Sample& sample : samples()) {
    curves.push_back(measure(sample));
    print(curves.back());
  }
  const Tuning tuning{best_bytes(curves)};
  fmt::print("best: segments that touch {} bytes\n", tuning.segment_bytes);
  if (dry) return 0;
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  std::ofstream file(path);
  file << tuning_text(tuning, best_kernels().name);
  if (!file.flush()) {
    say(Level::kError, "tune: cannot write {}", path);
    return 1;
  }
  fmt::print("kept in {}\n", path);
  return 0;
}

}  // namespace marshal::tools
