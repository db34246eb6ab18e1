#include "communicators/self_check.h"

#include <string_view>

#include "base/message.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/process_groups.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

void compare_with_host(const char* call, const char* what, const RankMap& kept, MPI_Group group) {
  if (!kept.tracked()) return;
  const RankMap host = process_groups().learn(group, MapForm::lut);
  int wrong = host.size() == kept.size() ? -1 : 0;
  for (int rank = 0; wrong < 0 && rank < host.size(); ++rank)
    if (kept.process(rank) != host.process(rank) || kept.rank_of(host.process(rank)) != rank) wrong = rank;
  if (wrong < 0) return;
  say(Level::error, "self-check: after {}, the {} map ({}, {} ranks; the host has {}) is wrong at rank {}", call, what,
      kept.model(), kept.size(), host.size(), wrong);
  end_job(predefined().comm_world, 86);
}

}  // namespace

bool checks_itself() { return settings().self_check; }

void check_map(const char* call, MPI_Comm handle, const Communicator& communicator) {
  // Until the request of MPI_Comm_idup completes, MPICH gives wrong processes for the communicator, and keeps them.
  if (!checks_itself() || std::string_view(call).starts_with("MPI_Comm_idup")) return;
  MPI_Group group = predefined().group_null;
  if (pmpi().Comm_group(handle, &group) == MPI_SUCCESS) {
    compare_with_host(call, "local", communicator.map, group);
    pmpi().Group_free(&group);
  }
  if (communicator.remote && pmpi().Comm_remote_group(handle, &group) == MPI_SUCCESS) {
    compare_with_host(call, "remote", *communicator.remote, group);
    pmpi().Group_free(&group);
  }
}

void check_group(const char* call, MPI_Group handle, const RankMap& map) {
  if (checks_itself()) compare_with_host(call, "group's", map, handle);
}

}  // namespace marshal
