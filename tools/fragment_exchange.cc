#include "tools/fragment_exchange.h"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "datatype/flatten.h"
#include "datatype/fragments.h"
#include "tools/timing.h"

namespace marshal::tools {
namespace {

using namespace datatype;

constexpr std::int64_t fragment_bytes = 8192, longest_message = 128 * 1024;
constexpr int rounds = 15;

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
std::vector<Type> samples() {
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

}  // namespace

std::optional<FragmentTimes> measure_fragments() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0) return std::nullopt;
  const auto cores = two_cores(allowed);
  if (!cores) return std::nullopt;
  run_on(cores->first);
  double in_place = 0, staged = 0;
  const std::vector<Type> types = samples();
  for (const Type& type : types) {
    const FragmentTimes times = exchanged(type, cores->second);
    in_place += std::log(times.in_place);
    staged += std::log(times.staged);
  }
  sched_setaffinity(0, sizeof(allowed), &allowed);
  const auto count = static_cast<double>(types.size());
  return FragmentTimes{std::exp(in_place / count), std::exp(staged / count)};
}

}  // namespace marshal::tools
