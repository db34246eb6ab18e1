#include "host/creation.h"

#include <algorithm>
#include <bit>
#include <tuple>

#include "host/heap.h"
#include "host/node_map.h"
#include "host/pmpi.h"
#include "host/process_groups.h"
#include "host/self_check.h"
#include "rankmap/memory_model.h"

namespace marshal {
namespace {

struct Sites {
  std::mutex mutex;
  std::map<std::pair<const char*, CallFrames>, std::unique_ptr<CreationSite>> all;
};

Sites& sites() {
  static Sites& the = *new Sites;  // outlives the program's own static objects
  return the;
}

CreationSite& site_at(const char* call, const CallFrames& frames) {
  const std::lock_guard lock(sites().mutex);
  std::unique_ptr<CreationSite>& site = sites().all[{call, frames}];
  if (!site) {
    site = std::make_unique<CreationSite>();
    site->call = call;
    site->frames = frames;
  }
  return *site;
}

std::uint64_t nanoseconds(std::chrono::steady_clock::duration duration) {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count());
}

// What the host allocates for each rank of a communicator, measured by `marshal bench overhead`: the part that grows
// with the job.
#ifdef MARSHAL_HOST_OPENMPI
constexpr std::uint64_t host_bytes_a_rank = 16;
#else
constexpr std::uint64_t host_bytes_a_rank = 8;
#endif

// Walking the heap is dear where it is fragmented: measured at a site's first, second, fourth, eighth … communicator.
bool worth_measuring(std::uint64_t made_before) { return std::has_single_bit(made_before + 1); }

bool is_regular(const RankMap& map) { return map.formula() != nullptr; }

}  // namespace

Creation::Creation(const char* call, const void* caller)
    : call_(call), frames_(frames_above(caller)), entered_(Clock::now()) {}

void Creation::before_host() {
  if (heap_unavailable().empty()) {
    CreationSite& site = site_at(call_, frames_);
    const std::lock_guard lock(site.mutex);
    measures_memory_ = worth_measuring(site.made);
  }
  if (measures_memory_) memory_before_ = heap_in_use();
  host_began_ = Clock::now();
}

void Creation::after_host() {
  host_ended_ = Clock::now();
  if (measures_memory_) memory_after_ = heap_in_use();
}

CreationSite* Creation::count(const RankMap& map, const std::optional<RankMap>& remote, std::size_t map_bytes) {
  CreationSite& site = site_at(call_, frames_);
  const RankMap& addressed = remote ? *remote : map;
  const int own_rank = map.tracked() ? map.rank_of({0, process_groups().world_rank()}) : -1;
  // One of an intercommunicator's two rank 0s counts it: the one whose process comes first.
  bool counts_it = own_rank == 0;
  if (counts_it && remote && remote->tracked() && remote->size() > 0 && !has_foreign(*remote))
    counts_it = map.process(0).lpid < remote->process(0).lpid;

  memory_model::Communicator model;
  model.size = map.size();
  model.remote_size = remote ? remote->size() : 0;
  model.duplicate = std::string_view(call_).find("dup") != std::string_view::npos;
  model.regular = is_regular(map) && (!remote || is_regular(*remote));
  model.several_groups = has_foreign(map);
  memory_model::Parameters parameters;
  parameters.ranks_per_node = std::max<std::int64_t>(1, node_map().most_per_node());
  const auto added = [&](memory_model::Scheme scheme) {
    return static_cast<std::uint64_t>(memory_model::added(scheme, model, parameters));
  };
  // What a communicator of twice the size would add more is the part that grows with the job.
  const auto growing = [&](memory_model::Scheme scheme) {
    memory_model::Communicator twice = model;
    twice.size *= 2;
    twice.remote_size *= 2;
    const auto more = static_cast<std::uint64_t>(memory_model::added(scheme, twice, parameters));
    return more - std::min(more, added(scheme));
  };

  const auto now = Clock::now();
  const std::lock_guard lock(site.mutex);
  report::CommunicatorSite& sums = site.sums;
  ++site.made;
  if (counts_it) {
    ++sums.communicators;
    if (remote) ++sums.intercommunicators;
  }
  sums.ranks.add(static_cast<std::uint64_t>(addressed.size()));
  ++sums.models[std::string(addressed.model())];
  site.map_bytes += map_bytes;
  if (!is_regular(addressed)) site.map_bytes_growing += map_bytes;
  using memory_model::Scheme;
  sums.vc_vcrt.add(added(Scheme::vc_vcrt), growing(Scheme::vc_vcrt));
  sums.av_rankmap.add(added(Scheme::av_rankmap), growing(Scheme::av_rankmap));
  if (measures_memory_) {
    site.host_bytes += memory_after_ > memory_before_ ? memory_after_ - memory_before_ : 0;
    ++site.host_samples;
  }
  sums.creation_ns += nanoseconds(host_ended_ - host_began_);
  sums.marshal_ns += nanoseconds(now - entered_) - nanoseconds(host_ended_ - host_began_);
  return &site;
}

void Creation::made(MPI_Comm handle, RankMap map, std::optional<RankMap> remote, bool own_job) {
  auto communicator = std::make_unique<Communicator>();
  communicator->map = std::move(map);
  communicator->remote = std::move(remote);
  communicator->own_job = own_job;
  communicator->site = count(communicator->map, communicator->remote, communicator->map_bytes());
  check_map(call_, handle, *books::enter(handle, std::move(communicator)));
}

CreationSite* Creation::made_inside(const RankMap& map) { return count(map, std::nullopt, 0); }

void count_freed(CreationSite* site) {
  if (site == nullptr) return;
  const std::lock_guard lock(site->mutex);
  ++site->freed;
}

void put_sites_into(report::Record& record) {
  const std::lock_guard lock(sites().mutex);
  for (const auto& [key, site] : sites().all) {
    const std::lock_guard site_lock(site->mutex);
    if (site->made == 0) continue;
    report::CommunicatorSite row = site->sums;
    row.made.add(site->made);
    row.freed.add(site->freed);
    row.alive.add(site->made - std::min(site->made, site->freed));
    row.marshal.add(site->map_bytes, site->map_bytes_growing);
    if (site->host_samples != 0) {
      // Sampled: the mean of the samples stands for those that were not measured.
      const std::uint64_t bytes = site->host_bytes * site->made / site->host_samples;
      row.host.add(bytes, std::min(bytes, host_bytes_a_rank * row.ranks.sum));
    } else {
      row.host.unavailable = heap_unavailable();
    }
    record.communicators[site_of(site->call, site->frames)].merge(row);
  }
}

}  // namespace marshal
