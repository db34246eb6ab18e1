// Requests of the program: what sets them up, and what completes them, cancels them or asks about them.
//
// Persistent and partitioned requests. A send counts as one message each time that it is started.
#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "communicators/persistent_requests.h"
#include "communicators/sent_messages.h"
#include "copies/extended_requests.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "wrappers/actions/quick.h"
#include "wrappers/entry/actions.h"
#include "wrappers/entry/count_requests.h"
#include "wrappers/entry/row.h"
#include "wrappers/entry/sentinels.h"

namespace marshal::action {

int set_up_send(HostCall& host, MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm, MPI_Request* request) {
  const int code = host();
  if (code != MPI_SUCCESS) return code;
  HostCall::own([&] {
    std::vector<PersistentPart> parts;
    if (is_watching_messages() && dest >= 0)
      parts.push_back({peer_name(comm, dest), grid_of(comm), size_of_message(count, type)});
    enter_persistent_send(object_place(name_of(host.call), host.caller), *request, std::move(parts));
  });
  return code;
}
// A receive or a barrier.
int set_up_without_data(HostCall& host, MPI_Request* request) {
  const int code = host();
  if (code != MPI_SUCCESS) return code;
  HostCall::own([&] { enter_persistent_send(object_place(name_of(host.call), host.caller), *request, {}); });
  return code;
}
int set_up_partitioned(HostCall& host, int partitions, MPI_Count count, MPI_Datatype type, int dest, MPI_Comm comm,
                       MPI_Request* request) {
  return set_up_send(host, partitions * count, type, dest, comm, request);
}

int request_free(HostCall& host, MPI_Request* request) {
  note_freed_request(request);
  return host();
}

// Calls of the program that complete requests, cancel them or ask about them, where there are extended requests
// (copies/extended_requests.h). The host's own function gets the requests inside them (copies/extended_requests.h). So
// the codes, statuses and calls of error handlers are its own; only an error that Marshal alone knows of is added.
namespace {

// A call that completes requests.
class Ending {
 public:
  // `status_at`: the number of the argument `statuses`. `most`: how many of these there are.
  Ending(HostCall& host, void* requests, std::int64_t count, std::size_t status_at, void* statuses, std::int64_t most)
      : host_(host), status_at_(status_at) {
    HostCall::own([&] {
      // Where the program's requests and statuses are those of C also in Fortran, as with MPICH.
      const bool is_readable = host.binding == Binding::c || std::is_same_v<MPI_Request, MPI_Fint>;
      if (!is_readable || requests == nullptr || !find_statuses(statuses, most)) return;
      begun_ = requests_.begin(static_cast<MPI_Request*>(requests), count);
    });
  }

  // False where the program's call is the host's alone.
  bool begun() const { return begun_; }

  int run() {
    const std::size_t requests_at = has_one_request(host_.call) ? 0 : 1;
    return host_.run_with({{requests_at, to_word(requests_.data())}, {status_at_, to_word(statuses_)}});
  }

  // For the time behind that.
  MPI_Status& status(std::int64_t i) { return statuses_[i]; }

  // visit(place in the array, state) for each extended request that has ended.
  template <class Visit>
  void for_each_ended(Visit visit) const {
    requests_.for_each_ended(visit);
  }

 private:
  // False where it is not known whether the program ignores them.
  bool find_statuses(void* statuses, std::int64_t most) {
    const Match one = matches(Sentinel::status_ignore, host_.binding, statuses);
    const Match several = matches(Sentinel::statuses_ignore, host_.binding, statuses);
    if (one == Match::unknown || several == Match::unknown || statuses == nullptr || most < 0) return false;
    if (one == Match::yes || several == Match::yes) own_.resize(static_cast<std::size_t>(most) + 1);
    statuses_ = own_.empty() ? static_cast<MPI_Status*>(statuses) : own_.data();
    return true;
  }

