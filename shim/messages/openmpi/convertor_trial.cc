
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "host/handles.h"
#include "host/host_order.h"
#include "host/next_symbol.h"
#include "messages/known_message.h"
#include "messages/openmpi/convertors.h"

namespace marshal::convertors {
namespace {

using messages::KnownMessage;
constexpr std::size_t tried_bytes = KnownMessage::bytes;

// One pack and one unpack of the message by the host.
struct Trial {
  const KnownMessage& message;
  const void* type;
  bool with_engine;
  std::byte* user = nullptr;
  int as_expected = 0;                // convertors
  const char* refused_for = nullptr;  // what of them is otherwise
  Advance* original = nullptr;
};
thread_local constinit Trial* trial [[gnu::tls_model("initial-exec")]] = nullptr;

datatype::PackedRange range_of(std::size_t from, std::size_t bytes) {
  return {static_cast<std::int64_t>(from), static_cast<std::int64_t>(from + bytes)};
}
template <class Function>
Function* host_function(const char* name) {
  return reinterpret_cast<Function*>(find_host_symbol(name));
}

// As by_engine().
template <bool unpack>
std::int32_t tried_by_engine(Convertor* c, iovec* iovecs, std::uint32_t* iovec_count, std::size_t* moved) {
  if (*iovec_count != 1 || iovecs[0].iov_base == nullptr || c->converted >= tried_bytes) return -1;
  const std::size_t bytes = std::min(iovecs[0].iov_len, tried_bytes - c->converted);
  const datatype::PackedRange range = range_of(c->converted, bytes);
  auto* const packed = static_cast<std::byte*>(iovecs[0].iov_base);
  if constexpr (unpack)
    trial->message.plan.unpack_range(static_cast<std::int64_t>(c->count), c->user, packed, range);
  else
    trial->message.plan.pack_range(static_cast<std::int64_t>(c->count), c->user, packed, range);
  *moved = iovecs[0].iov_len = bytes;
  c->converted += bytes;
  if (c->converted != tried_bytes) return 0;
  c->flags |= completed;
  if (bytes == tried_bytes) ++trial->as_expected;
  return 1;
}

std::int32_t watched(Convertor* c, iovec* iovecs, std::uint32_t* iovec_count, std::size_t* moved) {
  const std::int32_t code = trial->original(c, iovecs, iovec_count, moved);
  if (code == 1 && c->converted == tried_bytes && (c->flags & completed) != 0 && *moved == tried_bytes)
    ++trial->as_expected;
  return code;
}

// Leaves the convertor to the host in the middle of a message, as by_engine() may do. The host's callers take back
// `completed` themselves.
void hand_over_at(Convertor& c, std::size_t position) {
  c.flags &= ~completed;
  c.converted = position;
  give_back(c, c.advance);
}

// Moves a fragment of at most `moved` bytes, which becomes what was moved.
std::int32_t move_on(Advance* by, Convertor& c, std::byte* fragment, std::size_t& moved) {
  iovec iovecs{fragment, moved};
  std::uint32_t iovec_count = 1;
  return by(&c, &iovecs, &iovec_count, &moved);
}

// True if the user's memory is as it was `before`, but for these packed bytes.
bool has_unpacked(KnownMessage::User& before, std::size_t from, std::size_t bytes) {
  const KnownMessage& m = trial->message;
  m.plan.unpack_range(KnownMessage::count, before.data(), m.packed.data() + from, range_of(from, bytes));
  return std::memcmp(before.data(), trial->user, before.size()) == 0;
}

// True if the host goes on from any position where the engine stopped, by a part of the message.
template <bool unpack>
bool goes_on_from(Convertor& c, std::size_t position, std::size_t bytes) {
  Advance* const original = c.advance;
  hand_over_at(c, position);
  if (c.converted != position || c.advance != original) return false;
  const std::byte* const packed = trial->message.packed.data() + position;
  KnownMessage::User before;
  std::memcpy(before.data(), trial->user, before.size());
  KnownMessage::Packed part{};
  if (unpack) std::memcpy(part.data(), packed, bytes);
  std::size_t moved = bytes;
  if (move_on(original, c, part.data(), moved) != 0 || moved == 0 || moved > bytes || c.converted != position + moved)
    return false;
  return unpack ? has_unpacked(before, position, moved) : std::memcmp(part.data(), packed, moved) == 0;
}

// True if the host tells where the bytes are once it is back at the begin. From inside a block Open MPI 4.1 itself
// tells wrongly.
bool tells_places(Convertor& c) {
  auto* const host_raw = host_function<RawConvertor>(name_of(HostHook::raw));
  if (host_raw == nullptr) return true;  // nobody asks
  hand_over_at(c, 0);
  std::array<iovec, KnownMessage::blocks * KnownMessage::count + 1> places{};
  auto place_count = static_cast<std::uint32_t>(places.size());
  std::size_t bytes = 0;
  host_raw(&c, places.data(), &place_count, &bytes);
  if (place_count > places.size()) return false;
  std::size_t done = 0;
  for (std::uint32_t i = 0; i < place_count; done += places[i++].iov_len) {
    const auto at =
        reinterpret_cast<std::uintptr_t>(places[i].iov_base) - reinterpret_cast<std::uintptr_t>(trial->user);
    const std::size_t length = places[i].iov_len;
    if (length > tried_bytes - done || at > KnownMessage::room - length ||
        std::memcmp(trial->user + at, trial->message.packed.data() + done, length) != 0)
      return false;
  }
  return done == tried_bytes;
}

// From the begin, from inside a block and an instance, on from there, and back.
template <bool unpack>
bool has_positions(Convertor& c) {
  return goes_on_from<unpack>(c, 0, 100) && goes_on_from<unpack>(c, 212, 60) &&
         goes_on_from<unpack>(c, 212 + 60, 100) && goes_on_from<unpack>(c, 40, 20);
}

// True if the host's callers can move the rest of the message by small fragments, which mostly end inside elements. The
// engine fills each of them; the host's own function may leave the part of an element.
template <bool unpack>
bool moves_fragments(Convertor& c) {
  constexpr std::array<std::size_t, 4> lengths{13, 50, 7, 33};
  auto* const move = host_function<Advance>(unpack ? "opal_convertor_unpack" : "opal_convertor_pack");
  if (move == nullptr) return false;
  const std::size_t begin = c.converted;
  if (unpack) std::memset(trial->user, 0, KnownMessage::room);
  for (std::size_t i = 0; c.converted < tried_bytes; ++i) {
    const std::size_t from = c.converted, most = std::min(lengths[i % lengths.size()], tried_bytes - from);
    const std::byte* const packed = trial->message.packed.data() + from;
    std::array<std::byte, 64> part{};
    if (unpack) std::memcpy(part.data(), packed, most);
    std::size_t moved = most;
    const std::int32_t code = move_on(move, c, part.data(), moved);
    const bool is_last = from + moved == tried_bytes;
    if (moved == 0 || moved > most || (trial->with_engine && moved != most) || c.converted != from + moved ||
        code != (is_last ? 1 : 0) || ((c.flags & completed) != 0) != is_last)
      return false;
    if (!unpack && std::memcmp(part.data(), packed, moved) != 0) return false;
  }
  KnownMessage::User before{};
  return !unpack || has_unpacked(before, begin, tried_bytes - begin);
}

// True if a clone has the same function and moves the same message, from another position on. ob1 clones convertors for
// RDMA.
template <bool unpack>
bool has_clones(Convertor& c) {
  using Clone = int(const Convertor* source, Convertor* made, std::int32_t with_position);
  auto* const clone = host_function<Clone>("opal_convertor_clone");
  if (clone == nullptr) return true;  // nobody asks
  alignas(Convertor) std::array<std::byte, 1024> room{};
  auto& made = *reinterpret_cast<Convertor*>(room.data());
  if (clone(&c, &made, 0) != 0 || made.advance != c.advance || made.type != c.type || made.count != c.count ||
      made.user != c.user || made.local_size != c.local_size || made.flags != c.flags)
    return false;
  hand_over_at(made, 212);
  return made.converted == 212 && moves_fragments<unpack>(made);
}

// Tries all that messages need of the convertor, and leaves it at the begin. Null if it is as expected; else why not.
template <bool unpack>
const char* refusal_of(Convertor& c) {
  Advance* const by_host = c.advance;
  Advance* const tried = trial->with_engine ? tried_by_engine<unpack> : by_host;
  const auto is_right = [&c](bool (*look)(Convertor&), Advance* advance) {
    c.advance = advance;
    const bool is_so = look(c);
    hand_over_at(c, 0);
    return is_so;
  };
  if (!is_right(moves_fragments<unpack>, tried)) return "its convertors move fragments otherwise";
  if (!is_right(has_positions<unpack>, by_host)) return "its convertors take positions otherwise";
  if (!unpack && !is_right(tells_places, by_host)) return "its convertors tell places otherwise";
  if (!is_right(has_clones<unpack>, tried)) return "it clones convertors otherwise";
  return nullptr;
}

// True if what was asked of the host stands where 4.1 and 5.0 have it. Open MPI 6.0 has all members elsewhere, and
// other bits for flags.
template <bool unpack>
bool has_known_layout(const Convertor& c, const void* type, const void* user) {
  const std::uint32_t direction = unpack ? for_receive : for_send;
  return c.type == type && c.count == KnownMessage::count && c.user == user && c.local_size == tried_bytes &&
         c.remote_size == tried_bytes && c.converted == 0 && c.partial_length == 0 && c.advance != nullptr &&
         (c.flags & (homogeneous | for_receive | for_send)) == (homogeneous | direction);
}

template <bool unpack>
void try_on(Convertor& c, const void* type, std::size_t count, const void* user) {
  if (type != trial->type || count != KnownMessage::count || user != trial->user) return;
  if (!has_known_layout<unpack>(c, type, user)) {
    trial->refused_for = "it lays out its convertors otherwise than Open MPI 4.1 and 5.0";
    return;
  }
  if ((c.flags & telling) != homogeneous) return;
  trial->original = c.advance;
  if (trial->refused_for == nullptr) trial->refused_for = refusal_of<unpack>(c);
  c.advance = trial->with_engine ? tried_by_engine<unpack> : watched;
}

// True if the host packs and unpacks the message by two convertors that are as expected.
bool packs_alike(Trial& t, MPI_Datatype type) {
  constexpr int count = KnownMessage::count, bytes = static_cast<int>(tried_bytes);
  const MPI_Comm self = predefined().comm_self;
  KnownMessage::User user = t.message.user, back{};
  KnownMessage::Packed packed{};
  int position = 0;
  t.user = user.data();
  trial = &t;
  const int packing = pmpi().Pack(user.data(), count, type, packed.data(), bytes, &position, self);
  position = 0;
  t.user = back.data();
  const int unpacking = pmpi().Unpack(packed.data(), bytes, &position, back.data(), count, type, self);
  trial = nullptr;
  return packing == MPI_SUCCESS && unpacking == MPI_SUCCESS && t.as_expected == 2 && packed == t.message.packed &&
         back == t.message.unpacked;
}

constexpr const char* unknown = "its convertors are not as Marshal knows them";

const char* try_with(MPI_Datatype type) {
  const KnownMessage message(type);
  const auto* const key = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(key_of(type)));
  bool is_alike = true;
  for (const bool with_engine : {false, true}) {
    Trial t{message, key, with_engine};
    is_alike = packs_alike(t, type) && is_alike;
    if (t.refused_for != nullptr) return t.refused_for;
  }
  return is_alike ? nullptr : unknown;
}

}  // namespace

