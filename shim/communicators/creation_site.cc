#include "communicators/creation_site.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <new>
#include <utility>

#include "base/immortal.h"
#include "base/process_memory.h"
#include "host/host_family.h"

namespace marshal {
namespace {

struct CreationSites {
  std::mutex mutex;
  std::map<std::pair<const char*, CallFrames>, std::unique_ptr<CreationSite>> all;
};

CreationSites& creation_sites() {
  static Immortal<CreationSites> the;
  return *the;
}

// The bytes that the host allocates for each rank of a communicator, measured by `marshal bench overhead`: the part
// that grows with the job.
std::uint64_t host_bytes_a_rank() { return is_open_mpi() ? 16 : 8; }

}  // namespace

CreationSite& site_at(const char* call, const CallFrames& frames) try {
  // A loop makes its communicators at one site. Sites are never removed.
  static thread_local CreationSite* latest = nullptr;
  if (latest != nullptr && latest->call == call && latest->frames == frames) return *latest;
  const std::lock_guard lock(creation_sites().mutex);
  std::unique_ptr<CreationSite>& site = creation_sites().all[{call, frames}];
  if (!site) {
    site = std::make_unique<CreationSite>();
    site->call = call;
    site->frames = frames;
  }
  latest = site.get();
  return *site;
} catch (const std::bad_alloc&) {
  return unknown_site();
}

report::LeastAllocations& least_allocations() {
  static Immortal<report::LeastAllocations> the;
  return *the;
}

CreationSite& unknown_site() {
  alignas(CreationSite) static std::byte room[sizeof(CreationSite)];
  static CreationSite& the = [&]() -> CreationSite& {
    CreationSite& site = *new (room) CreationSite;
    site.call = "MPI";
    return site;
  }();
  return the;
}

void count_freed(CreationSite* site) noexcept {
  if (site == nullptr || site == &unknown_site()) return;
  site->freed.fetch_add(1, std::memory_order_relaxed);
  communicators_alive.fetch_sub(1, std::memory_order_relaxed);
}

void count_freed_unused(CreationSite* site) noexcept {
  if (site != nullptr) site->never_used.fetch_add(1, std::memory_order_relaxed);
  count_freed(site);
}

void each_creation_site(const std::function<void(const CreationSite&)>& visit) {
  const std::lock_guard lock(creation_sites().mutex);
  for (const auto& [key, site] : creation_sites().all) visit(*site);
}

TimeInside time_inside_creations() {
  const std::lock_guard lock(creation_sites().mutex);
  TimeInside sum;
  for (const auto& [key, site] : creation_sites().all) {
    const std::lock_guard site_lock(site->mutex);
    sum.wall_ns += site->sums.marshal_ns;
    if (site->sampled_ns == 0) continue;  // nothing was timed
    const double share = static_cast<double>(site->sampled_cpu_ns) / static_cast<double>(site->sampled_ns);
    sum.cpu_ns += static_cast<std::uint64_t>(share * static_cast<double>(site->sums.marshal_ns));
  }
  return sum;
}

namespace {

// The bytes that the host took for the communicators alive at the peak, which have `ranks` ranks in all.
void put_host_bytes(const CreationSite& site, std::uint64_t ranks, report::CommunicatorSite& row) {
  const report::AllocationSamples::Split split = site.host_bytes.split(least_allocations());
  const auto bytes = static_cast<std::uint64_t>(split.own * static_cast<double>(site.most_alive));
  const std::uint64_t growing = host_bytes_a_rank() * ranks;
  row.host.add(bytes, std::min(bytes, growing));
  if (split.at_most) row.host.at_most = 1;
  // If the heap did not grow, or grew by less than the ranks take, nothing follows for more ranks.
  if (bytes < growing) row.host.not_projected = "the host took it from memory that it held already";
  row.host_in_passing_bytes.add(split.in_passing);
}

}  // namespace

void put_sites_into(report::Record& record, const std::optional<std::map<const CreationSite*, std::uint64_t>>& unused) {
  const std::lock_guard lock(creation_sites().mutex);
  for (const auto& [key, its_site] : creation_sites().all) {
    const auto& site = its_site;  // clang 14 captures no structured binding
    const std::lock_guard site_lock(site->mutex);
    const std::uint64_t made = site->made.load(), freed = site->freed.load();
    if (made == 0) continue;
    report::CommunicatorSite row = site->sums;
    row.made.add(made);
    row.freed.add(freed);
    row.alive.add(made - std::min(made, freed));
    row.most_alive.add(site->most_alive);
    if (unused) {
      const auto more = unused->find(site.get());
      row.never_used = site->never_used.load() + (more != unused->end() ? more->second : 0);
    }
    // A program that makes and frees a thousand, one after the other, needs the bytes of one: the mean, times the most
    // that were alive at once.
    const auto at_once = [&](std::uint64_t of_all, std::uint64_t counted) {
      return static_cast<std::uint64_t>(static_cast<double>(of_all) * static_cast<double>(site->most_alive) /
                                        static_cast<double>(counted));
    };
    const auto add = [&](auto& column, const Bytes& bytes) {
      column.add(at_once(bytes.all, made), at_once(bytes.growing, made));
    };
    add(row.marshal, site->map_bytes);
    add(row.vc_vcrt, site->scheme_bytes.vc_vcrt);
    add(row.av_rankmap, site->scheme_bytes.av_rankmap);
    if (site->host_bytes.count() != 0) {
      put_host_bytes(*site, at_once(row.ranks.sum, made), row);
    } else {
      row.host.unavailable = row.not_known != 0 ? "the processes are not known" : heap_unavailable();
    }
    record.communicators[site_of(site->call, site->frames)].merge(row);
  }
}

}  // namespace marshal
