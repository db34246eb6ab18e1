#include "wrappers/count_collectives.h"

#include <chrono>
#include <optional>

#include "base/attempt.h"
#include "communicators/communicators.h"
#include "communicators/persistent_requests.h"
#include "host/own_rank.h"
#include "host/pmpi.h"
#include "reordering/moved_run_note.h"
#include "wrappers/call_words.h"
#include "wrappers/count_sends.h"

namespace marshal {
namespace {

bool is_inter(MPI_Comm communicator) {
  int inter = 0;
  return pmpi().Comm_test_inter(communicator, &inter) == MPI_SUCCESS && inter != 0;
}

// The processes of the communicator; of an intercommunicator, those of both groups.
std::uint32_t processes_of(MPI_Comm communicator) {
  const Communicator* const known = books::known(communicator);
  int processes = 0;
  if (known != nullptr && known->map.tracked()) {
    processes = known->map.size() + (known->remote ? known->remote->size() : 0);
  } else {
    processes = size_of(communicator);
    int more = 0;
    if (is_inter(communicator) && pmpi().Comm_remote_size(communicator, &more) == MPI_SUCCESS) processes += more;
  }
  return static_cast<std::uint32_t>(processes);
}

// Nothing on intercommunicators where the part of a process depends on the remote group.
std::uint64_t bytes_of_part(const CollectivePart& part, const WordReader& read) {
  const MPI_Comm communicator = read.communicator(part.comm);
  if (part.root >= 0) {
    const std::int64_t root = read.number(part.root, false);
    if (root < 0) return 0;  // MPI_ROOT or MPI_PROC_NULL: nothing else is significant
    if (part.root_has_none && !is_inter(communicator) && own_rank(communicator) == root) return 0;
  }
  if (!part.several_counts && !part.for_each)
    return bytes_of(read.number(part.count, part.large), read.type(part.type));
  const int size = is_inter(communicator) ? 0 : size_of(communicator);
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

}  // namespace

void note_collective(const CollectivePart& part, Call call, Binding binding, Word result, const Word* words) noexcept {
  if (!succeeded(binding, result, words, static_cast<std::size_t>(part.ierror))) return;
  if (has_moved_run_note()) look_at_moved_run_note(std::chrono::steady_clock::now());
  attempt([&] {
    const WordReader read{binding, words};
    const std::uint64_t bytes = bytes_of_part(part, read);
    const CollectiveName name =
        collective_name(static_cast<std::uint16_t>(call), processes_of(read.communicator(part.comm)), bytes);
    if (part.request < 0)
      count_collective(name, bytes);
    else
      enter_persistent_collective(read.request(part.request), name, bytes);
  });
}

Word pass_collective_apart(Slot& slot, Call call, Binding binding, const void* caller, const CollectivePart& part,
                           std::span<Word> words) {
  if (const std::optional<Word> passed = pass_on_others(slot, caller, words)) return *passed;
  MPI_Fint code = MPI_SUCCESS;
  provide_code(binding, words, code);
  const Word result = count_and_pass_on_words(slot, call, binding, caller, words.data(), words.size());
  if (is_watching_messages()) note_collective(part, call, binding, result, words.data());
  return result;
}

}  // namespace marshal
