#include "mock_host.h"

#include <cstdlib>
#include <memory>

#include "communicators/creation.h"
#include "host/arrival.h"
#include "host/pmpi.h"
#include "host/predefined.h"

// Handles of this mock are numbers, as MPICH's are: it is compiled with MPICH's mpi.h.
namespace marshal {
namespace mock {
namespace {

using Members = std::vector<std::int32_t>;

constexpr int first_rank = 1000;
// Handles are never given out again: the books outlive start().
std::vector<std::unique_ptr<Members>> groups;
int world_size = 0;
Asked counters;

int group_free(MPI_Group* group) {
  if (*group != MPI_GROUP_EMPTY) groups[static_cast<std::size_t>(*group - first_rank)].reset();
  *group = MPI_GROUP_NULL;
  return MPI_SUCCESS;
}

int group_incl(MPI_Group group, int n, const int* ranks, MPI_Group* made) {
  ++counters.incl;
  Members chosen;
  for (int i = 0; i < n; ++i) chosen.push_back(members(group)[static_cast<std::size_t>(ranks[i])]);
  *made = n == 0 ? MPI_GROUP_EMPTY : group_of(std::move(chosen));
  return MPI_SUCCESS;
}

int group_rank(MPI_Group group, int* rank) {
  *rank = MPI_UNDEFINED;
  for (std::size_t r = 0; r < members(group).size(); ++r)
    if (members(group)[r] == 0) *rank = static_cast<int>(r);
  return MPI_SUCCESS;
}

int group_size(MPI_Group group, int* size) {
  *size = static_cast<int>(members(group).size());
  return MPI_SUCCESS;
}

int group_translate_ranks(MPI_Group from, int n, const int* ranks, MPI_Group to, int* out) {
  ++counters.translate;
  Members place(static_cast<std::size_t>(world_size), MPI_UNDEFINED);
  for (std::size_t r = 0; r < members(to).size(); ++r)
    place[static_cast<std::size_t>(members(to)[r])] = static_cast<std::int32_t>(r);
  for (int i = 0; i < n; ++i) {
    if (ranks[i] == MPI_PROC_NULL) {
      out[i] = MPI_PROC_NULL;
      continue;
    }
    if (ranks[i] < 0 || ranks[i] >= static_cast<int>(members(from).size())) return MPI_ERR_RANK;
    out[i] = place[static_cast<std::size_t>(members(from)[static_cast<std::size_t>(ranks[i])])];
  }
  return MPI_SUCCESS;
}

}  // namespace

void start(int world) {
  for (auto& group : groups) group.reset();
  world_size = world;
  counters = {};
}

MPI_Group group_of(Members lpids) {
  groups.push_back(std::make_unique<Members>(std::move(lpids)));
  return first_rank + static_cast<int>(groups.size()) - 1;
}

const Members& members(MPI_Group group) {
  static const Members none;
  return group == MPI_GROUP_EMPTY ? none : *groups[static_cast<std::size_t>(group - first_rank)];
}

Asked& asked() { return counters; }

}  // namespace mock

// In the place of pmpi.cc and predefined.cc, which look for a host.
void end_job(MPI_Comm, int status) { std::_Exit(status); }

const Pmpi& pmpi() {
  static const Pmpi table = [] {
    Pmpi functions;
    functions.Group_free = mock::group_free;
    functions.Group_incl = mock::group_incl;
    functions.Group_rank = mock::group_rank;
    functions.Group_size = mock::group_size;
    functions.Group_translate_ranks = mock::group_translate_ranks;
    return functions;
  }();
  return table;
}

// All of its ranks run under Marshal.
bool all_have_met() { return true; }

namespace {
[[maybe_unused]] const Predefined& filled = detail::predefined_handles = {
#define MARSHAL_PREDEFINED(type, name, constant, symbol) constant,
#include "host/predefined.table"
#undef MARSHAL_PREDEFINED
};
}  // namespace

}  // namespace marshal
