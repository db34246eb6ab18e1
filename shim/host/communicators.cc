#include "host/communicators.h"

#include "host/handles.h"
#include "host/map_sources.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/process_groups.h"
#include "host/registry.h"

namespace marshal {
namespace {

Registry<Communicator>& registry() {
  static Registry<Communicator>& alive = *new Registry<Communicator>;  // outlives the program's own static objects
  return alive;
}

}  // namespace

namespace books {

const Communicator* find(MPI_Comm handle) { return registry().find(key_of(handle)); }

const Communicator* known(MPI_Comm handle) {
  if (const Communicator* communicator = find(handle)) return communicator;
  if (handle == predefined().comm_null) return nullptr;
  int inter = 0;
  if (pmpi().Comm_test_inter(handle, &inter) != MPI_SUCCESS) return nullptr;
  auto learnt = std::make_unique<Communicator>();
  learnt->map = map_by_learning(handle);
  if (inter) learnt->remote = map_of_remote_by_learning(handle);
  learnt->own_job = !has_foreign(learnt->map) && !(learnt->remote && has_foreign(*learnt->remote));
  return enter(handle, std::move(learnt));
}

const Communicator* enter(MPI_Comm handle, std::unique_ptr<Communicator> communicator) {
  const Communicator* entered = communicator.get();
  registry().insert(key_of(handle), std::move(communicator));
  return entered;
}

std::unique_ptr<Communicator> take(MPI_Comm handle) { return registry().extract(key_of(handle)); }

void forget_communicator(MPI_Comm handle) { take(handle); }

CommunicatorTotals communicator_totals() {
  CommunicatorTotals totals;
  registry().for_each([&](std::uint64_t, const Communicator& communicator) {
    ++totals.alive;
    totals.map_bytes += communicator.map_bytes();
  });
  totals.table_bytes = registry().bytes();
  return totals;
}

}  // namespace books

bool has_foreign(const RankMap& map) {
  if (!map.tracked() || !process_groups().met_foreign()) return false;
  for (int rank = 0; rank < map.size(); ++rank)
    if (map.process(rank).group != 0) return true;
  return false;
}

}  // namespace marshal
