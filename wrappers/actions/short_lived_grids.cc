#include "wrappers/actions/short_lived_grids.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <vector>

#include "base/immortal.h"
#include "host/handles.h"
#include "wrappers/entry/thread_state.h"

namespace marshal {
namespace {

using Clock = std::chrono::steady_clock;

// Calls that ask a grid for ranks, and calls that such a program makes in between.
constexpr std::array asking = {Call::Cart_coords, Call::Cart_get, Call::Cart_rank, Call::Cart_shift};
constexpr std::array ending = {Call::Comm_free, Call::Comm_disconnect};

std::uint64_t calls_of(const CallTotals& totals, auto& calls) {
  std::uint64_t sum = 0;
  for (const Call call : calls) sum += totals.of[static_cast<std::size_t>(call)];
  return sum;
}

struct Calls {
  std::uint64_t asked = 0, others = 0;
};

Calls calls_so_far() {
  const CallTotals totals = total_counts();
  Calls calls{calls_of(totals, asking), 0};
  for (const std::uint64_t count : totals.of) calls.others += count;
  calls.others -= calls.asked + calls_of(totals, ending);
  return calls;
}

struct Watched {
  std::uint64_t key;
  Calls calls;
  Clock::time_point made;
};

struct Watch {  // HANDLES: grids that are watched
  std::mutex mutex;
  std::vector<Watched> alive;
  Clock::duration shortest = Clock::duration::max();  // life of those that were only asked
};

Watch& watched_grids() {
  static Immortal<Watch> the;
  return *the;
}

constinit std::atomic<bool> any_watched{false};

}  // namespace

void watch_grid(MPI_Comm grid) {
  const std::lock_guard lock(watched_grids().mutex);
  watched_grids().alive.push_back({key_of(grid), calls_so_far(), Clock::now()});
  any_watched.store(true, std::memory_order_release);
}

void watched_grid_ends(MPI_Comm grid) {
  if (!any_watched.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(watched_grids().mutex);
  auto& alive = watched_grids().alive;
  const auto found = std::find_if(alive.begin(), alive.end(), [&](const Watched& w) { return w.key == key_of(grid); });
  if (found == alive.end()) return;
  const Calls now = calls_so_far();
  if (now.asked > found->calls.asked && now.others == found->calls.others)
    watched_grids().shortest = std::min(watched_grids().shortest, Clock::now() - found->made);
  alive.erase(found);
}

void warn_of_short_lived_grids(report::Record& record) {
  const std::lock_guard lock(watched_grids().mutex);
  const auto run = std::chrono::nanoseconds(record.own.wall_ns.max);
  if (watched_grids().shortest == Clock::duration::max() || watched_grids().shortest * 100 > run) return;
  record.warn(
      "the program asked a grid for ranks and freed it at once, and processes have other ranks there than in the "
      "communicator that MPI_Cart_create was called on: if it uses those ranks there, its results are wrong; "
      "MARSHAL_CART=off keeps the ranks");
}

}  // namespace marshal
