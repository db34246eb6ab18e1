#include "host/communicators.h"

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "host/handles.h"
#include "host/map_sources.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/process_groups.h"
#include "base/registry.h"

namespace marshal {
namespace {

Registry<Communicator>& registry() {
  static Registry<Communicator>& alive = *new Registry<Communicator>;  // outlives the program's own static objects
  return alive;
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

// Before it is destroyed.
void leave(const Communicator& communicator) {
  books::communicator_departures.fetch_add(1, std::memory_order_release);
  sums.remove(communicator);
}

}  // namespace

namespace books {

const Communicator* look_up(MPI_Comm handle) { return registry().find(key_of(handle)); }

const Communicator* known(MPI_Comm handle) {
  if (const Communicator* communicator = find(handle)) return communicator;
  if (handle == predefined().comm_null) return nullptr;
  int inter = 0;
  if (pmpi().Comm_test_inter(handle, &inter) != MPI_SUCCESS) return nullptr;
  auto learnt = std::make_unique<Communicator>();
  learnt->map = map_by_learning(handle);
  if (inter) learnt->remote = map_of_remote_by_learning(handle);
  learnt->own_job = !has_foreign(learnt->map) && !(learnt->remote && has_foreign(*learnt->remote));
  learnt->counted_here = counts(handle, *learnt);
  return enter(handle, std::move(learnt));
}

const Communicator* enter(MPI_Comm handle, std::unique_ptr<Communicator> communicator) {
  const Communicator* entered = communicator.get();
  sums.add(*communicator);
  if (const auto unnoticed = registry().insert(key_of(handle), std::move(communicator))) leave(*unnoticed);
  return entered;
}

std::unique_ptr<Communicator> take(MPI_Comm handle) {
  std::unique_ptr<Communicator> taken = registry().extract(key_of(handle));
  if (taken) leave(*taken);
  return taken;
}

void forget_communicator(MPI_Comm handle) { take(handle); }

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

namespace {

// The rank that the first process of a group has in this job; MPI_UNDEFINED for one of another job.
int first_in_job(MPI_Group group) {
  const int first = 0;
  int in_job = MPI_UNDEFINED;
  if (pmpi().Group_translate_ranks(group, 1, &first, process_groups().host_group(0), &in_job) != MPI_SUCCESS)
    in_job = MPI_UNDEFINED;
  pmpi().Group_free(&group);
  return in_job;
}

// The same without a map.
bool counts_by_asking(MPI_Comm handle) {
  int rank = -1, inter = 0;
  if (pmpi().Comm_rank(handle, &rank) != MPI_SUCCESS || rank != 0) return false;
  if (pmpi().Comm_test_inter(handle, &inter) != MPI_SUCCESS || !inter) return true;
  MPI_Group remote = predefined().group_null;
  if (!process_groups().has_world() || pmpi().Comm_remote_group(handle, &remote) != MPI_SUCCESS) return true;
  const int other = first_in_job(remote);
  return other == MPI_UNDEFINED || process_groups().world_rank() < other;
}

}  // namespace

bool counts(MPI_Comm handle, const Communicator& communicator) {
  const RankMap& map = communicator.map;
  const std::optional<RankMap>& remote = communicator.remote;
  if (!map.tracked()) return counts_by_asking(handle);
  if (map.size() == 0 || map.process(0) != Process{0, process_groups().world_rank()}) return false;
  return !remote || !remote->tracked() || remote->size() == 0 || !communicator.own_job ||
         process_groups().world_rank() < remote->process(0).lpid;
}

bool has_foreign(const RankMap& map) {
  if (!map.tracked() || map.size() == 0 || !process_groups().met_foreign()) return false;
  if (map.table() == nullptr || !map.table()->several_groups()) return map.process(0).group != 0;
  for (int rank = 0; rank < map.size(); ++rank)
    if (map.process(rank).group != 0) return true;
  return false;
}

}  // namespace marshal
