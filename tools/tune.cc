// `marshal tune` measures three things on this machine: how long packing takes against the size of a segment (MARs,
// figures 4 to 7); from which size on it pays to write past the caches; and how fragments of messages get to another
// core. It keeps the best in a small file that the library reads.
#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/message.h"
#include "datatype/flatten.h"
#include "datatype/fragments.h"
#include "datatype/plan.h"
#include "datatype/tuning.h"
#include "tools/command_line.h"
#include "tools/output.h"
#include "tools/timing.h"

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

constexpr int rounds = 15;

Variant packing(const Plan& plan, std::int64_t count, const std::vector<std::byte>& user,
                std::vector<std::byte>& packed) {
  return {"", [&plan, count, &user, &packed] { plan.pack(count, user.data(), packed.data()); }};
}

struct Curve {
  std::string name;
  std::int64_t bytes_each;  // touched by an instance
  std::vector<double> ns;
};

const std::vector<std::int64_t> segments{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192};

Curve measure(const Sample& sample) {
  const Pieces pieces = flattened(sample.type);
  Curve curve{sample.name, touched(pieces).end + packed_size(pieces), {}};
  std::vector<std::byte> user(static_cast<std::size_t>(sample.instances * sample.type.extent()), std::byte{1});
  std::vector<std::byte> packed(static_cast<std::size_t>(sample.instances * sample.type.size()));
  std::vector<std::unique_ptr<Plan>> plans;
  std::vector<Variant> variants;
  for (const std::int64_t s : segments) {
    CompileOptions options;
    options.strategy = Strategy::mars;
    options.segment = {Segment::Unit::iterations, s};
    plans.push_back(std::make_unique<Plan>(pieces, sample.type.extent(), options));
    variants.push_back(packing(*plans.back(), sample.instances, user, packed));
  }
  curve.ns = interleaved_medians(variants, rounds);
  return curve;
}

// The segment size with the least loss over all curves, each against its own best.
std::int64_t best_bytes(const std::vector<Curve>& curves) {
  std::int64_t best = Tuning{}.segment_bytes;
  double least = -1;
  for (std::int64_t bytes = 1024; bytes <= 1 << 20; bytes *= 2) {
    double loss = 0;
    for (const Curve& c : curves) {
      std::size_t i = 0;
      while (i + 1 < segments.size() && segments[i + 1] * c.bytes_each <= bytes) ++i;
      loss += std::log(c.ns[i] / *std::min_element(c.ns.begin(), c.ns.end()));
    }
    if (least < 0 || loss < least) {
      least = loss;
      best = bytes;
    }
  }
  return best;
}

void print(const Curve& c) {
  const double longest = *std::max_element(c.ns.begin(), c.ns.end());
  const double shortest = *std::min_element(c.ns.begin(), c.ns.end());
  fmt::print("{}\n", c.name);
  for (std::size_t i = 0; i < segments.size(); ++i)
    fmt::print("  S {:>5} {:>9.1f} us {:<40}{}\n", segments[i], c.ns[i] / 1e3,
               std::string(static_cast<std::size_t>(std::lround(40 * c.ns[i] / longest)), '#'),
               c.ns[i] == shortest ? " best" : "");
}

// The least size from which on streaming is faster; `never` if it is nowhere.
std::int64_t measure_streaming() {
  constexpr std::int64_t never = Tuning::never, largest = 64 << 20;
  std::vector<std::byte> user(static_cast<std::size_t>(2 * largest), std::byte{1}), packed(largest, std::byte{1});
  std::int64_t best = never;
  fmt::print("every second double: as always, and past the caches\n");
  for (std::int64_t bytes = 2 << 20; bytes <= largest; bytes *= 2) {
    const Pieces pieces = flattened(Vector{bytes / 8, 1, 2, basic(8)});
    CompileOptions plain, streaming;
    plain.stream_bytes = never;
    streaming.stream_bytes = 0;
    const Plan one(pieces, 2 * bytes, plain), other(pieces, 2 * bytes, streaming);
    const std::vector<double> ns =
        interleaved_medians({packing(one, 1, user, packed), packing(other, 1, user, packed)}, rounds);
    fmt::print("  {:>5} MiB {:>9.1f} us {:>9.1f} us{}\n", bytes >> 20, ns[0] / 1e3, ns[1] / 1e3,
               ns[1] < ns[0] ? " faster" : "");
    if (ns[1] >= 0.97 * ns[0])
      best = never;
    else if (best == never)
      best = bytes;
  }
  return best;
}

