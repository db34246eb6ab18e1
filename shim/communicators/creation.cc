#include "communicators/creation.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "base/cpu_time.h"
#include "base/process_memory.h"
#include "communicators/communicators.h"
#include "communicators/map_sources.h"
#include "communicators/self_check.h"
#include "host/clock_watch.h"
#include "host/node_map.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/process_groups.h"
#include "rankmap/memory_model.h"

namespace marshal {
namespace {

// Walking a fragmented heap takes long, so it is done at a site's first, second, fourth, eighth … communicator.
bool worth_measuring(std::uint64_t made_before) { return std::has_single_bit(made_before + 1); }

SchemeBytes scheme_bytes_of(const MadeAlike& kind, bool duplicate) {
  using memory_model::Scheme;
  memory_model::Communicator model;
  model.size = kind.size;
  model.remote_size = kind.remote_size;
  model.duplicate = duplicate;
  model.regular = kind.regular;
  model.several_groups = kind.several_groups;
  memory_model::Parameters parameters;
  parameters.ranks_per_node = std::max<std::int64_t>(1, node_map().most_per_node());
  // The difference to a communicator of twice the size is the part that grows with the job.
  memory_model::Communicator twice = model;
  twice.size *= 2;
  twice.remote_size *= 2;
  const auto bytes = [&](Scheme scheme) {
    const auto now = static_cast<std::uint64_t>(memory_model::added(scheme, model, parameters));
    return Bytes{now, static_cast<std::uint64_t>(memory_model::added(scheme, twice, parameters)) - now};
  };
  return {bytes(Scheme::vc_vcrt), bytes(Scheme::av_rankmap)};
}

// Reading the CPU time is a system call, which takes as long as all the rest that Marshal does here: if a site makes
// many communicators, a small sample of them is timed.
std::uint64_t cpu_weight(std::uint64_t made_before) {
  constexpr std::uint64_t all_of = 16, then_each = 256;
  if (made_before < all_of) return 1;
  return made_before % then_each == 0 ? then_each : 0;
}

}  // namespace

bool made(int code, const MPI_Comm* handle) {
  return code == MPI_SUCCESS && handle != nullptr && *handle != predefined().comm_null;
}

Creation::Creation(const char* call, const void* caller)
    : call_(call),
      entered_(Clock::now()),
      site_(site_at(call, frames_above(caller))),
      cpu_weight_(cpu_weight(site_.made.load(std::memory_order_relaxed))) {
  start_cpu_time();
}

void Creation::start_cpu_time() {
  if (cpu_weight_ != 0) cpu_.start();
}

void Creation::stop_cpu_time() {
  if (cpu_weight_ != 0) cpu_.stop();
}

void Creation::before_host() {
  measures_memory_ = worth_measuring(site_.made.load(std::memory_order_relaxed)) && heap_unavailable().empty();
  if (measures_memory_) memory_before_ = heap_in_use();
  stop_cpu_time();
  host_began_ = Clock::now();
}

void Creation::after_host() {
  host_ended_ = Clock::now();
  tell_time(host_ended_);
  start_cpu_time();
  if (measures_memory_) memory_after_ = heap_in_use();
}

void Creation::count_known(const Communicator& made, std::size_t map_bytes) {
  report::CommunicatorSite& sums = site_.sums;
  const RankMap& addressed = made.addressed();
  const std::int32_t remote_size = made.remote ? made.remote->size() : 0;
  const MadeAlike kind{made.map.size(), remote_size,
                       made.map.constant_size() && (!made.remote || made.remote->constant_size()),
                       !made.own_job && !made.remote};
  const std::string_view model = addressed.model();
  if (made.counted_here) {
    ++sums.communicators;
    if (made.remote) ++sums.intercommunicators;
  }
  sums.ranks.add(static_cast<std::uint64_t>(addressed.size()));
  if (site_.last_model_count == nullptr || site_.last_model != model) {
    const auto entry = sums.models.try_emplace(std::string(model)).first;
    site_.last_model = entry->first;
    site_.last_model_count = &entry->second;
  }
  ++*site_.last_model_count;
  if (kind != site_.last) {
    site_.last = kind;
    site_.last_bytes = scheme_bytes_of(kind, std::string_view(call_).find("dup") != std::string_view::npos);
  }
  site_.scheme_bytes.vc_vcrt += site_.last_bytes.vc_vcrt;
  site_.scheme_bytes.av_rankmap += site_.last_bytes.av_rankmap;
  site_.map_bytes += {map_bytes, addressed.constant_size() ? 0 : map_bytes};
  if (measures_memory_) {
    const report::AllocationKind alike{call_, made.map.size(), remote_size};
    const std::uint64_t bytes = memory_after_ > memory_before_ ? memory_after_ - memory_before_ : 0;
    site_.host_bytes.add(alike, bytes);
    least_allocations().add(alike, bytes);
  }
}

namespace {

// In the job; 0 where that is not known.
int rank_of_first(const RankMap& map) {
  if (map.size() == 0 || !map.tracked()) return 0;
  const Process first = map.process(0);
  return first.group == 0 ? first.lpid : 0;
}

}  // namespace

// The first of the new communicator. Where that has few of the parent's processes, there may be many such, so that the
// parent's first one speaks.
int Creation::speaker_of(const Communicator& made) const {
  const bool is_tiny = parent_ != nullptr && 16 * std::int64_t{made.map.size()} < parent_->map.size();
  return rank_of_first(is_tiny ? parent_->map : made.map);
}

CreationSite* Creation::count(const Communicator& made, std::size_t map_bytes) {
  count_at_site(made, map_bytes);
  if (&site_ != &unknown_site()) communicators_alive += books::more_in_host(made);
  count_in_use(site_, speaker_of(made));
  return &site_;
}

void Creation::count_at_site(const Communicator& made, std::size_t map_bytes) {
  const std::lock_guard lock(site_.mutex);
  report::CommunicatorSite& sums = site_.sums;
  const std::uint64_t made_here = 1 + site_.made.fetch_add(1, std::memory_order_relaxed);
  // The next one may be freed before this one is counted.
  const std::uint64_t freed_here = std::min(made_here, site_.freed.load(std::memory_order_relaxed));
  site_.most_alive = std::max(site_.most_alive, made_here - freed_here);
  if (made.is_known())
    count_known(made, map_bytes);
  else
    ++sums.not_known;
  const std::uint64_t in_host = nanoseconds(host_ended_ - host_began_);
  sums.creation_ns += in_host;
  sums.marshal_ns += nanoseconds(Clock::now() - entered_) - in_host;
  stop_cpu_time();
  site_.sampled_ns += cpu_weight_ * nanoseconds(cpu_.wall());
  site_.sampled_cpu_ns += cpu_weight_ * nanoseconds(cpu_.cpu());
  if (is_nested_) ++sums.nested_duplicates;
  if (parent_ != nullptr && made.map.size() > 1 && made.map.tracked() && same_processes(made.map, parent_->map))
    ++sums.like_parent;
}

// Communicators of one call differ in their first member, or in the colour. One without either is not watched, nor is
// one that not all members of the parent make.
watch::Row* Creation::watched_row(const Communicator& made) const {
  const std::string_view call = call_;
  const bool is_of_others = made.remote || (made.is_known() && !made.own_job);
  if (!watch::is_on() || is_of_others || call.starts_with("MPI_Comm_create_")) return nullptr;
  std::uint64_t part = 0;
  if (made.is_known() && made.map.tracked())
    part = static_cast<std::uint32_t>(made.map.process(0).lpid);
  else if (call == "MPI_Comm_split")
    part = watch::colour_of_split();
  else if (call.find("dup") == std::string_view::npos)
    return nullptr;
  return watch::new_row(watch::identity_of_part(part), static_cast<std::uint32_t>(made.map.size()), rank_by_map(made));
}

void Creation::enter(MPI_Comm handle, std::unique_ptr<Communicator> communicator) {
  communicator->row = watched_row(*communicator);
  communicator->site = count(*communicator, communicator->map_bytes());
  check_map(call_, handle, *books::enter(handle, std::move(communicator)));
}

void Creation::made(MPI_Comm handle, RankMap map, std::optional<RankMap> remote, bool own_job, bool reordered,
                    GridNumber grid) {
  auto communicator = std::make_unique<Communicator>();
  communicator->map = std::move(map);
  communicator->remote = std::move(remote);
  communicator->own_job = own_job;
  communicator->reordered = reordered;
  communicator->grid = grid;
  communicator->counted_here = communicator->is_known() && counts(handle, *communicator);
  enter(handle, std::move(communicator));
}

void Creation::made_like(MPI_Comm handle, const Communicator& parent) {
  is_nested_ = parent.site == &site_;
  auto communicator = std::make_unique<Communicator>();
  communicator->map = parent.map;
  communicator->remote = parent.remote;
  communicator->own_job = parent.own_job;
  communicator->reordered = parent.reordered;
  communicator->grid = GridNumber{parent.grid};
  communicator->counted_here = parent.counted_here;
  enter(handle, std::move(communicator));
}

void Creation::made_unknown(MPI_Comm handle) {
  made(handle, RankMap::identity(0, 0, MapForm::off), std::nullopt, false, true);
}

void Creation::made_of_first(std::int64_t size, const Communicator* parent, MPI_Comm handle) noexcept {
  books::enter_made(handle, [&] {
    if (size == 0 || parent == nullptr || size > parent->map.size()) return made_unknown(handle);
    made(handle, map_of_prefix(parent->map, static_cast<int>(size)), std::nullopt, parent->own_job, parent->reordered,
         parent->grid);
  });
}

CreationSite* Creation::made_inside(const Communicator& on) { return count(on, 0); }

}  // namespace marshal
