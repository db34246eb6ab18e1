#include "host/generic_types.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "base/immortal.h"
#include "base/thread_records.h"
#include "datatype/flatten.h"
#include "host/bound_types.h"
#include "host/cut_receives.h"
#include "host/fragment_buffer.h"
#include "host/gpu_messages.h"
#include "host/handles.h"
#include "host/implementation.h"
#include "host/message_engine.h"
#include "host/message_fragments.h"
#include "host/newest_datatypes.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/spare_datatypes.h"
#include "host/type_reader.h"
#include "host/ucx_datatype.h"

namespace marshal::generic_types {
namespace {

// MPICH's, the same for all its types; set before the first message.
constinit ucx::GenericOperations host{};
CutReceives& cut_receives() {
  static Immortal<CutReceives> the;
  return *the;
}

// One message. MPICH has a state of its own in each case, since it counts on its own function to end it: that gives
// back the reference to the type. Where nothing else is known, the state is MPICH's, told apart by its lowest bit.
struct State {
  void* host_state = nullptr;
  bool by_host = false;                        // which moves the fragments; they are counted
  std::shared_ptr<const SharedLayout> layout;  // outlives the type
  MessagePart part{};
  std::int64_t element = 0;
  bool buffered = false;
  FragmentBuffer buffer{};
};
constexpr std::uintptr_t of_host = 1;

// The states of messages of this thread that ended, for its next ones. Each keeps its layout, since the next message
// mostly has the same one.
struct Spares : ThreadRecord<Spares> {
  static constexpr std::size_t most = 16;
  std::array<State*, most> states{};
  std::size_t count = 0;
};
constinit ThreadRecords<Spares> all_spares;
thread_local constinit Spares* spares [[gnu::tls_model("initial-exec")]] = nullptr;

// Null where there is no memory.
Spares* own_spares() { return spares != nullptr ? spares : all_spares.take(spares); }

// Null where there is no memory.
[[gnu::always_inline]] inline State* new_state(const Bound& type) {
  State* state;
  if (Spares* const spare = spares; spare != nullptr && spare->count > 0) [[likely]]
    state = spare->states[--spare->count];
  else
    state = new (std::nothrow) State;
  if (state != nullptr && state->layout != type.layout) [[unlikely]]
    state->layout = type.layout;
  return state;
}

void keep_for_next(State* state) {
  Spares* const spare = own_spares();
  if (spare != nullptr && spare->count < Spares::most)
    spare->states[spare->count++] = state;
  else
    delete state;
}

bool is_of_host(void* state) { return (reinterpret_cast<std::uintptr_t>(state) & of_host) != 0; }
void* marked(void* state) { return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(state) | of_host); }
void* unmarked(void* state) { return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(state) & ~of_host); }

// 0 where it is out of range.
std::int64_t bytes_of(std::int64_t instance, std::size_t count) {
  const auto instances = static_cast<std::int64_t>(count);
  std::int64_t bytes;
  return instances <= 0 || __builtin_mul_overflow(instances, instance, &bytes) ? 0 : bytes;
}

[[gnu::always_inline]] inline void* start(const Bound& type, void* host_state, void* user, std::size_t count) {
  const std::int64_t size = bytes_of(type.layout->plan.size(), count);
  State* const state = size != 0 ? new_state(type) : nullptr;
  if (state == nullptr) return marked(host_state);
  type.life->moved(size);
  state->host_state = host_state;
  state->by_host = !type.by_fragments;
  state->part = {type.layout.get(), static_cast<std::int64_t>(count), static_cast<std::byte*>(user), size};
  state->element = type.element;
  state->buffered = type.by_fragments && FragmentBuffer::serves(state->part);
  return state;
}

void* start_pack(void* context, const void* user, std::size_t count) {
  const Bound& type = *static_cast<Bound*>(context);
  void* const host_state = host.start_pack(type.host_context, user, count);
  return start(type, host_state, const_cast<void*>(user), count);
}

void* start_unpack(void* context, void* user, std::size_t count) {
  const Bound& type = *static_cast<Bound*>(context);
  void* const host_state = host.start_unpack(type.host_context, user, count);
  return start(type, host_state, user, count);
}

std::size_t packed_size(void* state) {
  if (is_of_host(state)) return host.packed_size(unmarked(state));
  return static_cast<std::size_t>(static_cast<State*>(state)->part.size);
}