// Two threads that send fragments to each other through memory that they share, as two processes of a node do.
constexpr std::int64_t fragment_bytes = 8192, longest_message = 128 * 1024;

// One direction. A message has room in its slots: the next one is sent when its answer has come.
class Lane {
 public:
  void send(const Instances& i) {
    for_each_fragment(i.size, [&](PackedRange range) {
      move_fragment<false>(i, &slots_[static_cast<std::size_t>(range.from)], range);
      sent_.store(++sent_here_, std::memory_order_release);
    });
  }
  void receive(const Instances& i) {
    for_each_fragment(i.size, [&](PackedRange range) {
      wait_for(++received_);
      move_fragment<true>(i, &slots_[static_cast<std::size_t>(range.from)], range);
    });
  }

 private:
  template <class Perform>
  static void for_each_fragment(std::int64_t size, const Perform& perform) {
    for (std::int64_t from = 0; from < size; from += fragment_bytes)
      perform(PackedRange{from, std::min(from + fragment_bytes, size)});
  }
  void wait_for(std::int64_t fragment) const {
    constexpr int patience = 100'000;  // then the other thread may have no core
    for (int looks = 0; sent_.load(std::memory_order_acquire) < fragment; ++looks)
      if (looks > patience) std::this_thread::yield();
  }

  std::vector<std::byte> slots_ = std::vector<std::byte>(longest_message);
  alignas(64) std::atomic<std::int64_t> sent_{0};
  alignas(64) std::int64_t sent_here_ = 0;
  alignas(64) std::int64_t received_ = 0;
};

// Types that are packed block by block, with blocks of a few numbers.
std::vector<Type> exchanged_types() {
  const Type d = basic(8);
  std::vector<Type> types;
  for (const std::int64_t bytes : {std::int64_t{1024}, std::int64_t{4096}, std::int64_t{16384}, longest_message}) {
    types.push_back(Vector{bytes / 8, 1, 2, d});
    types.push_back(Vector{bytes / 64, 8, 16, d});
    Hindexed list{{}, {}, d};
    std::int64_t at = 0;
    for (std::int64_t left = bytes / 8, length; left > 0; left -= length) {
      length = std::min(left, 1 + left % 3);
      list.blocklengths.push_back(length);
      list.displacements.push_back(at);
      at += 8 * (length + 1 + left % 5);
    }
    types.push_back(list);
  }
  return types;
}

// A processor and another one that is no hardware thread of the same core, as far as this process may use them.
std::optional<std::pair<int, int>> two_cores(const cpu_set_t& allowed) {
  const auto core_of = [](int cpu) {
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", cpu));
    std::string siblings;
    std::getline(file, siblings);
    return siblings.empty() ? std::to_string(cpu) : siblings;
  };
  int first = -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (!CPU_ISSET(cpu, &allowed)) continue;
    if (first < 0)
      first = cpu;
    else if (core_of(cpu) != core_of(first))
      return std::pair(first, cpu);
  }
  return std::nullopt;
}

// Binds the calling thread to this processor.
void run_on(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof(one), &one);
}

// Microseconds of a message there and back, the geometric mean over some datatypes, with fragments that are packed in
// place and staged ones (datatype/fragments.h).
struct FragmentTimes {
  double in_place, staged;
};

