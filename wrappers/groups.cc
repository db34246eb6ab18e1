// Groups: their maps follow from those that they are made of.
#include "host/groups.h"

#include <span>

#include "host/communicators.h"
#include "host/predefined.h"
#include "wrappers/actions.h"

namespace marshal::action {
namespace {

bool made(int code, const MPI_Group* handle) {
  return code == MPI_SUCCESS && handle != nullptr && *handle != predefined().group_null;
}

// Learnt when somebody asks for it; only what an older group left under the handle must go.
int learn_later(HostCall& host, MPI_Group* group) {
  const int code = host();
  if (made(code, group)) books::forget_group(*group);
  return code;
}

}  // namespace

int comm_group(HostCall& host, MPI_Comm comm, MPI_Group* group) {
  const int code = host();
  if (!made(code, group)) return code;
  if (const Communicator* communicator = books::known(comm))
    books::enter_group(name_of(host.call), *group, communicator->map);
  return code;
}

int comm_remote_group(HostCall& host, MPI_Comm comm, MPI_Group* group) {
  const int code = host();
  if (!made(code, group)) return code;
  const Communicator* communicator = books::known(comm);
  if (communicator != nullptr && communicator->remote)
    books::enter_group(name_of(host.call), *group, *communicator->remote);
  return code;
}

int group_incl(HostCall& host, MPI_Group group, int n, const int* ranks, MPI_Group* newgroup) {
  const int code = host();
  if (!made(code, newgroup)) return code;
  if (const RankMap* map = books::known_group(group))
    books::enter_group(name_of(host.call), *newgroup, map->derive(std::span(ranks, static_cast<std::size_t>(n))));
  return code;
}

int group_excl(HostCall& host, MPI_Group, int, const int*, MPI_Group* newgroup) { return learn_later(host, newgroup); }
int group_range_incl(HostCall& host, MPI_Group, int, const int*, MPI_Group* newgroup) {
  return learn_later(host, newgroup);
}
int group_range_excl(HostCall& host, MPI_Group, int, const int*, MPI_Group* newgroup) {
  return learn_later(host, newgroup);
}
int group_union(HostCall& host, MPI_Group, MPI_Group, MPI_Group* newgroup) { return learn_later(host, newgroup); }
int group_intersection(HostCall& host, MPI_Group, MPI_Group, MPI_Group* newgroup) {
  return learn_later(host, newgroup);
}
int group_difference(HostCall& host, MPI_Group, MPI_Group, MPI_Group* newgroup) { return learn_later(host, newgroup); }
#if MPI_VERSION >= 4
int group_from_session_pset(HostCall& host, MPI_Session, const char*, MPI_Group* newgroup) {
  return learn_later(host, newgroup);
}
#endif
int win_get_group(HostCall& host, MPI_Win, MPI_Group* group) { return learn_later(host, group); }
int file_get_group(HostCall& host, MPI_File, MPI_Group* group) { return learn_later(host, group); }

int group_free(HostCall& host, MPI_Group* group) {
  if (group != nullptr) books::release_group(*group);
  return host();
}

}  // namespace marshal::action