template <bool unpack>
int prepare_to_try(PrepareConvertor* next, void* convertor, const void* type, std::size_t count, const void* user) {
  const int code = next(convertor, type, count, user);
  if (trial == nullptr || code != 0) [[likely]]
    return code;
  const HostsObject had(convertor);
  try_on<unpack>(*static_cast<Convertor*>(convertor), type, count, user);
  // A host that is refused may have moved it anywhere.
  return trial->refused_for != nullptr ? next(convertor, type, count, user) : code;
}
template int prepare_to_try<false>(PrepareConvertor*, void*, const void*, std::size_t, const void*);
template int prepare_to_try<true>(PrepareConvertor*, void*, const void*, std::size_t, const void*);

const char* try_out() {
  host_set_position = host_function<SetConvertorPosition>(name_of(HostHook::set_position));
  if (host_set_position == nullptr)
    return host_function<PrepareConvertor>(name_of(HostHook::prepare_for_send)) == nullptr
               ? "it has no convertors that Marshal knows"
               : "its convertors have other functions than those of Open MPI 4.1 and 5.0";
  MPI_Datatype type;
  if (!KnownMessage::make_type(&type)) return "no datatypes";
  const char* why = unknown;
  if (pmpi().Type_commit(&type) == MPI_SUCCESS) try {
      why = try_with(type);
    } catch (const LeftToHost&) {
    }
  pmpi().Type_free(&type);
  return why;
}

}  // namespace marshal::convertors
