#include "messages/mpich/generic_operations.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "base/attempt.h"
#include "base/immortal.h"
#include "base/thread_records.h"
#include "messages/message_fragments.h"
#include "messages/mpich/cut_receives.h"
#include "messages/mpich/fragment_buffer.h"
#include "types/type_book.h"

namespace marshal::generic_types {
namespace {

CutReceives& cut_receives() {
  static Immortal<CutReceives> the;
  return *the;
}

// One message. MPICH has a state of its own in each case, since it counts on its own function to end it: that gives
// back the reference to the type. Without a State, UCX gets MPICH's own state, marked by its lowest bit.
struct State {
  void* host_state = nullptr;
  bool by_host = false;                        // which moves the fragments; they are counted
  std::shared_ptr<const SharedLayout> layout;  // outlives the type
  MessagePart part{};
  std::int64_t element = 0;
  bool buffered = false;
  FragmentBuffer buffer{};
  // In a receive: the end of the fragments that have come. If it may be inside an element, the last bytes are held
  // back: MPICH takes no part of an element if nothing more comes.
  std::int64_t end = 0, held = 0;
  static constexpr std::int64_t most_held = 64;  // no predefined element is longer
  std::array<std::byte, most_held> held_bytes;
};
constexpr std::uintptr_t of_host = 1;

// The states of messages of this thread that ended, for its next ones. Each keeps its layout, since the next message
// mostly has the same one.
struct SpareStates : ThreadRecord<SpareStates> {
  static constexpr std::size_t most = 16;
  std::array<State*, most> states{};
  std::size_t count = 0;
};
constinit ThreadRecords<SpareStates> all_spare_states;
thread_local constinit SpareStates* spare_states [[gnu::tls_model("initial-exec")]] = nullptr;

// Null where there is no memory.
SpareStates* own_spare_states() { return spare_states != nullptr ? spare_states : all_spare_states.take(spare_states); }

// Null where there is no memory.
[[gnu::always_inline]] inline State* new_state(const Bound& type) {
  State* state;
  if (SpareStates* const spares = spare_states; spares != nullptr && spares->count > 0) [[likely]]
    state = spares->states[--spares->count];
  else
    state = new (std::nothrow) State;
  if (state != nullptr && state->layout != type.layout) [[unlikely]]
    state->layout = type.layout;
  return state;
}

void keep_for_next(State* state) {
  SpareStates* const spares = own_spare_states();
  if (spares != nullptr && spares->count < SpareStates::most)
    spares->states[spares->count++] = state;
  else
    delete state;
}

bool is_of_host(void* state) { return (reinterpret_cast<std::uintptr_t>(state) & of_host) != 0; }
void* marked(void* state) { return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(state) | of_host); }
void* unmarked(void* state) { return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(state) & ~of_host); }

[[gnu::always_inline]] inline void* start_part(const Bound& type, void* host_state, void* user, std::size_t count) {
  const std::int64_t size = bytes_of(type.layout->plan.size(), count);
  State* const state = size != 0 ? new_state(type) : nullptr;
  if (state == nullptr) return marked(host_state);
  if (type.by_fragments) type.life->moved(size);
  state->host_state = host_state;
  state->by_host = !type.by_fragments;
  state->part = {type.layout.get(), static_cast<std::int64_t>(count), static_cast<std::byte*>(user), size};
  state->element = type.element;
  state->end = state->held = 0;
  state->buffered = type.by_fragments && FragmentBuffer::serves(state->part);
  return state;
}

}  // namespace

void* start_pack(void* context, const void* user, std::size_t count) {
  const Bound& type = BoundTypes::use(context);
  void* const host_state = mpich_operations.start_pack(type.host_context, user, count);
  return start_part(type, host_state, const_cast<void*>(user), count);
}

