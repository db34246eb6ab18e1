#include "communicators/communicators.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <numeric>

#include "base/immortal.h"
#include "base/message.h"
#include "base/registry.h"
#include "communicators/creation_site.h"
#include "communicators/groups.h"
#include "communicators/map_sources.h"
#include "host/handles.h"
#include "host/host_family.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/process_groups.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

Registry<Communicator>& registry() {  // HANDLES: communicators
  static Immortal<Registry<Communicator>> alive;
  return *alive;
}

// Running sums, so that anybody may ask at any time without a lock.
struct Sums {
  std::atomic<std::uint64_t> made{0}, map_bytes{0}, map_bytes_peak{0}, tables_shared{0};

  void add(const Communicator& communicator) {
    made.fetch_add(1, std::memory_order_relaxed);
    if (communicator.shares_table()) tables_shared.fetch_add(1, std::memory_order_relaxed);
    const std::uint64_t more = communicator.map_bytes();
    const std::uint64_t now = map_bytes.fetch_add(more, std::memory_order_relaxed) + more;
    std::uint64_t peak = map_bytes_peak.load(std::memory_order_relaxed);
    while (now > peak && !map_bytes_peak.compare_exchange_weak(peak, now, std::memory_order_relaxed)) {
    }
  }
  void remove(const Communicator& communicator) {
    map_bytes.fetch_sub(communicator.map_bytes(), std::memory_order_relaxed);
  }
};
constinit Sums sums;

using Clock = std::chrono::steady_clock;

// When a communicator of each grid was freed last, by the grid's number.
constinit std::array<Relaxed<std::int64_t>, std::size_t{std::numeric_limits<GridNumber>::max()} + 1> last_ends;

// Before it is destroyed.
void leave_registry(const Communicator& communicator) {
  if (const GridNumber grid = communicator.grid; grid != 0) last_ends[grid] = Clock::now().time_since_epoch().count();
  books::forget_group_of(communicator);
  books::communicator_departures.fetch_add(1, std::memory_order_release);
  sums.remove(communicator);
}

std::unique_ptr<Communicator> learnt(MPI_Comm handle, bool inter) {
  auto communicator = std::make_unique<Communicator>();
  communicator->map = map_by_learning(handle);
  if (inter) communicator->remote = map_of_remote_by_learning(handle);
  communicator->own_job =
      !has_foreign(communicator->map) && !(communicator->remote && has_foreign(*communicator->remote));
  communicator->reordered = true;
  communicator->counted_here = counts(handle, *communicator);
  return communicator;
}

// True if all processes of the group are of this job. Takes no memory. Frees the group.
bool is_of_own_job(MPI_Group group) {
  int size = 0;
  pmpi().Group_size(group, &size);
  std::array<int, 64> ranks, found;
  bool all = process_groups().has_world();
  for (int first = 0; all && first < size; first += static_cast<int>(ranks.size())) {
    const int count = std::min(size - first, static_cast<int>(ranks.size()));
    std::iota(ranks.begin(), ranks.end(), first);
    all = pmpi().Group_translate_ranks(group, count, ranks.data(), process_groups().host_group(0), found.data()) ==
              MPI_SUCCESS &&
          std::find(found.begin(), found.begin() + count, MPI_UNDEFINED) == found.begin() + count;
  }
  pmpi().Group_free(&group);
  return all;
}

}  // namespace

