#include "messages/message_engine.h"

#include <cstddef>
#include <memory>

#include "base/attempt.h"
#include "host/handles.h"
#include "host/host_family.h"
#include "host/next_symbol.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "messages/message_fragments.h"
#include "messages/mpich/generic_operations.h"
#include "messages/mpich/generic_types.h"
#include "messages/mpich/packed_broadcasts.h"
#include "messages/mpich/sends_as_bytes.h"
#include "messages/openmpi/convertors.h"
#include "settings/settings_in_force.h"
#include "types/packing_engine.h"
#include "types/type_reader.h"

namespace marshal::messages {
namespace {

const char* off_because = "not begun";

// True where MARSHAL_MESSAGES says that the engine moves all messages in the pipeline.
bool always_moves() { return does_all(Way::in_place); }

const char* try_out_host() {
  if (!has_world()) return "sessions only";
  return is_open_mpi() ? convertors::try_out() : generic_types::try_out();
}

bool is_over_ucx() { return find_host_symbol("ucp_tag_send_nbx") != nullptr; }

bool was_spawned() {
  MPI_Comm parent = predefined().comm_null;
  return pmpi().Comm_get_parent(&parent) != MPI_SUCCESS || parent != predefined().comm_null;
}

// MPICH must not be asked to tell of the end of a type with messages under way: around attributes' delete functions it
// lets go of the lock that its progress needs. The generic type has an end of its own.
void bind_to_layout(MPI_Datatype handle, std::uint64_t generic_type) {
  const std::unique_ptr<const Datatype> type = books::describe_type_now(handle);
  if (const SharedLayout* const layout = type->layout.get()) {
    const bool by_fragments =
        !layout->is_left_to_host(layout->pipeline(), false, layout->plan.size()) && can_be_cut(*layout, type->element);
    const bool is_broadcast = broadcasts::are_packed() && layout->plan.instance_is_one_block();
    if (by_fragments || is_broadcast || sends_as_bytes::are_on())
      return generic_types::bind(generic_type, *type, by_fragments);
  }
  type->message_life->ended();  // read in vain
}

// A watched type is in a message, from inside UCX.
void bind_in_message(std::uint64_t key, std::uint64_t generic_type) noexcept {
  attempt([&] { bind_to_layout(handle_of<MPI_Datatype>(key), generic_type); });
}

detail::Commits commits_to_look_at() {
  using detail::Commits;
  if (off_because != nullptr) return Commits::none;
  if (always_moves()) return Commits::all;
  return books::may_read_in_messages ? Commits::none : Commits::worth_reading;
}

}  // namespace

void begin() {
  begin_to_choose();
  const MessageEngine wanted = settings().messages;
  off_because = settings()[Option::messages].by_mode ? "MARSHAL_MODE=observe" : "MARSHAL_MESSAGES=off";
  if (wanted == MessageEngine::off) return;
  const bool is_at_calls = wanted == MessageEngine::calls;
  off_because = "MARSHAL_MESSAGES=calls";
  if (is_at_calls && is_open_mpi() && has_world()) return;
  generic_types::take_over = bind_in_message;
  const char* const found = try_out_host();
  if (!is_at_calls || found != nullptr) off_because = found;
  // Inside a message the host may hold locks, which it takes again where it is asked about a type. With one thread at a
  // time in MPI it has none.
  books::may_read_in_messages = off_because == nullptr && !threads_enter_at_once();
  messages_are_seen = found == nullptr;
  detail::looked_at = commits_to_look_at();
}

void begin_together() {
  if (is_open_mpi() || was_spawned()) return;
  sends_as_bytes::begin();
  if (books::may_read_in_messages) broadcasts::begin();
}

void end() {
  off_because = "not begun";
  books::may_read_in_messages = messages_are_seen = false;
  detail::looked_at = detail::Commits::none;
}

const char* why_off() { return off_because; }
bool is_missed() { return off_because != nullptr && always_moves(); }
bool may_go_by_calls() { return has_world() && (is_open_mpi() || are_on() || !is_over_ucx()); }

Commit::Commit() : by_generic_types_(are_on() && !is_open_mpi()) {
  if (by_generic_types_) before_ = generic_types::note_next_in(&generic_type_);
}

Commit::~Commit() {
  if (by_generic_types_) generic_types::note_next_in(before_);
}

void Commit::made(MPI_Datatype handle, const void* caller) {
  if (!are_on() || (by_generic_types_ && generic_type_ == 0)) return;
  if (may_skip_commit(number_of_place(caller))) return;
  if (is_open_mpi())
    books::read_type_now(handle);
  else
    bind_to_layout(handle, generic_type_);
}

}  // namespace marshal::messages