namespace {

void* start_unpack(void* context, void* user, std::size_t count) {
  const Bound& type = BoundTypes::use(context);
  void* const host_state = mpich_operations.start_unpack(type.host_context, user, count);
  return start_part(type, host_state, user, count);
}

std::size_t packed_size(void* state) {
  if (is_of_host(state)) return mpich_operations.packed_size(unmarked(state));
  return static_cast<std::size_t>(static_cast<State*>(state)->part.size);
}

std::size_t pack(void* state, std::size_t offset, void* packed, std::size_t room) {
  if (is_of_host(state)) return mpich_operations.pack(unmarked(state), offset, packed, room);
  State& s = *static_cast<State*>(state);
  if (s.by_host) {
    const std::size_t packed_bytes = mpich_operations.pack(s.host_state, offset, packed, room);
    s.layout->sent.by_host.add_fragment(static_cast<std::int64_t>(packed_bytes), offset == 0);
    return packed_bytes;
  }
  const auto [from, to] = range_within(offset, room, s.part.size);
  if (to <= from) return 0;
  const std::int64_t end = to == s.part.size ? to : fragment_end(*s.layout, s.element, from, to, s.part.size);
  if (s.buffered)
    s.buffer.pack(s.part, static_cast<std::byte*>(packed), {from, end});
  else
    move_fragment<false>(s.part, static_cast<std::byte*>(packed), {from, end}, false);
  return static_cast<std::size_t>(end - from);
}

UcsStatus unpack_by_host(void* host_state, std::size_t offset, const void* packed, std::size_t bytes) {
  if (!messages_are_seen) return mpich_operations.unpack(host_state, offset, packed, bytes);
  return cut_receives().unpack(mpich_operations.unpack, host_state, offset, packed, bytes,
                               mpich_operations.packed_size(host_state));
}

// The distance of packed byte `end` from the begin of its element, or of its instance if elements differ.
std::int64_t behind_begin(const State& s, std::int64_t end) {
  return end % (s.element > 0 ? s.element : s.part.layout->plan.size());
}

void move_in(State& s, const std::byte* packed, datatype::PackedRange range) {
  if (s.buffered)
    s.buffer.unpack(s.part, packed, range);
  else
    move_fragment<true>(s.part, const_cast<std::byte*>(packed), range, false);
}

// The message goes on behind the bytes held back.
void move_in_held(State& s) {
  if (s.held == 0) return;
  const datatype::PackedRange range{s.end - s.held, s.end};
  if (s.buffered) {
    s.buffer.unpack(s.part, s.held_bytes.data(), range);
  } else {
    const CopiesForHost copies;
    s.layout->received.by_engine.bytes += static_cast<std::uint64_t>(s.held);
    datatype::move_range<true>(s.part.layout->plan.settled_program(s.part.count), instances_of(s.part),
                               s.held_bytes.data(), range);
  }
  s.held = 0;
}

void take_in(State& s, const std::byte* packed, datatype::PackedRange range) {
  if (range.to < s.end) return move_in(s, packed, range);
  move_in_held(s);
  s.end = range.to;
  const std::int64_t behind = range.to == s.part.size ? 0 : behind_begin(s, range.to);
  s.held = std::min({behind, State::most_held, range.to - range.from});
  move_in(s, packed, {range.from, range.to - s.held});
  std::memcpy(s.held_bytes.data(), packed + (range.to - range.from) - s.held, static_cast<std::size_t>(s.held));
}

// The message ends at the bytes held back. MPICH unpacks the whole elements among them, and says whether there are
// others. It is asked from the begin of an element on; without memory for that it is not.
void end_held(State& s) {
  const std::int64_t begin = s.end - behind_begin(s, s.end);
  UcsStatus status = 0;
  const bool has_asked = attempt([&] {
    std::vector<std::byte> packed(static_cast<std::size_t>(s.end - begin));
    const CopiesForHost copies;
    const std::int64_t moved = s.end - s.held;
    if (begin < moved)
      datatype::move_range<false>(s.part.layout->plan.settled_program(s.part.count), instances_of(s.part),
                                  packed.data(), {begin, moved});
    std::memcpy(packed.data() + (moved - begin), s.held_bytes.data(), static_cast<std::size_t>(s.held));
    status = mpich_operations.unpack(s.host_state, static_cast<std::size_t>(begin), packed.data(), packed.size());
  });
  s.buffered = false;  // it has ended
  if (!has_asked) return move_in_held(s);
  if (status != 0) receive_ends::refuse(static_cast<std::size_t>(s.end));
}

UcsStatus unpack(void* state, std::size_t offset, const void* packed, std::size_t bytes) {
  receive_ends::go_on();
  if (is_of_host(state)) return unpack_by_host(unmarked(state), offset, packed, bytes);
  State& s = *static_cast<State*>(state);
  if (s.by_host) {
    s.layout->received.by_host.add_fragment(static_cast<std::int64_t>(bytes), offset == 0);
    return unpack_by_host(s.host_state, offset, packed, bytes);
  }
  const datatype::PackedRange range = range_within(offset, bytes, s.part.size);
  if (range.from < range.to) take_in(s, static_cast<const std::byte*>(packed), range);
  return 0;
}

void finish_by_host(void* host_state) {
  if (const std::size_t refused = cut_receives().finish(mpich_operations.unpack, host_state))
    receive_ends::refuse(refused);
  mpich_operations.finish(host_state);
}

void finish(void* state) {
  if (is_of_host(state)) return finish_by_host(unmarked(state));
  auto* const ended = static_cast<State*>(state);
  if (ended->buffered) ended->buffer.end(ended->part);
  if (ended->held != 0) end_held(*ended);
  if (ended->by_host)
    finish_by_host(ended->host_state);
  else
    mpich_operations.finish(ended->host_state);
  keep_for_next(ended);
}

}  // namespace

constinit const ucx::GenericOperations engine_operations{start_pack, start_unpack, packed_size, pack, unpack, finish};

const Bound* travels(const void* context, std::size_t bytes) {
  const std::uint64_t key = key_of_context(context);
  if (!books::note_travel(key, static_cast<std::int64_t>(bytes))) [[likely]]
    return nullptr;
  const std::uint64_t datatype = newest_datatypes.of(number_of_type(context));
  const ucx::GenericRecord* const record = ucx::generic_record(datatype);
  if (record == nullptr || record->context != context) return nullptr;
  take_over(key, datatype);
  return bound(record);
}

namespace {

template <class User>
void* watched_start(void* host_state, const void* context, User* user, std::size_t count) {
  const Bound* const type = travels(context, mpich_operations.packed_size(host_state));
  return type == nullptr ? marked(host_state) : start_part(*type, host_state, const_cast<void*>(user), count);
}

}  // namespace

void* watched_start_pack(void* context, const void* user, std::size_t count) {
  void* const begun = std::exchange(begun_to_pack, nullptr);
  return watched_start(begun != nullptr ? begun : mpich_operations.start_pack(context, user, count), context, user,
                       count);
}

namespace {

void* watched_start_unpack(void* context, void* user, std::size_t count) {
  return watched_start(mpich_operations.start_unpack(context, user, count), context, user, count);
}

}  // namespace

constinit const ucx::GenericOperations counting_operations{
    watched_start_pack, watched_start_unpack, packed_size, pack, unpack, finish};

}  // namespace marshal::generic_types
