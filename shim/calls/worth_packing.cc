#include "calls/worth_packing.h"

#include <chrono>
#include <limits>

#include "copies/packed_copy.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "settings/settings_in_force.h"
#include "types/packing_by_host.h"

namespace marshal::calls {
namespace {

// The rest of a packed message: a datatype for the host (carrier.h), the copy's memory, and the host's own copy of it
// from or into the caches. As measured on MPICH 3.4.1 and 4.0 by `marshal bench messages --by calls`.
constexpr std::int64_t ns_of_a_message = 500, bytes_copied_in_a_ns = 16;

std::int64_t ns_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count();
}

// Both sides pack the buffer, also one that receives: the program does not write to it meanwhile.
void compare_packs(const GappedBuffer& gapped, const ProgramBuffer& buffer, HostTrial& trial, std::uint64_t messages) {
  const PackedCopy copy(gapped.bytes);
  if (copy.data() == nullptr) return;
  const PackingByHost packing;
  int position = 0;
  auto begin = std::chrono::steady_clock::now();
  const int code = pmpi().Pack(buffer.user, static_cast<int>(buffer.count), buffer.type, copy.data(),
                               static_cast<int>(gapped.bytes), &position, predefined().comm_self);
  const std::int64_t host = ns_since(begin);
  if (code != MPI_SUCCESS) return;
  begin = std::chrono::steady_clock::now();
  move_copy<false>(gapped.instances(), copy.data(), {0, gapped.bytes});
  const std::int64_t engine = ns_since(begin) + ns_of_a_message + gapped.bytes / bytes_copied_in_a_ns;
  trial.took(gapped.bytes, true, host, messages);
  trial.took(gapped.bytes, false, engine, messages);
}

bool is_too_short(std::int64_t bytes) { return bytes < HostTrial::least_bytes; }

bool are_all_packed() { return settings().messages == MessageEngine::calls; }

}  // namespace

float guessed_ns_saved_of_a_kib() { return are_all_packed() ? std::numeric_limits<float>::max() : 200; }

bool is_known_to_be_left(const SharedLayout& layout, std::int64_t bytes, bool receives) {
  if (are_all_packed()) return false;
  if (is_too_short(bytes)) return true;
  const MessageAccount& account = layout.messages(receives);
  return account.trial.is_left_to_host(bytes, account.messages());
}

bool is_worth_packing(const GappedBuffer& gapped, const ProgramBuffer& buffer, bool receives) {
  if (are_all_packed()) return true;
  MessageAccount& account = gapped.layout->messages(receives);
  bool by_host = buffer.is_bottom || is_too_short(gapped.bytes) || gapped.bytes > std::numeric_limits<int>::max();
  if (!by_host) {
    const std::uint64_t messages = account.messages();
    const HostTrial::Turn turn = account.trial.turn(gapped.bytes, messages);
    if (turn.timed) compare_packs(gapped, buffer, account.trial, messages);
    by_host = turn.by_host;
  }
  if (by_host) account.by_host.add_fragment(gapped.bytes, true);
  return !by_host;
}

}  // namespace marshal::calls
