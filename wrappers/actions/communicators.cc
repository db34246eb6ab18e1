// The constructors and destructors of communicators: each passes the call on, then enters what was made, with its map,
// on the books.
//
// An action asks the host for itself only after the program's own call succeeded, so that all errors are the program's.
#include "communicators/communicators.h"

#include "communicators/creation.h"
#include "communicators/groups.h"
#include "communicators/map_sources.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/process_groups.h"
#include "job/job.h"
#include "job/watch_meeting.h"
#include "messages/mpich/ucx_endpoints.h"
#include "settings/settings_in_force.h"
#include "wrappers/actions/ends.h"
#include "wrappers/entry/actions.h"

namespace marshal::action {
namespace {

Creation creation_of(const HostCall& host) { return Creation(name_of(host.call), host.caller); }

// Learns the new communicator from the host: for calls that involve processes that may run without Marshal, or know of
// different parents. Where the host is not to be asked, the processes stay unknown.
void learn(Creation& creation, MPI_Comm handle, bool reordered = true, GridNumber grid = 0) {
  books::enter_made(handle, [&] {
    if (!settings().asks_host) return creation.made_unknown(handle);
    int inter = 0;
    pmpi().Comm_test_inter(handle, &inter);
    RankMap map = map_by_learning(handle);
    std::optional<RankMap> remote;
    if (inter) remote = map_of_remote_by_learning(handle);
    const bool own_job = !has_foreign(map) && !(remote && has_foreign(*remote));
    creation.made(handle, std::move(map), std::move(remote), own_job, reordered, grid);
  });
}

}  // namespace

// A communicator of the same processes has the parent's maps. No communication. That of a
// nonblocking call is set at once, although it may be used only when the request is complete.
int duplicate(HostCall& host, MPI_Comm parent, MPI_Comm* handle) {
  Creation creation = creation_of(host);
  const int code = creation.run(host);
  if (!made(code, handle)) return code;
  const Communicator* from = books::known(parent);
  if (from == nullptr && !settings().asks_host)
    learn(creation, *handle);
  else if (from != nullptr && !HostCall::own([&] { creation.made_like(*handle, *from); }))
    books::enter_without_map(*handle, *from);
  return code;
}

int make_and_learn(HostCall& host, MPI_Comm* handle) {
  Creation creation = creation_of(host);
  const int code = creation.run(host);
  if (made(code, handle)) learn(creation, *handle);
  return code;
}

// MPI_Comm_split: only the members know who they are.
int split_off(HostCall& host, MPI_Comm parent, MPI_Comm* handle) {
  Creation creation = creation_of(host);
  const int code = creation.run(host);
  if (!made(code, handle)) return code;
  const Communicator* from = books::known(parent);
  if (from == nullptr || from->remote || !from->own_job || !settings().asks_host) {
    learn(creation, *handle, true, from != nullptr ? from->grid : GridNumber{0});
    return code;
  }
  const int own = own_rank(parent);
  creation.divides(*from);
  books::enter_made(*handle, [&] {
    creation.made(*handle, map_by_exchange(*handle, from->map, own), std::nullopt, true, from->reordered, from->grid);
  });
  return code;
}

// An intracommunicator of a group whose map is known. Nobody knows what the group was made of: it counts as made of
// `parent`, if there is one.
int make_of_group(HostCall& host, MPI_Comm parent, MPI_Group group, MPI_Comm* handle) {
  Creation creation = creation_of(host);
  const int code = creation.run(host);
  if (!made(code, handle)) return code;
  const Communicator* const from = books::find(parent);
  // MPI_Comm_create makes an intercommunicator of one.
  int inter = parent != predefined().comm_null && (from == nullptr || !from->is_known() || from->remote) ? 1 : 0;
  if (settings().asks_host) pmpi().Comm_test_inter(*handle, &inter);
  const RankMap* map = nullptr;
  if (from != nullptr && host.call == Call::Comm_create) creation.divides(*from);
  if (!inter) HostCall::own([&] { map = books::known_group(group); });
  const bool reordered = parent != predefined().comm_null && (from == nullptr || from->reordered);
  const GridNumber grid = from != nullptr ? from->grid : GridNumber{0};
  if (map == nullptr || (!map->tracked() && map_form_in_force() != MapForm::off))
    learn(creation, *handle, reordered, grid);
  else
    books::enter_made(*handle,
                      [&] { creation.made(*handle, *map, std::nullopt, !has_foreign(*map), reordered, grid); });
  return code;
}

int comm_create_from_group(HostCall& host, MPI_Group group, MPI_Comm* newcomm) {
  // MPICH's sessions may connect the processes only now.
  const int code = [&] {
    const endpoints::MadeByHost by_host(endpoints::MadeByHost::When::in_session);
    return make_of_group(host, predefined().comm_null, group, newcomm);
  }();
  if (made(code, newcomm)) {
    const Communicator* communicator = books::find(*newcomm);
    if (communicator != nullptr && communicator->own_job && settings().asks_host &&
        communicator->map.size() == process_groups().world_size())
      HostCall::own([&] {
        job::meet_all(*newcomm);
        job::begin_watching({call_names, watched_parts});
      });
  }
  return code;
}
int comm_free(HostCall& host, MPI_Comm* comm) { return end_communicator(comm, host); }

// Every call returns the same handle: it is entered once, and not counted as made here.
int comm_get_parent(HostCall& host, MPI_Comm* parent) {
  const int code = host();
  if (made(code, parent)) books::known(*parent);
  return code;
}

int intercomm_merge(HostCall& host, MPI_Comm comm, MPI_Comm* newcomm) {
  Creation creation = creation_of(host);
  const int code = creation.run(host);
  if (!made(code, newcomm)) return code;
  const Communicator* from = books::known(comm);
  if (from == nullptr || !from->remote || !settings().asks_host) {
    learn(creation, *newcomm);
    return code;
  }
  // If both sides give the same `high`, the host chooses which goes first; this process's rank shows the choice.
  const bool first = own_rank(comm) == own_rank(*newcomm);
  books::enter_made(*newcomm, [&] {
    creation.made(
        *newcomm,
        first ? RankMap::concatenate(from->map, *from->remote) : RankMap::concatenate(*from->remote, from->map),
        std::nullopt, from->own_job, true);  // one side does not know of the other
  });
  return code;
}

}  // namespace marshal::action