namespace books {

const Communicator* look_up(MPI_Comm handle) { return registry().find(key_of(handle)); }

const Communicator* seen_by_all(MPI_Comm handle) {
  const Communicator* communicator = find(handle);
  const bool seen = communicator != nullptr && (communicator->site != nullptr || handle == predefined().comm_world);
  return seen ? communicator : nullptr;
}

namespace {

// Several threads may learn one communicator at once. All use the entry of the first, which any of them may have got.
const Communicator* enter_learnt(MPI_Comm handle, std::unique_ptr<Communicator> communicator) {
  const Communicator* entered = registry().insert_if_new(key_of(handle), communicator);
  if (communicator == nullptr) sums.add(*entered);
  return entered;
}

using Enter = const Communicator*(MPI_Comm handle, std::unique_ptr<Communicator> communicator);

template <class Describe>
const Communicator* enter_described(MPI_Comm handle, Describe describe, Enter enter_it) noexcept {
  try {
    auto communicator = std::make_unique<Communicator>();
    describe(*communicator);
    return enter_it(handle, std::move(communicator));
  } catch (...) {
    // If this process forgot a communicator that the others know, they would sooner or later wait for it.
    say_line(Level::error, "out of memory: no room for one more communicator");
    end_job(predefined().comm_world, 1);  // AGREEMENT: the books of communicators
  }
}

const Communicator* enter_sizes(MPI_Comm handle, CreationSite* site, Enter enter_them) noexcept {
  const auto describe = [=](Communicator& communicator) {
    communicator.site = site;
    int inter = 0, size = 0;
    MPI_Group group = predefined().group_null;
    communicator.reordered = true;
    communicator.own_job = settings().asks_host;
    communicator.map = RankMap::identity(0, 0, MapForm::off);
    if (!settings().asks_host) return;
    pmpi().Comm_test_inter(handle, &inter);
    pmpi().Comm_size(handle, &size);
    communicator.map = RankMap::identity(0, size, MapForm::off);
    if (pmpi().Comm_group(handle, &group) == MPI_SUCCESS) communicator.own_job = is_of_own_job(group);
    if (inter == 0) return;
    pmpi().Comm_remote_size(handle, &size);
    communicator.remote = RankMap::identity(0, size, MapForm::off);
    if (pmpi().Comm_remote_group(handle, &group) == MPI_SUCCESS) communicator.own_job &= is_of_own_job(group);
  };
  return enter_described(handle, describe, enter_them);
}

}  // namespace

const Communicator* known(MPI_Comm handle) noexcept {
  if (const Communicator* communicator = find(handle)) return communicator;
  if (handle == predefined().comm_null || !settings().asks_host) return nullptr;
  int inter = 0;
  if (pmpi().Comm_test_inter(handle, &inter) != MPI_SUCCESS) return nullptr;
  try {
    return enter_learnt(handle, learnt(handle, inter != 0));
  } catch (...) {
    return enter_sizes(handle, nullptr, enter_learnt);
  }
}

void enter_without_map(MPI_Comm handle) noexcept { enter_sizes(handle, &unknown_site(), enter); }

void enter_without_map(MPI_Comm handle, const Communicator& parent) noexcept {
  const auto describe = [&](Communicator& communicator) {
    communicator.site = &unknown_site();
    communicator.own_job = parent.own_job;
    communicator.reordered = parent.reordered;
    communicator.grid = GridNumber{parent.grid};
    communicator.map = RankMap::identity(0, parent.map.size(), MapForm::off);
    if (parent.remote) communicator.remote = RankMap::identity(0, parent.remote->size(), MapForm::off);
  };
  enter_described(handle, describe, enter);
}

const Communicator* enter(MPI_Comm handle, std::unique_ptr<Communicator> communicator) {
  const Communicator* entered = communicator.get();
  sums.add(*communicator);
  const auto unnoticed = registry().insert(key_of(handle), std::move(communicator));
  handle_departures.count(handle);
  if (unnoticed) {
    leave_registry(*unnoticed);
    count_end(*unnoticed);
  }
  return entered;
}

std::unique_ptr<Communicator> take(MPI_Comm handle) {
  std::unique_ptr<Communicator> taken = registry().extract(key_of(handle));
  handle_departures.count(handle);  // also of one that was made unseen
  if (taken) leave_registry(*taken);
  return taken;
}

void forget_communicator(MPI_Comm handle) {
  if (const auto gone = take(handle)) count_end(*gone);
}

namespace {

// A process alone has nobody to send to, as at the edge of a program's decomposition.
bool is_made_in_vain(const Communicator& communicator) {
  return !communicator.is_used && (communicator.map.size() != 1 || communicator.remote);
}

}  // namespace

std::uint64_t more_in_host(const Communicator& communicator) noexcept {
  return communicator.remote && is_open_mpi() ? 1 : 0;
}

void count_end(const Communicator& communicator) noexcept {
  if (communicator.site != nullptr && communicator.site != &unknown_site())
    communicators_alive -= more_in_host(communicator);
  if (!is_made_in_vain(communicator))
    count_freed(communicator.site);
  else
    count_freed_unused(communicator.site);
}

std::map<const CreationSite*, std::uint64_t> unused_communicators() {
  std::map<const CreationSite*, std::uint64_t> unused;
  registry().for_each([&](std::uint64_t, const Communicator& communicator) {
    if (is_made_in_vain(communicator)) ++unused[communicator.site];
  });
  return unused;
}

double part_alive(GridNumber number, Clock::time_point since) {
  bool is_alive = false;
  registry().for_each([&](std::uint64_t, const Communicator& one) { is_alive |= one.grid == number; });
  if (is_alive) return 1;
  const Clock::duration alive = Clock::time_point(Clock::duration(last_ends[number])) - since;
  const Clock::duration all = Clock::now() - since;
  return all.count() <= 0 ? 1
                          : std::clamp(static_cast<double>(alive.count()) / static_cast<double>(all.count()), 0.0, 1.0);
}

CommunicatorTotals communicator_totals() {
  CommunicatorTotals totals;
  totals.made = sums.made.load(std::memory_order_relaxed);
  totals.alive = totals.made - std::min(totals.made, communicator_departures.load(std::memory_order_relaxed));
  totals.map_bytes = sums.map_bytes.load(std::memory_order_relaxed);
  totals.tables_shared = sums.tables_shared.load(std::memory_order_relaxed);
  totals.map_bytes_peak = sums.map_bytes_peak.load(std::memory_order_relaxed);
  return totals;
}

std::size_t communicator_table_bytes() { return registry().bytes(); }

}  // namespace books

}  // namespace marshal
