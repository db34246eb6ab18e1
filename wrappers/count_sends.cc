#include "wrappers/count_sends.h"

#include <algorithm>
#include <vector>

#include "base/attempt.h"
#include "base/thread_end.h"
#include "reordering/topology_neighbours.h"
#include "wrappers/call_words.h"

namespace marshal {
namespace {

// The requests of MPI_Start (one) or MPI_Startall, in either language.
struct Requests {
  Requests(Call call, Binding from, const Word* words) : binding(from) {
    if (call == Call::Start) {
      count = 1;
      address = words[0];
    } else {
      const int many = binding == Binding::c ? from_word<int>(words[0]) : *from_word<const MPI_Fint*>(words[0]);
      count = static_cast<std::size_t>(std::max(0, many));
      address = words[1];
    }
    if (address == 0) count = 0;  // an error, which the host finds
  }
  MPI_Request operator[](std::size_t i) const {
    if (binding == Binding::c) return from_word<const MPI_Request*>(address)[i];
    MPI_Request request{};
    from_fortran(from_word<const MPI_Fint*>(address)[i], request);
    return request;
  }

  Binding binding;
  std::size_t count = 0;
  Word address = 0;
};

}  // namespace

Word start(Slot& slot, Call call, Binding binding, const void* caller, const Word* words, std::size_t count) {
  const Requests requests(call, binding, words);
  // Hosts may give a request that is started another handle.
  static thread_local constinit std::vector<MPI_Request>* own = nullptr;
  std::vector<MPI_Request>* const before = of_this_thread(own);
  const bool noted = before != nullptr && attempt([&] {
                       before->clear();
                       for (std::size_t i = 0; i < requests.count; ++i) before->push_back(requests[i]);
                     });
  const Word result = count_and_pass_on_words(slot, call, binding, caller, words, count);
  if (!noted || !succeeded(binding, result, words, count - 1)) return result;
  for (std::size_t i = 0; i < requests.count; ++i) count_started((*before)[i], requests[i]);
  return result;
}

void count_neighbour_sends(const NeighbourSends& sends, Binding binding, Word result, const Word* words) {
  if (!succeeded(binding, result, words, static_cast<std::size_t>(sends.ierror))) return;
  attempt([&] {
    const WordReader read{binding, words};
    const std::vector<PeerName>* const neighbours = topology_neighbours(read.communicator(sends.comm));
    if (neighbours == nullptr) return;
    std::vector<PersistentPart> persistent;
    for (std::size_t k = 0; k < neighbours->size(); ++k) {
      const PeerName name = (*neighbours)[k];
      if (name == no_neighbour) continue;
      const std::int64_t count =
          sends.several_counts ? read.element(sends.count, k, sends.large) : read.number(sends.count, sends.large);
      const std::uint64_t bytes =
          bytes_of(count, sends.several_types ? read.type_element(sends.type, k) : read.type(sends.type));
      if (sends.request < 0)
        count_messages(name, 1, bytes);
      else
        persistent.push_back({name, bytes});
    }
    if (sends.request < 0) return;
    enter_persistent_send(read.request(sends.request), std::move(persistent));
  });
}

}  // namespace marshal
