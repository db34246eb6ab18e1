#include "host/generic_types.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "base/attempt.h"
#include "base/immortal.h"
#include "base/linked_table.h"
#include "base/thread_records.h"
#include "datatype/flatten.h"
#include "host/cut_receives.h"
#include "host/fragment_buffer.h"
#include "host/implementation.h"
#include "host/message_engine.h"
#include "host/message_fragments.h"
#include "host/message_sites.h"
#include "host/next_symbol.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/type_reader.h"

namespace marshal::generic_types {
namespace {

// ucp_generic_dt_ops_t, as UCX documents it since its first release.
struct Operations {
  void* (*start_pack)(void* context, const void* user, std::size_t count);
  void* (*start_unpack)(void* context, void* user, std::size_t count);
  std::size_t (*packed_size)(void* state);
  std::size_t (*pack)(void* state, std::size_t offset, void* packed, std::size_t room);
  UcsStatus (*unpack)(void* state, std::size_t offset, const void* packed, std::size_t bytes);
  void (*finish)(void* state);
  bool operator==(const Operations&) const = default;
};
constinit Operations host{};  // MPICH's, the same for all its types; set before the first message
CutReceives& cut_receives() {
  static Immortal<CutReceives> the;
  return *the;
}

}  // namespace

struct Made {
  std::uint64_t handle = 0, context_key = 0;  // UCX's, and MPICH's context as a number
  Made *next_of_handle = nullptr, *next_of_context = nullptr;
  void* host_context = nullptr;
  // Written before the type's first message, and not again before it is destroyed.
  std::shared_ptr<const SharedLayout> layout;
  std::int64_t element = 0;
  bool by_fragments = false;  // the engine moves them, too; if not, the host
  std::shared_ptr<std::atomic<std::uint64_t>> message_bytes;
  std::size_t message_site = 0;
  std::int64_t read_ns = 0;
  std::int64_t bytes = 0;  // packed
  std::atomic<std::uint64_t> unread_key_plus_one{0};
  std::atomic<bool> travelled{false};
};

namespace {

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

// For the next messages and the next type of this thread.
struct Spares : ThreadRecord<Spares> {
  // The states of messages that ended. Each keeps its layout, since the next message mostly has the same one.
  static constexpr std::size_t most = 16;
  std::array<State*, most> states{};
  std::size_t count = 0;
  Made* made = nullptr;  // fresh
};
constinit ThreadRecords<Spares> all_spares;
thread_local constinit Spares* spares [[gnu::tls_model("initial-exec")]] = nullptr;

// Null where there is no memory.
Spares* own_spares() { return spares != nullptr ? spares : all_spares.take(spares); }

// Null where there is no memory.
[[gnu::always_inline]] inline State* new_state(const Made& made) {
  State* state;
  if (Spares* const spare = spares; spare != nullptr && spare->count > 0) [[likely]]
    state = spare->states[--spare->count];
  else
    state = new (std::nothrow) State;
  if (state != nullptr && state->layout != made.layout) [[unlikely]]
    state->layout = made.layout;
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

[[gnu::always_inline]] inline State* start(const Made& made, void* host_state, void* user, std::size_t count) {
  if (made.layout == nullptr) return nullptr;
  const std::int64_t size = packed_bytes(made, count);
  if (size == 0) return nullptr;
  State* const state = new_state(made);
  if (state == nullptr) return nullptr;
  if (made.message_bytes != nullptr) PackCalls::add(*made.message_bytes, static_cast<std::uint64_t>(size));
  state->host_state = host_state;
  state->by_host = !made.by_fragments;
  state->part = {made.layout.get(), static_cast<std::int64_t>(count), static_cast<std::byte*>(user), size};
  state->element = made.element;
  state->buffered = made.by_fragments && FragmentBuffer::serves(state->part);
  return state;
}

void note_travel(Made& made) {
  const std::uint64_t key = made.unread_key_plus_one.load(std::memory_order_relaxed);
  if (key != 0 && !made.travelled.exchange(true, std::memory_order_relaxed)) books::note_travel(key - 1);
}

void* start_pack(void* context, const void* user, std::size_t count) {
  Made& made = *static_cast<Made*>(context);
  void* const host_state = host.start_pack(made.host_context, user, count);
  if (State* state = start(made, host_state, const_cast<void*>(user), count)) return state;
  note_travel(made);
  return marked(host_state);
}

void* start_unpack(void* context, void* user, std::size_t count) {
  Made& made = *static_cast<Made*>(context);
  void* const host_state = host.start_unpack(made.host_context, user, count);
  if (State* state = start(made, host_state, user, count)) return state;
  note_travel(made);
  return marked(host_state);
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

constexpr Operations operations{start_pack, start_unpack, packed_size, pack, unpack, finish};

thread_local constinit Made** next_made [[gnu::tls_model("initial-exec")]] = nullptr;

// Every generic type in use. MPICH 4.0 forgets to destroy some: they end when their place is given to another. Programs
// make, use and free types in loops, so objects are used again.
class AllMade {
 public:
  // Enters it, and has a spare one for this thread's next type.
  void enter(Made& made) {
    const std::lock_guard lock(mutex_);
    if (Made* const forgotten = by_context_.extract(made.context_key)) end(*by_handle_.extract(forgotten->handle));
    by_handle_.insert(made);
    if (!attempt([&] { by_context_.insert(made); })) {
      by_handle_.extract(made.handle);
      throw std::bad_alloc();
    }
    if (spare_ == nullptr || spares == nullptr || spares->made != nullptr) return;
    spares->made = std::exchange(spare_, spare_->next_of_handle);
    spares->made->next_of_handle = nullptr;
  }

  Made* find(std::uint64_t handle) {
    const std::lock_guard lock(mutex_);
    return by_handle_.find(handle);
  }

  void leave(std::uint64_t handle) {
    const std::lock_guard lock(mutex_);
    Made* const gone = by_handle_.extract(handle);
    if (gone == nullptr) return;
    by_context_.extract(gone->context_key);
    end(*gone);
  }

 private:
  // Kept for a while: MPICH's own context can be looked at after the type is gone, too.
  void end(Made& gone) {
    if (gone.read_ns > 0)
      message_sites.ended(gone.message_site, gone.message_bytes->load(), gone.layout->mean_block, gone.read_ns);
    Made*& place = ended_[ended_count_++ % ended_.size()];
    if (place != nullptr) keep_as_spare(*place);
    place = &gone;
  }
  void keep_as_spare(Made& made) {
    made.~Made();
    new (&made) Made;
    made.next_of_handle = std::exchange(spare_, &made);
  }

  std::mutex mutex_;
  LinkedTable<Made, &Made::handle, &Made::next_of_handle> by_handle_;
  LinkedTable<Made, &Made::context_key, &Made::next_of_context> by_context_;
  std::array<Made*, 64> ended_{};
  std::size_t ended_count_ = 0;
  Made* spare_ = nullptr;
};
AllMade& all_made() {
  static Immortal<AllMade> the;
  return *the;
}

}  // namespace

Made** note_next_in(Made** place) { return std::exchange(next_made, place); }

UcsStatus create(CreateGeneric* next, const void* host_operations, void* context, std::uint64_t* handle) {
  const auto& given = *static_cast<const Operations*>(host_operations);
  const bool is_ours = !is_open_mpi() && (host == Operations{} || host == given);
  Spares* const spare = is_ours ? own_spares() : nullptr;
  Made* made = spare != nullptr ? std::exchange(spare->made, nullptr) : nullptr;
  if (spare != nullptr && made == nullptr) made = new (std::nothrow) Made;
  if (made == nullptr) return next(host_operations, context, handle);
  host = given;
  made->host_context = context;
  made->context_key = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(context));
  const UcsStatus status = next(&operations, made, handle);
  if (status != 0) {
    spare->made = made;
    return status;
  }
  made->handle = *handle;
  // Without memory for the books it is never given back, and stays the host's.
  if (attempt([&] { all_made().enter(*made); }) && next_made != nullptr) *next_made = made;
  return status;
}

void destroy(DestroyGeneric* next, std::uint64_t handle) {
  all_made().leave(handle);
  next(handle);
}

void bind(Made& made, const Datatype& type, bool by_fragments) {
  type.layout->blocks();
  made.element = type.element;
  made.message_bytes = type.message_bytes;
  made.message_site = type.message_site;
  made.read_ns = type.read_ns;
  made.bytes = type.layout->plan.size();
  made.layout = type.layout;
  made.by_fragments = by_fragments;
}

void leave(Made& made, std::uint64_t key, std::int64_t bytes) {
  made.bytes = bytes;
  made.unread_key_plus_one.store(key + 1, std::memory_order_relaxed);
}

Made* find(std::uint64_t datatype) { return all_made().find(datatype); }

std::int64_t packed_bytes(const Made& made, std::size_t count) {
  const auto instances = static_cast<std::int64_t>(count);
  std::int64_t size;
  return instances <= 0 || __builtin_mul_overflow(instances, made.bytes, &size) ? 0 : size;
}

namespace {

bool pack_by_host(void* host_state, std::byte* packed, std::size_t bytes) {
  if (host.packed_size(host_state) != bytes) return false;
  for (std::size_t done = 0, more; done < bytes; done += more)
    if ((more = host.pack(host_state, done, packed + done, bytes - done)) == 0) return false;
  return true;
}

}  // namespace

bool pack_whole(Made& made, const void* user, std::size_t count, std::byte* packed, std::int64_t bytes) {
  void* const host_state = host.start_pack(made.host_context, user, count);
  if (made.layout != nullptr) {
    if (made.message_bytes != nullptr) PackCalls::add(*made.message_bytes, static_cast<std::uint64_t>(bytes));
    auto* const from = static_cast<std::byte*>(const_cast<void*>(user));
    pack_whole_message({made.layout.get(), static_cast<std::int64_t>(count), from, bytes}, packed);
  } else {
    note_travel(made);
    if (!pack_by_host(host_state, packed, static_cast<std::size_t>(bytes))) return false;
  }
  host.finish(host_state);  // gives back the message's reference to the type
  return true;
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

// Whether messages may be in the memory of a GPU. MPICH is asked by MPIX_GPU_query_support: in MPICH 3.4 an assertion
// ends every program that calls MPIX_Query_cuda_support.
bool may_use_gpus() {
  enum : int { cuda = 0, ze = 1, hip = 2 };  // MPICH's MPIX_GPU_SUPPORT_*
  if (auto* const ask = reinterpret_cast<int (*)(int, int*)>(find_host_symbol("MPIX_GPU_query_support"))) {
    const auto supports = [&](int kind) {
      int answer = 0;
      return ask(kind, &answer) == MPI_SUCCESS && answer != 0;
    };
    // To ask for a kind that it does not know would be an error.
    return supports(cuda) || supports(ze) || (find_host_symbol("MPIX_Query_hip_support") != nullptr && supports(hip));
  }
  auto* const has_cuda = reinterpret_cast<int (*)()>(find_host_symbol("MPIX_Query_cuda_support"));
  return has_cuda != nullptr && has_cuda() != 0;
}

}  // namespace

const char* try_out() {
  if (may_use_gpus()) return "it may keep messages in the memory of a GPU";
  constexpr int blocks = 5, length = 3, stride = 4, count = 7;
  constexpr std::size_t bytes = blocks * length * sizeof(int) * count;
  constexpr std::size_t room = sizeof(int) * ((blocks - 1) * stride + length) * count;
  const Pmpi& p = pmpi();
  MPI_Datatype type;
  if (p.Type_vector(blocks, length, stride, predefined().type_int, &type) != MPI_SUCCESS) return "no datatypes";
  Made* made = nullptr;
  Made** const before = note_next_in(&made);
  const int code = p.Type_commit(&type);
  note_next_in(before);
  const char* why = "it does not move messages of datatypes by UCX";
  if (code == MPI_SUCCESS && made != nullptr) try {
      why = "its datatypes in UCX are not as Marshal knows them";
      const datatype::Type read = read_type(type);
      const datatype::Plan plan(datatype::flattened(read), read.extent());
      std::array<std::byte, room> user{}, by_engine{}, by_host{};
      std::array<std::byte, bytes> packed{}, packed_too{};
      for (std::size_t i = 0; i < room; ++i) user[i] = static_cast<std::byte>(5 * i + 1);
      plan.pack(count, user.data(), packed.data());
      plan.unpack(count, by_engine.data(), packed.data());
      void* state = host.start_pack(made->host_context, user.data(), count);
      bool alike = host.packed_size(state) == bytes && host.pack(state, 0, packed_too.data(), bytes) == bytes;
      state = host.start_unpack(made->host_context, by_host.data(), count);
      alike = host.unpack(state, 0, packed.data(), bytes) == 0 && alike;
      // Neither is finished: that would give back references to the type which only messages have taken.
      if (alike && packed == packed_too && by_engine == by_host) why = nullptr;
    } catch (const LeftToHost&) {
    }
  p.Type_free(&type);
  return why;
}

}  // namespace marshal::generic_types