std::size_t pack(void* state, std::size_t offset, void* packed, std::size_t room) {
  if (is_of_host(state)) return host.pack(unmarked(state), offset, packed, room);
  State& s = *static_cast<State*>(state);
  if (s.by_host) {
    const std::size_t packed_bytes = host.pack(s.host_state, offset, packed, room);
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
  if (!messages::are_on()) return host.unpack(host_state, offset, packed, bytes);
  return cut_receives().unpack(host.unpack, host_state, offset, packed, bytes, host.packed_size(host_state));
}

UcsStatus unpack(void* state, std::size_t offset, const void* packed, std::size_t bytes) {
  if (is_of_host(state)) return unpack_by_host(unmarked(state), offset, packed, bytes);
  State& s = *static_cast<State*>(state);
  if (s.by_host) {
    s.layout->received.by_host.add_fragment(static_cast<std::int64_t>(bytes), offset == 0);
    return unpack_by_host(s.host_state, offset, packed, bytes);
  }
  const datatype::PackedRange range = range_within(offset, bytes, s.part.size);
  if (range.from >= range.to) return 0;
  if (s.buffered)
    s.buffer.unpack(s.part, static_cast<const std::byte*>(packed), range);
  else
    move_fragment<true>(s.part, static_cast<std::byte*>(const_cast<void*>(packed)), range, false);
  return 0;
}

void finish_by_host(void* host_state) {
  cut_receives().finish(host.unpack, host_state);
  host.finish(host_state);
}

void finish(void* state) {
  if (is_of_host(state)) return finish_by_host(unmarked(state));
  auto* const ended = static_cast<State*>(state);
  if (ended->buffered) ended->buffer.end(ended->part);
  if (ended->by_host)
    finish_by_host(ended->host_state);
  else
    host.finish(ended->host_state);
  keep_for_next(ended);
}

constexpr ucx::GenericOperations engine{start_pack, start_unpack, packed_size, pack, unpack, finish};

BoundTypes& bound_types() {
  static Immortal<BoundTypes> the;
  return *the;
}

// Null where the datatype is not bound.
const Bound* bound(const ucx::GenericRecord* record) {
  const bool is_bound = record != nullptr && record->operations.start_pack == engine.start_pack;
  return is_bound ? static_cast<const Bound*>(record->context) : nullptr;
}

// The book's key of a type that is not bound. MPICH's context is its own record of the type, which begins with the
// number in the handle; what a handle has besides is the same for all types.
constinit std::uint64_t key_bits = 0;  // set by try_out()
std::uint32_t number_of_type(const void* context) {
  std::uint32_t number;
  std::memcpy(&number, context, sizeof(number));
  return number;
}
std::uint64_t key_of_context(const void* context) { return key_bits | number_of_type(context); }

// A type can be bound in the middle of its messages: those of its messages that began before have marked states.
constinit NewestDatatypes newest_datatypes;

// A type that is not bound is in a message of so many bytes. If that makes it worth reading and the engine takes its
// messages over from this one on, it is bound now; null where it is not.
const Bound* travels(const void* context, std::size_t bytes) {
  const std::uint64_t key = key_of_context(context);
  if (!books::note_travel(key, static_cast<std::int64_t>(bytes))) [[likely]]
    return nullptr;
  const std::uint64_t datatype = newest_datatypes.of(number_of_type(context));
  const ucx::GenericRecord* const record = ucx::generic_record(datatype);
  if (record == nullptr || record->context != context) return nullptr;
  messages::bind_in_message(key, datatype);
  return bound(record);
}

template <class User, class Start>
void* watched_start(Start* start_by_host, void* context, User* user, std::size_t count) {
  void* const host_state = start_by_host(context, user, count);
  const Bound* const type = travels(context, host.packed_size(host_state));
  return type == nullptr ? marked(host_state) : start(*type, host_state, const_cast<void*>(user), count);
}

void* watched_start_pack(void* context, const void* user, std::size_t count) {
  return watched_start(host.start_pack, context, user, count);
}

void* watched_start_unpack(void* context, void* user, std::size_t count) {
  return watched_start(host.start_unpack, context, user, count);
}

constexpr ucx::GenericOperations watched{watched_start_pack, watched_start_unpack, packed_size, pack, unpack, finish};

bool is_watched(const ucx::GenericRecord* record) {
  return record != nullptr && record->operations.start_pack == watched.start_pack;
}

// MPICH's, of a type that is bound or watched.
const void* host_context(const ucx::GenericRecord& record) {
  const Bound* const type = bound(&record);
  return type != nullptr ? type->host_context : record.context;
}

thread_local constinit std::uint64_t* next_made [[gnu::tls_model("initial-exec")]] = nullptr;

}  // namespace

std::uint64_t* note_next_in(std::uint64_t* place) { return std::exchange(next_made, place); }

