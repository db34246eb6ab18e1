#include "communicators/communicator.h"

#include <new>

#include "communicators/communicator_memory.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/process_groups.h"

namespace marshal {
namespace {

constinit SpareObjects<Communicator> spare_communicators;

}  // namespace

void* Communicator::operator new(std::size_t size, std::align_val_t alignment) {
  try {
    return OnCacheLine::operator new(size, alignment);
  } catch (const std::bad_alloc&) {
    if (void* const room = spare_communicators.take()) return room;
    throw;
  }
}

void Communicator::operator delete(void* communicator, std::align_val_t alignment) {
  if (!spare_communicators.give_back(communicator)) OnCacheLine::operator delete(communicator, alignment);
}

bool same_processes(const RankMap& a, const RankMap& b) {
  if (a.size() != b.size() || a.tracked() != b.tracked()) return false;
  if (!a.tracked()) return true;
  if (a.formula() && b.formula()) return a.group() == b.group() && *a.formula() == *b.formula();
  return a.same_representation(b) || a.processes() == b.processes();
}

int rank_by_map(const Communicator& communicator) {
  return communicator.is_known() ? communicator.map.rank_of({0, process_groups().world_rank()}) : -1;
}

int rank_in_job(MPI_Group group, int rank) {
  int in_job = MPI_UNDEFINED;
  const bool is_known =
      process_groups().has_world() &&
      pmpi().Group_translate_ranks(group, 1, &rank, process_groups().host_group(0), &in_job) == MPI_SUCCESS;
  pmpi().Group_free(&group);
  return is_known ? in_job : MPI_UNDEFINED;
}

namespace {

// As counts(), without a map.
bool counts_by_asking(MPI_Comm handle) {
  int rank = -1, inter = 0;
  if (pmpi().Comm_rank(handle, &rank) != MPI_SUCCESS || rank != 0) return false;
  if (pmpi().Comm_test_inter(handle, &inter) != MPI_SUCCESS || !inter) return true;
  MPI_Group remote = predefined().group_null;
  if (pmpi().Comm_remote_group(handle, &remote) != MPI_SUCCESS) return true;
  const int other = rank_in_job(remote, 0);
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

}  // namespace marshal
