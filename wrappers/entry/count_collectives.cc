#include "wrappers/entry/count_collectives.h"

#include <chrono>
#include <utility>
#include <vector>

#include "base/attempt.h"
#include "callsites/python_place.h"
#include "communicators/communicators.h"
#include "communicators/persistent_requests.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "reordering/run_key.h"
#include "reordering/topology_neighbours.h"
#include "settings/settings_in_force.h"
#include "wrappers/entry/call_words.h"
#include "wrappers/entry/count_sends.h"

namespace marshal {
namespace {

// Where the host is not to be asked (MARSHAL_RANKMAP=derived), these answer for communicators whose processes are
// known. Intercommunicators never are.
bool may_be_asked_about(MPI_Comm communicator) {
  if (settings().asks_host) return true;
  const Communicator* const known = books::find(communicator);
  return known != nullptr && known->is_known();
}
bool is_inter(MPI_Comm communicator) {
  int inter = 0;
  return settings().asks_host && pmpi().Comm_test_inter(communicator, &inter) == MPI_SUCCESS && inter != 0;
}
int rank_in(MPI_Comm communicator) {
  return settings().asks_host ? own_rank(communicator) : rank_by_map(*books::find(communicator));
}
int number_of_ranks(MPI_Comm communicator) {
  return settings().asks_host ? size_of(communicator) : books::find(communicator)->map.size();
}

// The processes of the communicator; of an intercommunicator, those of both groups. 0: not known.
std::uint32_t processes_of(MPI_Comm communicator) {
  const Communicator* const known = books::known(communicator);
  if (known != nullptr) known->is_used = true;
  int processes = 0;
  if (known != nullptr && known->map.tracked()) {
    processes = known->map.size() + (known->remote ? known->remote->size() : 0);
  } else if (settings().asks_host) {
    processes = size_of(communicator);
    int more = 0;
    if (is_inter(communicator) && pmpi().Comm_remote_size(communicator, &more) == MPI_SUCCESS) processes += more;
  }
  return static_cast<std::uint32_t>(processes);
}

// Nothing on intercommunicators where the part of a process depends on the remote group.
std::uint64_t bytes_of_part(const CollectivePart& part, const WordReader& read) {
  const MPI_Comm communicator = read.communicator(part.comm);
  const bool depends_on_ranks = part.root_has_none || part.several_counts || part.for_each;
  if (depends_on_ranks && !may_be_asked_about(communicator)) {
    note_unsized();
    return 0;
  }
  if (part.root >= 0) {
    const std::int64_t root = read.number(part.root, false);
    if (root < 0) return 0;  // MPI_ROOT or MPI_PROC_NULL: nothing else is significant
    if (part.root_has_none && !is_inter(communicator) && rank_in(communicator) == root) return 0;
  }
  if (!part.several_counts && !part.for_each)
    return bytes_of(read.number(part.count, part.large), read.type(part.type));
  const int size = is_inter(communicator) ? 0 : number_of_ranks(communicator);
  if (part.for_each)
    return static_cast<std::uint64_t>(size) * bytes_of(read.number(part.count, part.large), read.type(part.type));
  std::uint64_t sum = 0;
  std::int64_t all = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(size); ++i) {
    const std::int64_t count = read.element(part.count, i, part.large);
    if (part.several_types)
      sum += bytes_of(count, read.type_element(part.type, i));
    else
      all += count;
  }
  return part.several_types ? sum : bytes_of(all, read.type(part.type));
}

ObjectPlace& place_of(CallPlace place) { return object_place(name_of(place.call), place_of_call(place.caller)); }

void note_sends_to_neighbours(const CollectivePart& part, CallPlace place, Word result, const Word* words) {
  const Binding binding = place.binding;
  if (!succeeded(binding, result, words, static_cast<std::size_t>(part.ierror))) return;
  attempt([&] {
    const WordReader read{binding, words};
    const MPI_Comm communicator = read.communicator(part.comm);
    const std::vector<PeerName>* const neighbours = topology_neighbours(communicator);
    if (neighbours == nullptr && !settings().asks_host) note_unsized();
    const GridNumber grid = grid_of(communicator);
    std::vector<PersistentPart> persistent;
    for (std::size_t k = 0; neighbours != nullptr && k < neighbours->size(); ++k) {
      const PeerName name = (*neighbours)[k];
      if (name == no_neighbour) continue;
      const std::int64_t count =
          part.several_counts ? read.element(part.count, k, part.large) : read.number(part.count, part.large);
      const MessageSize size =
          size_of_message(count, part.several_types ? read.type_element(part.type, k) : read.type(part.type));
      if (part.request < 0)
        count_message(name, grid, size);
      else
        persistent.push_back({name, grid, size});
    }
    if (part.request >= 0) enter_persistent_send(place_of(place), read.request(part.request), std::move(persistent));
  });
}

// Where messages are not counted.
void note_persistent_alone(const CollectivePart& part, CallPlace place, Word result, const Word* words) {
  if (part.request < 0) return;
  if (!succeeded(place.binding, result, words, static_cast<std::size_t>(part.ierror))) return;
  const WordReader read{place.binding, words};
  attempt([&] { enter_persistent_send(place_of(place), read.request(part.request), {}); });
}

}  // namespace

void note_collective(const CollectivePart& part, CallPlace place, Word result, const Word* words) noexcept {
  const Binding binding = place.binding;
  if (!succeeded(binding, result, words, static_cast<std::size_t>(part.ierror))) return;
  if (has_moved_run_note()) look_at_moved_run_note(std::chrono::steady_clock::now());
  attempt([&] {
    const WordReader read{binding, words};
    if (read.communicator(part.comm) == predefined().comm_null) return;  // a handler made a success of it
    const std::uint64_t bytes = bytes_of_part(part, read);
    const CollectiveName name =
        collective_name(static_cast<std::uint16_t>(place.call), processes_of(read.communicator(part.comm)), bytes);
    if (part.request < 0)
      count_collective(name, bytes);
    else
      enter_persistent_collective(place_of(place), read.request(part.request), name, bytes);
  });
}

void note_any_collective(const CollectivePart& part, CallPlace place, Word result, const Word* words) noexcept {
  if (!is_watching_messages())
    note_persistent_alone(part, place, result, words);
  else if (part.to_neighbours)
    note_sends_to_neighbours(part, place, result, words);
  else
    note_collective(part, place, result, words);
}

}  // namespace marshal
