#include "host/message_engine.h"

#include <cstddef>
#include <limits>
#include <memory>

#include "base/attempt.h"
#include "host/convertors.h"
#include "host/fragment_ends.h"
#include "host/generic_types.h"
#include "host/handles.h"
#include "host/implementation.h"
#include "host/message_sites.h"
#include "host/packed_broadcasts.h"
#include "host/packing_engine.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/thread_level.h"
#include "host/type_reader.h"
#include "host/whole_sends.h"
#include "settings/settings_in_force.h"

namespace marshal::messages {
namespace {

const char* off_because = "not begun";

const char* try_out_host() {
  if (!has_world()) return "sessions only";
  return is_open_mpi() ? convertors::try_out() : generic_types::try_out();
}

bool was_spawned() {
  MPI_Comm parent = predefined().comm_null;
  return pmpi().Comm_get_parent(&parent) != MPI_SUCCESS || parent != predefined().comm_null;
}

// On Open MPI the host is as fast with long blocks; there, and below as far as it was measured never to lose, nobody is
// asked. On MPICH the engine was slower only where a message has several blocks of 8 KiB: the host copies as fast and
// does less besides. Messages of a single block took a fifth less up to 8 KiB.
constexpr std::int64_t always_below = 64, never_above = 512;  // bytes of a mean block
constexpr std::int64_t never_above_on_mpich = 4096, never_above_if_single = 8192;
// Where fragments are packed in place (datatype/fragments.h), the engine gains with longer blocks on Open MPI, too: two
// cores of an Intel Xeon took a fifth to a third less for messages of 4 to 16 KiB. A trial, which times a fragment,
// does not see that: the host waits for the lines later. So none decides there but on long messages.
constexpr std::int64_t never_above_in_place = 4096;

std::int64_t longest_block(const SharedLayout& layout) {
  if (!is_open_mpi()) return layout.plan.instance_is_one_block() ? never_above_if_single : never_above_on_mpich;
  return layout.plan.stages_fragments() ? never_above : never_above_in_place;
}

// Short blocks in messages of 4 KiB and more. There an EPYC never lost, but a trial must tell for what cost an Intel
// Xeon up to 1.4 times the host's time: long messages of several numbers a block, each from another line of memory, and
// transposes in less than 64 KiB. (Long messages of shorter blocks are not tried: the engine is 2 to 5 times as fast
// with them.)
constexpr std::int64_t asked_from = 4096, long_message = 64 * 1024, several_numbers = 32;  // bytes
bool is_doubtful(const SharedLayout& layout, std::int64_t bytes) {
  if (bytes >= long_message) return layout.plan.mean_block() > several_numbers;
  const datatype::Program* const program = layout.plan.settled_program(bytes / layout.plan.size());
  return program != nullptr && program->transposes;
}

// MPICH must not be asked to tell of the end of a type with messages under way: around attributes' delete functions it
// lets go of the lock that its progress needs. The generic type has an end of its own.
void bind_to_layout(MPI_Datatype handle, std::uint64_t generic_type) {
  const std::unique_ptr<const Datatype> type = books::describe_type_now(handle);
  if (const SharedLayout* const layout = type->layout.get()) {
    const bool by_fragments = !is_left_to_host(*layout) && can_be_cut(*layout, type->element);
    const bool is_broadcast = broadcasts::are_packed() && layout->plan.instance_is_one_block();
    if (by_fragments || is_broadcast || whole_sends::are_on())
      return generic_types::bind(generic_type, *type, by_fragments);
  }
  type->message_life->ended();  // read in vain
}

detail::Commits commits_to_look_at() {
  using detail::Commits;
  if (off_because != nullptr) return Commits::none;
  if (settings().messages == MessageEngine::on) return Commits::all;
  return books::may_read_in_messages.load(std::memory_order_relaxed) ? Commits::worth_reading_at_once
                                                                     : Commits::worth_reading;
}

}  // namespace

void begin() {
  const MessageEngine wanted = settings().messages;
  off_because = "MARSHAL_MESSAGES=off";
  if (wanted == MessageEngine::off) return;
  off_because = try_out_host();
  const bool always = wanted == MessageEngine::on || !is_open_mpi();
  detail::reads_all_types.store(wanted == MessageEngine::on, std::memory_order_relaxed);
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();
  detail::engine_up_to.store(always ? any : always_below, std::memory_order_relaxed);
  detail::asked_from.store(always ? any : asked_from, std::memory_order_relaxed);
  // Inside a message the host may hold locks, which it takes again where it is asked about a type. With one thread at a
  // time in MPI it has none.
  const bool has_no_locks = off_because == nullptr && !threads_enter_at_once();
  books::may_read_in_messages.store(has_no_locks, std::memory_order_relaxed);
  detail::on.store(off_because == nullptr, std::memory_order_release);
  detail::looked_at.store(commits_to_look_at(), std::memory_order_release);
}

void begin_together() {
  if (is_open_mpi() || was_spawned()) return;
  whole_sends::begin();
  if (books::may_read_in_messages.load(std::memory_order_relaxed)) broadcasts::begin();
}

void end() {
  off_because = "not begun";
  detail::on.store(false, std::memory_order_release);
  detail::looked_at.store(detail::Commits::none, std::memory_order_release);
}

const char* why_off() { return off_because; }
bool is_missed() { return off_because != nullptr && settings().messages == MessageEngine::on; }

bool is_left_to_host(const SharedLayout& layout) {
  return settings().messages != MessageEngine::on && layout.plan.mean_block() > longest_block(layout);
}

Choice choose_by_trial(const SharedLayout& layout, MessageAccount& account, std::int64_t bytes) {
  if (is_left_to_host(layout)) return {true, false};
  const bool may_be_sure = layout.plan.mean_block() <= always_below || !layout.plan.stages_fragments();
  if (may_be_sure && !is_doubtful(layout, bytes)) return {false, false};
  const HostTrial::Turn turn = account.trial.turn(bytes, account.messages());
  return {turn.by_host, turn.timed};
}

Commit::Commit() : by_generic_types_(are_on() && !is_open_mpi()) {
  if (by_generic_types_) before_ = generic_types::note_next_in(&generic_type_);
}

Commit::~Commit() {
  if (by_generic_types_) generic_types::note_next_in(before_);
}

void Commit::made(MPI_Datatype handle, const void* caller) {
  if (!are_on() || (by_generic_types_ && generic_type_ == 0)) return;
  const std::size_t site = MessageSites::number_of(caller);
  const bool worth_it = is_worth_reading(site);
  if (is_open_mpi()) {
    const auto was_committed_before = [=] { return books::find_type(handle) != nullptr || is_named(handle); };
    if (worth_it && !was_committed_before()) books::read_type_now(handle);
    return;
  }
  if (worth_it) bind_to_layout(handle, generic_type_);
}

const Datatype* read_in_message(std::uint64_t key) noexcept {
  const Datatype* type = nullptr;
  attempt([&] {
    const auto handle = handle_of<MPI_Datatype>(key);
    if (is_named(handle))
      books::unread_types.enter(key).ask_no_more();
    else
      type = books::read_type_now(handle);
  });
  return type;
}

void bind_in_message(std::uint64_t key, std::uint64_t generic_type) noexcept {
  attempt([&] { bind_to_layout(handle_of<MPI_Datatype>(key), generic_type); });
}

}  // namespace marshal::messages