  HostCall& host_;
  const std::size_t status_at_;
  MPI_Status* statuses_ = nullptr;
  std::vector<MPI_Status> own_;  // where the program ignores them
  InnerRequests requests_;
  bool begun_ = false;
};

// At most one ends.
int end_single(HostCall& host, Ending& ending) {
  if (!ending.begun()) return host();
  return host.instead([&] {
    int code = ending.run();
    const ExtendedState* refused = nullptr;
    ending.for_each_ended([&](std::int64_t, ExtendedState& state) {
      state.status = ending.status(0);
      if (state.end(code) != code) refused = &state;
    });
    if (refused == nullptr) return code;
    code = refused->code;
    refused->completion->tell_handler(code);
    return code;
  });
}

// `status_of(i)`: that of request i, which has ended. `statuses`: how many the host wrote, of requests that have ended.
template <class StatusOf>
int end_several(HostCall& host, Ending& ending, StatusOf status_of, const int& statuses) {
  if (!ending.begun()) return host();
  return host.instead([&] {
    const int code = ending.run();
    const ExtendedState* refused = nullptr;
    ending.for_each_ended([&](std::int64_t i, ExtendedState& state) {
      MPI_Status& status = status_of(i);
      const int its_code = code == MPI_SUCCESS ? code : status.MPI_ERROR;
      state.status = status;
      if (state.end(its_code) == its_code) return;
      // The other statuses have no errors yet, where they need none.
      for (int k = 0; code == MPI_SUCCESS && refused == nullptr && k < statuses; ++k)
        ending.status(k).MPI_ERROR = MPI_SUCCESS;
      status.MPI_ERROR = state.code;
      refused = &state;
    });
    if (refused == nullptr || code != MPI_SUCCESS) return code;
    refused->completion->tell_handler(MPI_ERR_IN_STATUS);
    return int{MPI_ERR_IN_STATUS};
  });
}

// Indices of requests, as the host counts them: in Fortran from 1 on, which the mpi_f08 of MPICH 4.0 forgets.
int first_index(const Ending& ending, const int* indices, int count) {
  int first = 1;
  ending.for_each_ended([&](std::int64_t at, const ExtendedState&) {
    if (std::find<const int*>(indices, indices + count, at + 1) == indices + count) first = 0;
  });
  return first;
}

}  // namespace

int end_one(HostCall& host, MPI_Request* request, void* status) {
  Ending ending(host, request, 1, host.call == Call::Wait ? 1 : 2, status, 1);
  return end_single(host, ending);
}

int end_any(HostCall& host, int count, void* requests, void* status) {
  Ending ending(host, requests, count, host.call == Call::Waitany ? 3 : 4, status, 1);
  return end_single(host, ending);
}

int end_all(HostCall& host, int count, void* requests, void* statuses) {
  Ending ending(host, requests, count, host.call == Call::Waitall ? 2 : 3, statuses, count);
  return end_several(
      host, ending, [&](std::int64_t i) -> MPI_Status& { return ending.status(i); }, count);
}

int end_some(HostCall& host, int count, void* requests, int* done, int* indices, void* statuses) {
  Ending ending(host, requests, count, 4, statuses, count);
  std::optional<int> first;
  MPI_Status none{};
  return end_several(
      host, ending,
      [&](std::int64_t i) -> MPI_Status& {
        if (!first) first = host.binding == Binding::c ? 0 : first_index(ending, indices, *done);
        const int* const end = indices + *done;
        const int* const place = std::find<const int*>(indices, end, i + *first);
        return place != end ? ending.status(place - indices) : none;
      },
      *done);
}

int cancel(HostCall& host, MPI_Request* request) {
  ExtendedState* const state = request != nullptr ? ExtendedState::find(*request) : nullptr;
  if (state == nullptr || state->has_ended()) return host();
  return host.instead([&] { return state->cancel(); });
}

int request_get_status(HostCall& host, MPI_Request request, int* flag, void*) {
  ExtendedState* const state = ExtendedState::find(request);
  const HeldRequest held(state);
  if (!held || state->has_ended()) return host();
  return host.instead([&] {
    const Word inner = host.binding == Binding::c ? to_word(*state->place) : to_word(state->place);
    const int code = host.run_with({{0, inner}});
    if (code != MPI_SUCCESS || *flag == 0) return code;
    state->poll();
    return state->code;
  });
}

}  // namespace marshal::action