namespace {

[[gnu::always_inline]] inline void note_made(const void* context, std::uint64_t datatype) {
  if (messages::are_on()) newest_datatypes.note(number_of_type(context), datatype);
  if (next_made != nullptr) *next_made = datatype;
}
[[gnu::always_inline]] inline void note_destroyed(const void* host_context, std::uint64_t datatype) {
  if (messages::are_on()) newest_datatypes.forget(number_of_type(host_context), datatype);
}

[[gnu::noinline]] UcsStatus create_new(CreateGeneric* next, const void* host_operations, void* context,
                                       std::uint64_t* datatype) {
  const auto& given = *static_cast<const ucx::GenericOperations*>(host_operations);
  if (host.start_pack != given.start_pack) {
    if (is_open_mpi() || host.start_pack != nullptr) return next(host_operations, context, datatype);
    host = given;
  }
  if (BoundTypes::any()) bound_types().end_of_context(context);
  const UcsStatus status = next(&watched, context, datatype);
  if (status == 0) note_made(context, *datatype);
  return status;
}

[[gnu::noinline]] void destroy_any(DestroyGeneric* next, std::uint64_t datatype) {
  if (const Bound* const type = bound(ucx::generic_record(datatype))) {
    note_destroyed(type->host_context, datatype);
    bound_types().end(datatype, *type);
    if (spare_datatypes::keep(datatype)) return;
  }
  next(datatype);
}

}  // namespace

UcsStatus create(CreateGeneric* next, const void* host_operations, void* context, std::uint64_t* datatype) {
  const auto& given = *static_cast<const ucx::GenericOperations*>(host_operations);
  const bool is_usual = host.start_pack == given.start_pack && !BoundTypes::any();
  const std::uint64_t spare = is_usual ? spare_datatypes::take(context, watched) : 0;
  if (spare == 0) return create_new(next, host_operations, context, datatype);
  *datatype = spare;
  note_made(context, spare);
  return 0;
}

void destroy(DestroyGeneric* next, std::uint64_t datatype) {
  const ucx::GenericRecord* const record = ucx::generic_record(datatype);
  if (!is_watched(record)) return destroy_any(next, datatype);
  note_destroyed(record->context, datatype);
  if (!spare_datatypes::keep(datatype)) next(datatype);
}

void bind(std::uint64_t datatype, const Datatype& type, bool by_fragments) {
  ucx::GenericRecord* const record = ucx::generic_record(datatype);
  if (!is_watched(record)) return;
  type.layout->blocks();
  Bound& entered = bound_types().enter(datatype, record->context);
  entered.element = type.element;
  entered.life = type.message_life;
  entered.layout = type.layout;
  entered.by_fragments = by_fragments;
  *record = {&entered, engine};
}

namespace {

// Null where it is unknown.
const ucx::GenericRecord* record_of(std::uint64_t key) {
  const auto number = static_cast<std::uint32_t>(key);
  const ucx::GenericRecord* const record = ucx::generic_record(newest_datatypes.of(number));
  if (record == nullptr || (bound(record) == nullptr && !is_watched(record))) return nullptr;
  return number_of_type(host_context(*record)) == number ? record : nullptr;
}
bool is_moved(const Bound& type) { return type.by_fragments && !type.layout->plan.is_one_block(); }

}  // namespace

bool may_move(std::uint64_t key) { return newest_datatypes.of(static_cast<std::uint32_t>(key)) != 0; }

bool find_moved(std::uint64_t key, std::int64_t bytes, MovedType& found) {
  const ucx::GenericRecord* const record = record_of(key);
  const Bound* const type =
      is_watched(record) ? travels(record->context, static_cast<std::size_t>(bytes)) : bound(record);
  if (type == nullptr || !is_moved(*type)) return false;
  found = {type->layout.get(), type->life.get()};
  return true;
}

std::int64_t packed_bytes(std::uint64_t datatype, std::size_t count) {
  const ucx::GenericRecord* const record = ucx::generic_record(datatype);
  if (const Bound* const type = bound(record)) return bytes_of(type->layout->plan.size(), count);
  return is_watched(record) ? bytes_of(books::known_size(key_of_context(record->context)), count) : 0;
}

namespace {

bool pack_by_host(void* host_state, std::byte* packed, std::size_t bytes) {
  if (host.packed_size(host_state) != bytes) return false;
  for (std::size_t done = 0, more; done < bytes; done += more)
    if ((more = host.pack(host_state, done, packed + done, bytes - done)) == 0) return false;
  return true;
}

}  // namespace

