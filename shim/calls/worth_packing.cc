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

// Host and engine pack so many instances of the buffer.
void compare_packs(const GappedBuffer& gapped, const ProgramBuffer& buffer, HostTrial& trial, std::uint64_t messages) {
  const std::int64_t bytes = buffer.count * gapped.layout->plan.size();
  const PackedCopy copy(bytes);
  if (copy.data() == nullptr) return;
  const PackingByHost packing;
  int position = 0;
  auto begin = std::chrono::steady_clock::now();
  const int code = pmpi().Pack(buffer.user, static_cast<int>(buffer.count), buffer.type, copy.data(),
                               static_cast<int>(bytes), &position, predefined().comm_self);
  const std::int64_t host = ns_since(begin);
  if (code != MPI_SUCCESS) return;
  begin = std::chrono::steady_clock::now();
  move_copy<false>({gapped.layout->plan, buffer.count, gapped.user, bytes}, copy.data(), {0, bytes});
  const std::int64_t engine = ns_since(begin) + ns_of_a_message + bytes / bytes_copied_in_a_ns;
  trial.took(bytes, true, host, messages);
  trial.took(bytes, false, engine, messages);
}

bool are_all_packed() { return settings().messages == MessageEngine::calls; }

// True for buffers that go to the host without a trial.
bool is_out_of_trial(const GappedBuffer& gapped, const ProgramBuffer& buffer) {
  return buffer.is_bottom || gapped.bytes < HostTrial::least_bytes || gapped.bytes > std::numeric_limits<int>::max();
}

bool leave(const GappedBuffer& gapped, bool receives) {
  gapped.layout->messages(receives).by_host.add_fragment(gapped.bytes, true);
  return false;
}

}  // namespace

float guessed_ns_saved_of_a_kib() { return are_all_packed() ? std::numeric_limits<float>::max() : 200; }

bool is_known_to_be_left(const SharedLayout& layout, std::int64_t bytes, bool receives) {
  if (are_all_packed()) return false;
  if (bytes < HostTrial::least_bytes) return true;
  const MessageAccount& account = layout.messages(receives);
  return account.trial.is_left_to_host(bytes, account.messages());
}

bool is_worth_packing(const GappedBuffer& gapped, const ProgramBuffer& buffer) {
  if (are_all_packed()) return true;
  if (is_out_of_trial(gapped, buffer)) return leave(gapped, false);
  MessageAccount& account = gapped.layout->messages(false);
  const std::uint64_t messages = account.messages();
  const HostTrial::Turn turn = account.trial.turn(gapped.bytes, messages);
  if (turn.timed) compare_packs(gapped, buffer, account.trial, messages);
  return !turn.by_host || leave(gapped, false);
}

bool is_worth_receiving_packed(const GappedBuffer& gapped, const ProgramBuffer& buffer, bool& is_due) {
  is_due = false;
  if (are_all_packed()) return true;
  if (is_out_of_trial(gapped, buffer)) return leave(gapped, true);
  const MessageAccount& account = gapped.layout->messages(true);
  if (account.trial.is_left_to_host(gapped.bytes, account.messages())) return leave(gapped, true);
  is_due = account.trial.side(gapped.bytes) != HostTrial::Side::engine;
  return true;
}

void learn_from_received(const GappedBuffer& gapped, MPI_Datatype type, std::int64_t instances) {
  MessageAccount& account = gapped.layout->messages(true);
  const std::uint64_t messages = account.messages();
  const std::int64_t bytes = instances * gapped.layout->plan.size();
  if (bytes < HostTrial::least_bytes || !account.trial.turn(bytes, messages).timed) return;
  compare_packs(gapped, {gapped.user, false, instances, type}, account.trial, messages);
}

}  // namespace marshal::calls
