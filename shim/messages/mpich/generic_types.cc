#include "messages/mpich/generic_types.h"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "base/immortal.h"
#include "host/handles.h"
#include "host/next_symbol.h"
#include "host/pmpi.h"
#include "messages/known_message.h"
#include "messages/message_fragments.h"
#include "messages/mpich/generic_operations.h"
#include "messages/mpich/ucx_datatype.h"
#include "messages/mpich/ucx_endpoints.h"

namespace marshal::generic_types {
namespace {

BoundTypes& bound_types() {
  static Immortal<BoundTypes> the;
  return *the;
}

thread_local constinit std::uint64_t* next_made [[gnu::tls_model("initial-exec")]] = nullptr;

// This thread's MPICH commits the type that is tried: its functions are adopted then, and at no other time. Others use
// UCX, too, and before MPI_Init.
constinit thread_local bool is_trying [[gnu::tls_model("initial-exec")]] = false;

// The datatypes that this thread made inside MPI_Init, before MPICH's functions were known: those of pairs, such as
// MPI_DOUBLE_INT, and those of others.
class MadeInInit {
 public:
  void note(std::uint64_t datatype) {
    if (count_ < made_.size()) made_[count_++] = datatype;
  }
  // It is destroyed.
  void forget(std::uint64_t datatype) { std::replace(made_.begin(), made_.begin() + count_, datatype, none); }

  void watch_those_of_host() {
    for (const std::uint64_t datatype : std::span(made_.data(), count_))
      if (ucx::GenericRecord* const record = ucx::generic_record(datatype);
          record != nullptr && record->operations == mpich_operations)
        record->operations = counting_operations;
    count_ = 0;
  }