bool pack_whole(std::uint64_t datatype, const void* user, std::size_t count, std::byte* packed, std::int64_t bytes) {
  const ucx::GenericRecord& record = *ucx::generic_record(datatype);
  const Bound* const type =
      is_watched(&record) ? travels(record.context, static_cast<std::size_t>(bytes)) : bound(&record);
  void* host_state;
  bool is_packed = true;
  if (type != nullptr) {
    host_state = host.start_pack(type->host_context, user, count);
    type->life->moved(bytes);
    auto* const from = static_cast<std::byte*>(const_cast<void*>(user));
    move_whole_message<false>({type->layout.get(), static_cast<std::int64_t>(count), from, bytes}, packed);
  } else {
    host_state = host.start_pack(record.context, user, count);
    is_packed = pack_by_host(host_state, packed, static_cast<std::size_t>(bytes));
  }
  host.finish(host_state);  // gives back the message's reference to the type
  return is_packed;
}

bool can_be_cut(const SharedLayout& layout, std::int64_t element) {
  constexpr std::int64_t least_fragment = 512;  // UCX's are larger by far
  if (element != 0) return true;
  std::int64_t longest = 0;
  const auto look = [&](const auto& self, const datatype::Pieces& pieces) -> void {
    for (const datatype::Piece& piece : pieces)
      if (piece.body.empty())
        longest = std::max(longest, piece.length);
      else
        self(self, piece.body);
  };
  look(look, layout.plan.pieces());
  return longest <= least_fragment;
}

std::int64_t fragment_end(const SharedLayout& layout, std::int64_t element, std::int64_t from, std::int64_t to,
                          std::int64_t size) {
  if (to >= size) return size;
  const std::int64_t instance = layout.plan.size(), within = to % instance;
  const datatype::PackedBlock block = layout.blocks().find(within);
  const std::int64_t inside = within - block.begin;
  const std::int64_t end = to - (element > 0 ? inside % element : inside);
  return end > from ? end : to;
}

namespace {

// The type that is tried: a vector of so many blocks, of so many integers each, so many apart.
constexpr int tried_blocks = 5, tried_length = 3, tried_stride = 4;

// Whether MPICH's functions and the engine pack the same bytes, both ways. Throws LeftToHost.
bool packs_alike(MPI_Datatype type, void* context) {
  constexpr int count = 7;
  constexpr std::size_t bytes = tried_blocks * tried_length * sizeof(int) * count;
  constexpr std::size_t room = sizeof(int) * ((tried_blocks - 1) * tried_stride + tried_length) * count;
  const datatype::Type read = read_type(type);
  const datatype::Plan plan(datatype::flattened(read), read.extent());
  std::array<std::byte, room> user{}, by_engine{}, by_host{};
  std::array<std::byte, bytes> packed{}, packed_too{};
  for (std::size_t i = 0; i < room; ++i) user[i] = static_cast<std::byte>(5 * i + 1);
  plan.pack(count, user.data(), packed.data());
  plan.unpack(count, by_engine.data(), packed.data());
  // Neither state is finished: that would give back references to the type which only messages have taken.
  void* const sent = host.start_pack(context, user.data(), count);
  if (host.packed_size(sent) != bytes || host.pack(sent, 0, packed_too.data(), bytes) != bytes) return false;
  void* const received = host.start_unpack(context, by_host.data(), count);
  return host.unpack(received, 0, packed.data(), bytes) == 0 && packed == packed_too && by_engine == by_host;
}

}  // namespace

const char* try_out() {
  if (gpu_messages::are_possible()) return "it may keep messages in the memory of a GPU";
  const Pmpi& p = pmpi();
  MPI_Datatype type;
  if (p.Type_vector(tried_blocks, tried_length, tried_stride, predefined().type_int, &type) != MPI_SUCCESS)
    return "no datatypes";
  std::uint64_t datatype = 0;
  std::uint64_t* const before = note_next_in(&datatype);
  const int code = p.Type_commit(&type);
  note_next_in(before);
  const char* why = "it does not move messages of datatypes by UCX";
  if (code == MPI_SUCCESS && datatype != 0) try {
      why = "its datatypes in UCX are not as Marshal knows them";
      const ucx::GenericRecord* const record = ucx::generic_record(datatype);
      const std::uint64_t key = key_of(type);
      if (is_watched(record) && record->operations == watched &&
          number_of_type(record->context) == static_cast<std::uint32_t>(key)) {
        key_bits = key & ~std::uint64_t{0xFFFFFFFF};
        if (packs_alike(type, record->context)) {
          why = nullptr;
          spare_datatypes::are_safe();
        }
      }
    } catch (const LeftToHost&) {
    }
  p.Type_free(&type);
  return why;
}

}  // namespace marshal::generic_types