FragmentTimes exchanged(const Type& type, int other_cpu) {
  const Pieces pieces = flattened(type);
  CompileOptions in_place, staged;
  in_place.stages_fragments = false;
  staged.stages_fragments = true;
  const Plan one(pieces, type.extent(), in_place), other(pieces, type.extent(), staged);
  const int messages = static_cast<int>(std::max<std::int64_t>(20, (1 << 21) / type.size()));
  Lane there, back;
  const auto memory = [&] { return std::vector<std::byte>(static_cast<std::size_t>(type.extent()), std::byte{1}); };
  // It answers turn by turn, as interleaved_medians() asks.
  std::thread partner([&] {
    run_on(other_cpu);
    std::vector<std::byte> user = memory();
    for (int round = 0; round <= rounds; ++round)
      for (const Plan* plan : {&one, &other})
        for (int m = 0; m < messages; ++m) {
          const Instances i{*plan, 1, user.data(), type.size()};
          there.receive(i);
          back.send(i);
        }
  });
  std::vector<std::byte> user = memory();
  const auto ask = [&](const Plan& plan) {
    const Instances i{plan, 1, user.data(), type.size()};
    for (int m = 0; m < messages; ++m) {
      there.send(i);
      back.receive(i);
    }
  };
  const std::vector<double> ns = interleaved_medians({{"in place", [&] { ask(one); }, static_cast<double>(messages)},
                                                      {"staged", [&] { ask(other); }, static_cast<double>(messages)}},
                                                     rounds);
  partner.join();
  return {ns[0] / 1e3, ns[1] / 1e3};
}

// Nothing where this process has a single core.
std::optional<FragmentTimes> measure_fragments() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return std::nullopt;
  const auto cores = two_cores(allowed);
  if (!cores) return std::nullopt;
  run_on(cores->first);
  double in_place = 0, staged = 0;
  const std::vector<Type> types = exchanged_types();
  for (const Type& type : types) {
    const FragmentTimes times = exchanged(type, cores->second);
    in_place += std::log(times.in_place);
    staged += std::log(times.staged);
  }
  sched_setaffinity(0, sizeof(allowed), &allowed);
  const auto count = static_cast<double>(types.size());
  return FragmentTimes{std::exp(in_place / count), std::exp(staged / count)};
}

// As Tuning::stages_fragments; what it would be without measuring where nothing else is clearly faster.
std::int64_t measure_staging() {
  const std::optional<FragmentTimes> times = measure_fragments();
  if (!times) {
    fmt::print("fragments of messages: not measured, this process has one core\n");
    return Tuning{}.stages_fragments;
  }
  fmt::print(
      "messages of 1 to 128 KiB between two cores, there and back: fragments packed in place {:.2f} us, staged {:.2f} "
      "us\n",
      times->in_place, times->staged);
  constexpr double clearly = 0.97;
  if (times->staged < clearly * times->in_place) return 1;
  if (times->in_place < clearly * times->staged) return 0;
  return Tuning{}.stages_fragments;
}

}  // namespace

int tune_command(Arguments arguments) {
  CommandLine line("marshal tune",
                   "Measures how packing is fastest on this machine, and keeps that for programs under Marshal.");
  std::string path = tuning_path();
  bool dry = false;
  line.option("-o,--output", &path, "the file to write", {.shows_default = true});
  line.flag("-n,--dry-run", dry, "measure and show, write nothing");
  if (const auto over = line.parse(arguments)) return *over;
  if (path.empty() && !dry) {
    say(Level::error, "tune: neither XDG_CACHE_HOME nor HOME names a folder of this user's; name a file with --output");
    return 1;
  }
  std::vector<Curve> curves;
  for (const Sample& sample : samples()) {
    curves.push_back(measure(sample));
    print(curves.back());
  }
  const Tuning tuning{best_bytes(curves), measure_streaming(), measure_staging()};
  const bool streams = tuning.stream_bytes != Tuning::never;
  fmt::print("best: segments that touch {} bytes; past the caches {}; fragments {}\n", tuning.segment_bytes,
             streams ? fmt::format("from {} MiB on", tuning.stream_bytes >> 20) : "never",
             tuning.stages_fragments != 0 ? "staged" : "packed in place");
  if (dry) return 0;
  std::error_code ignored;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), ignored);
  write_text_file(path, tuning_text(tuning, best_kernels().name));
  print_formatted("kept in {}\n", path);
  return 0;
}

}  // namespace marshal::tools