 private:
  static constexpr std::uint64_t none = 0;
  std::array<std::uint64_t, 32> made_{};
  std::size_t count_ = 0;
};
constinit thread_local MadeInInit made_in_init;

}  // namespace

std::uint64_t* note_next_in(std::uint64_t* place) { return std::exchange(next_made, place); }

namespace {

[[gnu::always_inline]] inline void note_made(const void* context, std::uint64_t datatype) {
  if (messages_are_seen) newest_datatypes.note(number_of_type(context), datatype);
  if (next_made != nullptr) *next_made = datatype;
}
[[gnu::always_inline]] inline void note_destroyed(const void* host_context, std::uint64_t datatype) {
  if (messages_are_seen) newest_datatypes.forget(number_of_type(host_context), datatype);
}

// The record is MPICH's again, whose context can be looked at after the type is gone.
void hand_back(const Bound& ended) {
  newest_datatypes.forget(number_of_type(ended.host_context), ended.datatype);
  ucx::record_of_generic(ended.datatype) = {ended.host_context, counting_operations};
}

[[gnu::noinline]] UcsStatus create_new(CreateGeneric* next, const void* host_operations, void* context,
                                       std::uint64_t* datatype) {
  const auto& given = *static_cast<const ucx::GenericOperations*>(host_operations);
  if (mpich_operations.start_pack != given.start_pack) {
    if (!is_trying || mpich_operations.start_pack != nullptr) {
      const UcsStatus status = next(host_operations, context, datatype);
      if (status == 0 && endpoints::MadeByHost::in_init) made_in_init.note(*datatype);
      return status;
    }
    mpich_operations = given;
  }
  if (BoundTypes::any()) bound_types().end(context, hand_back);
  UcsStatus status = 0;
  if (const std::uint64_t spare = spare_datatypes::take(context, counting_operations))
    *datatype = spare;
  else
    status = next(&counting_operations, context, datatype);
  if (status == 0) note_made(context, *datatype);
  return status;
}

[[gnu::noinline]] void destroy_any(DestroyGeneric* next, std::uint64_t datatype) {
  if (const Bound* const type = bound(ucx::generic_record(datatype))) {
    bound_types().end(type->host_context, hand_back);
    if (spare_datatypes::keep(datatype)) return;
  }
  made_in_init.forget(datatype);
  next(datatype);
}

}  // namespace

UcsStatus create(CreateGeneric* next, const void* host_operations, void* context, std::uint64_t* datatype) {
  const auto& given = *static_cast<const ucx::GenericOperations*>(host_operations);
  const bool is_usual = mpich_operations.start_pack == given.start_pack && !BoundTypes::any();
  const std::uint64_t spare = is_usual ? spare_datatypes::take(context, counting_operations) : 0;
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
  *record = {&entered, engine_operations};
}

namespace {

// Null where it is unknown.
const ucx::GenericRecord* record_of(std::uint64_t key) {
  const auto number = static_cast<std::uint32_t>(key);
  const ucx::GenericRecord* const record = ucx::generic_record(newest_datatypes.of(number));
  if (record == nullptr || (bound(record) == nullptr && !is_watched(record))) return nullptr;
  return number_of_type(host_context(*record)) == number ? record : nullptr;
}

}  // namespace

bool may_move(std::uint64_t key) { return newest_datatypes.of(static_cast<std::uint32_t>(key)) != 0; }

bool find_moved(std::uint64_t key, std::int64_t count, std::int64_t bytes, MovedType& found) {
  const ucx::GenericRecord* const record = record_of(key);
  const Bound* const type =
      is_watched(record) ? travels(record->context, static_cast<std::size_t>(bytes)) : bound(record);
  if (type == nullptr) return false;
  const bool is_one_block = count == 1 && type->layout->plan.instance_is_one_block();
  found = {type->layout.get(), type->life.get(), is_one_block};
  return is_one_block || type->by_fragments;
}

Outgoing begin_to_send(std::uint64_t datatype, const void* user, std::size_t count) {
  Outgoing message{datatype, user, count, 0, nullptr};
  const ucx::GenericRecord* const record = ucx::generic_record(datatype);
  if (const Bound* const type = bound(record)) {
    message.bytes = bytes_of(type->layout->plan.size(), count);
  } else if (is_watched(record)) {
    message.host_state = mpich_operations.start_pack(record->context, user, count);
    message.bytes = static_cast<std::int64_t>(mpich_operations.packed_size(message.host_state));
  }
  return message;
}

SendsByDatatype::SendsByDatatype(const Outgoing& message) { begun_to_pack = message.host_state; }
SendsByDatatype::~SendsByDatatype() { begun_to_pack = nullptr; }

namespace {

bool pack_by_host(void* host_state, std::byte* packed, std::size_t bytes) {
  for (std::size_t done = 0, more; done < bytes; done += more)
    if ((more = mpich_operations.pack(host_state, done, packed + done, bytes - done)) == 0) return false;
  return true;
}

}  // namespace

const std::byte* take_whole_block(const Outgoing& message) {
  const Bound* const type = bound(ucx::generic_record(message.datatype));
  if (type == nullptr || message.count != 1 || !type->layout->plan.instance_is_one_block()) return nullptr;
  type->layout->sent.by_engine.add_fragment(message.bytes, true);
  type->life->moved(message.bytes);
  const auto* const block = static_cast<const std::byte*>(message.user) + type->layout->plan.touched().first;
  mpich_operations.finish(mpich_operations.start_pack(type->host_context, message.user, message.count));
  return block;
}

bool pack_whole(const Outgoing& message, std::byte* packed) {
  const ucx::GenericRecord& record = *ucx::generic_record(message.datatype);
  const auto bytes = static_cast<std::size_t>(message.bytes);
  void* host_state = message.host_state;
  const Bound* const type = is_watched(&record) ? travels(record.context, bytes) : bound(&record);
  if (host_state == nullptr)
    host_state = mpich_operations.start_pack(host_context(record), message.user, message.count);
  bool is_packed = true;
  if (type != nullptr) {
    type->life->moved(message.bytes);
    auto* const from = static_cast<std::byte*>(const_cast<void*>(message.user));
    move_whole_message<false>({type->layout.get(), static_cast<std::int64_t>(message.count), from, message.bytes},
                              packed);
  } else {
    is_packed = pack_by_host(host_state, packed, bytes);
  }
  if (is_packed)
    mpich_operations.finish(host_state);  // gives back the message's reference to the type, which is needed else
  return is_packed;
}

namespace {

// True if the host may keep messages in the memory of a GPU, which the engine cannot read. MPICH is asked by
// MPIX_GPU_query_support: in MPICH 3.4 an assertion ends every program that calls MPIX_Query_cuda_support.
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

// True if MPICH's functions and the engine pack and unpack the same bytes. Throws LeftToHost.
bool packs_alike(MPI_Datatype type, void* context) {
  constexpr std::size_t count = messages::KnownMessage::count, bytes = messages::KnownMessage::bytes;
  const messages::KnownMessage message(type);
  messages::KnownMessage::User by_host{};
  messages::KnownMessage::Packed packed{};
  // Neither state is finished: that would give back references to the type which only messages have taken.
  void* const sent = mpich_operations.start_pack(context, message.user.data(), count);
  if (mpich_operations.packed_size(sent) != bytes || mpich_operations.pack(sent, 0, packed.data(), bytes) != bytes)
    return false;
  void* const received = mpich_operations.start_unpack(context, by_host.data(), count);
  return mpich_operations.unpack(received, 0, message.packed.data(), bytes) == 0 && packed == message.packed &&
         by_host == message.unpacked;
}

}  // namespace

const char* try_out() {
  if (may_use_gpus()) return "it may keep messages in the memory of a GPU";
  MPI_Datatype type;
  if (!messages::KnownMessage::make_type(&type)) return "no datatypes";
  std::uint64_t datatype = 0;
  std::uint64_t* const before = note_next_in(&datatype);
  is_trying = true;
  const int code = pmpi().Type_commit(&type);
  is_trying = false;
  note_next_in(before);
  const char* why = "it does not move messages of datatypes by UCX";
  if (code == MPI_SUCCESS && datatype != 0) try {
      why = "its datatypes in UCX are not as Marshal knows them";
      const ucx::GenericRecord* const record = ucx::generic_record(datatype);
      const std::uint64_t key = key_of(type);
      if (is_watched(record) && record->operations == counting_operations &&
          number_of_type(record->context) == static_cast<std::uint32_t>(key)) {
        key_bits = key & ~std::uint64_t{0xFFFFFFFF};
        if (packs_alike(type, record->context)) {
          why = nullptr;
          spare_datatypes::are_safe = true;
          made_in_init.watch_those_of_host();
        }
      }
    } catch (...) {  // it cannot be read, or there is no memory
    }
  pmpi().Type_free(&type);
  if (why != nullptr) mpich_operations = {};
  return why;
}

}  // namespace marshal::generic_types
