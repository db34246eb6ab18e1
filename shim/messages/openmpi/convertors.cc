#include "messages/openmpi/convertors.h"

#include <mpi.h>
#include <sys/uio.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <limits>
#include <utility>

#include "base/attempt.h"
#include "datatype/flatten.h"
#include "host/handles.h"
#include "host/host_order.h"
#include "host/next_symbol.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "messages/choice.h"
#include "messages/message_fragments.h"
#include "types/type_book.h"
#include "types/type_reader.h"

namespace marshal::convertors {
namespace {

struct Convertor;
using Advance = std::int32_t(Convertor*, iovec*, std::uint32_t* iovec_count, std::size_t* moved);

struct Convertor {
  std::byte object[16];
  std::uint32_t remote_architecture, flags;
  std::size_t local_size, remote_size;
  const void *type, *description;
  std::size_t count;
  std::uint32_t stack_size;
  std::byte* user;
  void* stack;
  Advance* advance;
  void* master;
  std::uint32_t stack_position;
  std::size_t partial_length;
  std::size_t converted;  // packed bytes done
};
static_assert(offsetof(Convertor, flags) == detail::flags_at && offsetof(Convertor, local_size) == 24);
static_assert(offsetof(Convertor, type) == detail::type_at && offsetof(Convertor, count) == 56 &&
              offsetof(Convertor, user) == 72);
static_assert(offsetof(Convertor, advance) == 88 && offsetof(Convertor, converted) == 120);

using detail::completed, detail::homogeneous, detail::telling;
constexpr std::uint32_t for_receive = 0x20000, for_send = 0x40000;

// The host's own functions that were found in convertors, to pack and to unpack: two each in 4.1 and 5.0. A convertor
// has no room to remember which of them a stand-in replaces. So there is a stand-in for each place in this table.
constexpr std::size_t most_originals = 4;
constinit std::atomic<Advance*> originals[2][most_originals];

// `most_originals` where there is no room.
std::size_t place_of(std::atomic<Advance*> (&all)[most_originals], Advance* original) {
  std::size_t i = 0;
  for (; i < most_originals; ++i) {
    Advance* here = all[i].load(std::memory_order_relaxed);
    if (here == original) break;
    if (here == nullptr && (all[i].compare_exchange_strong(here, original) || here == original)) break;
  }
  return i;
}

const Datatype* type_of(const Convertor& c) {
  return books::find_type_in_message(static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(c.type)));
}

MessageAccount& account_of(const SharedLayout& layout, bool unpack) { return unpack ? layout.received : layout.sent; }

// A trial times one fragment of a message. If the message is sent, it is the fragment in the middle: the first one may
// be far shorter than the others, and meets other caches. If the message is received, it is the first one: less may
// come than there is room for.
template <bool unpack>
bool is_the_timed_one(const Convertor& c, std::size_t from, std::size_t bytes) {
  if (unpack) return from == 0;
  const std::size_t middle = c.local_size / 2;
  return from <= middle && middle - from < bytes;
}

// It compares whole messages: what a fragment took is reckoned up to one.
void note_time(const Convertor& c, MessageAccount& account, std::size_t fragment, bool by_host, std::int64_t ns) {
  if (fragment < static_cast<std::size_t>(HostTrial::least_bytes)) return;
  const double of_message = static_cast<double>(ns) * static_cast<double>(c.local_size) / static_cast<double>(fragment);
  account.trial.took(static_cast<std::int64_t>(c.local_size), by_host, static_cast<std::int64_t>(of_message),
                     account.messages());
}

SetConvertorPosition* host_set_position = nullptr;  // the host's own, from try_out() on

// Puts the convertor into the state that it would have without Marshal. Setting `converted` past the end makes
// set_position rewind first.
void give_back(Convertor& c, Advance* original) {
  c.advance = original;
  std::size_t position = c.converted;
  c.converted = std::numeric_limits<std::size_t>::max();
  host_set_position(&c, &position);
}

bool has_place_for_all(const iovec* iovecs, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i)
    if (iovecs[i].iov_base == nullptr) return false;
  return true;
}

template <bool unpack, bool timed, std::size_t place>
std::int32_t by_engine(Convertor* c, iovec* iovecs, std::uint32_t* iovec_count, std::size_t* moved) {
  const HostsObject had(c);
  const Datatype* type = type_of(*c);
  // The host may be asked to say where the bytes are, instead of copying them.
  if (type == nullptr || type->layout == nullptr || !has_place_for_all(iovecs, *iovec_count)) [[unlikely]] {
    Advance* const original = originals[unpack][place].load(std::memory_order_relaxed);
    give_back(*c, original);
    return original(c, iovecs, iovec_count, moved);
  }
  const MessagePart message{type->layout.get(), static_cast<std::int64_t>(c->count), c->user,
                            static_cast<std::int64_t>(c->local_size)};
  std::size_t sum = 0;
  std::uint32_t i = 0;
  for (; i < *iovec_count && c->converted < c->local_size; ++i) {
    const std::size_t bytes = std::min(iovecs[i].iov_len, c->local_size - c->converted);
    const bool is_timed = timed && is_the_timed_one<unpack>(*c, c->converted, bytes);
    const datatype::PackedRange range{static_cast<std::int64_t>(c->converted),
                                      static_cast<std::int64_t>(c->converted + bytes)};
    const std::int64_t ns =
        move_fragment<unpack>(message, static_cast<std::byte*>(iovecs[i].iov_base), range, is_timed);
    if (is_timed) note_time(*c, account_of(*type->layout, unpack), bytes, false, ns);
    iovecs[i].iov_len = bytes;
    c->converted += bytes;
    sum += bytes;
  }
  if (type->message_life != nullptr) type->message_life->moved(static_cast<std::int64_t>(sum));
  *iovec_count = i;
  *moved = sum;
  if (c->converted != c->local_size) return 0;
  c->flags |= completed;
  return 1;
}

// The host's own function, counted.
template <bool unpack, bool timed, std::size_t place>
std::int32_t by_host(Convertor* c, iovec* iovecs, std::uint32_t* iovec_count, std::size_t* moved) {
  const HostsObject had(c);
  using Clock = std::chrono::steady_clock;
  Advance* const original = originals[unpack][place].load(std::memory_order_relaxed);
  const Datatype* type = type_of(*c);
  if (type == nullptr || type->layout == nullptr) [[unlikely]]
    return original(c, iovecs, iovec_count, moved);
  const std::size_t from = c->converted;
  const bool may_be_timed = timed && is_the_timed_one<unpack>(*c, from, c->local_size);
  MessageAccount& account = account_of(*type->layout, unpack);
  std::int64_t ns = 0;
  std::int32_t code;
  if (may_be_timed) {
    const auto begin = Clock::now();
    code = original(c, iovecs, iovec_count, moved);
    ns = std::chrono::nanoseconds(Clock::now() - begin).count();
    account.by_host.add_timed(static_cast<std::int64_t>(*moved), ns);
  } else {
    code = original(c, iovecs, iovec_count, moved);
  }
  account.by_host.add_fragment(static_cast<std::int64_t>(*moved), from == 0);
  if (may_be_timed && code >= 0 && is_the_timed_one<unpack>(*c, from, *moved)) note_time(*c, account, *moved, true, ns);
  return code;
}

// The stand-ins in a convertor, for each place of an original: engine, engine timed, host, host timed.
using StandIns = std::array<std::array<Advance*, most_originals>, 4>;
template <bool unpack, std::size_t... place>
constexpr StandIns stand_ins_of(std::index_sequence<place...>) {
  return {{{by_engine<unpack, false, place>...},
           {by_engine<unpack, true, place>...},
           {by_host<unpack, false, place>...},
           {by_host<unpack, true, place>...}}};
}
constinit const StandIns stand_ins[2] = {stand_ins_of<false>(std::make_index_sequence<most_originals>()),
                                         stand_ins_of<true>(std::make_index_sequence<most_originals>())};

struct StandIn {
  bool unpack, is_engine;
  std::size_t place;
};
bool find_stand_in(Advance* advance, StandIn& found) {
  for (const auto& of_one_way : originals)
    if (advance == of_one_way[0].load(std::memory_order_relaxed)) return false;  // as nearly all
  for (int unpack = 0; unpack < 2; ++unpack)
    for (std::size_t kind = 0; kind < 4; ++kind)
      for (std::size_t place = 0; place < most_originals; ++place)
        if (stand_ins[unpack][kind][place] == advance) {
          found = {unpack == 1, kind < 2, place};
          return true;
        }
  return false;
}

void take(Convertor& c, const SharedLayout& layout, bool unpack, std::size_t place) {
  const messages::Choice choice =
      messages::choose(layout, account_of(layout, unpack), static_cast<std::int64_t>(c.local_size));
  const std::size_t kind = (choice.by_host ? 2U : 0U) + (choice.timed ? 1U : 0U);
  c.advance = stand_ins[unpack][kind][place];
}

// At start MPI_Pack and MPI_Unpack are tried out with `tried_count` instances of a known type.
constexpr int tried_blocks = 5, tried_length = 3, tried_stride = 4, tried_count = 7;
constexpr int tried_bytes = static_cast<int>(tried_blocks * tried_length * sizeof(int)) * tried_count;
constexpr std::size_t tried_room = sizeof(int) * ((tried_blocks - 1) * tried_stride + tried_length) * tried_count;
struct Trial {
  const void* type;
  std::size_t count, bytes;
  std::byte* user;
  const std::byte* packed;  // all of it
  const datatype::Plan& plan;
  bool with_engine = false;
  int as_expected = 0;                // convertors
  const char* refused_for = nullptr;  // what of them is otherwise
  Advance* original = nullptr;
};
thread_local constinit Trial* trial = nullptr;

// As by_engine().
template <bool unpack>
std::int32_t tried_by_engine(Convertor* c, iovec* iovecs, std::uint32_t* iovec_count, std::size_t* moved) {
  if (*iovec_count != 1 || iovecs[0].iov_base == nullptr || c->converted >= trial->bytes) return -1;
  const std::size_t bytes = std::min(iovecs[0].iov_len, trial->bytes - c->converted);
  const datatype::PackedRange range{static_cast<std::int64_t>(c->converted),
                                    static_cast<std::int64_t>(c->converted + bytes)};
  auto* const packed = static_cast<std::byte*>(iovecs[0].iov_base);
  if constexpr (unpack)
    trial->plan.unpack_range(static_cast<std::int64_t>(c->count), c->user, packed, range);
  else
    trial->plan.pack_range(static_cast<std::int64_t>(c->count), c->user, packed, range);
  *moved = iovecs[0].iov_len = bytes;
  c->converted += bytes;
  if (c->converted != trial->bytes) return 0;
  c->flags |= completed;
  if (bytes == trial->bytes) ++trial->as_expected;
  return 1;
}

template <bool unpack>
std::int32_t watched(Convertor* c, iovec* iovecs, std::uint32_t* iovec_count, std::size_t* moved) {
  const std::int32_t code = trial->original(c, iovecs, iovec_count, moved);
  if (code == 1 && c->converted == trial->bytes && (c->flags & completed) != 0 && *moved == trial->bytes)
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

// True if the host goes on from any position where the engine stopped, by a part of the message.
template <bool unpack>
bool goes_on_from(Convertor& c, std::size_t position, std::size_t bytes) {
  const Trial& t = *trial;
  Advance* const original = c.advance;
  hand_over_at(c, position);
  if (c.converted != position || c.advance != original) return false;
  std::array<std::byte, tried_room> expected{};
  std::array<std::byte, tried_bytes> part{};
  std::memcpy(expected.data(), t.user, tried_room);
  if (unpack) std::memcpy(part.data(), t.packed + position, bytes);
  iovec iovecs{part.data(), bytes};
  std::uint32_t iovec_count = 1;
  std::size_t moved = bytes;
  if (original(&c, &iovecs, &iovec_count, &moved) != 0 || moved == 0 || moved > bytes ||
      c.converted != position + moved)
    return false;
  if constexpr (!unpack) return std::memcmp(part.data(), t.packed + position, moved) == 0;
  const datatype::PackedRange range{static_cast<std::int64_t>(position), static_cast<std::int64_t>(position + moved)};
  t.plan.unpack_range(static_cast<std::int64_t>(c.count), expected.data(), t.packed + position, range);
  return std::memcmp(expected.data(), t.user, tried_room) == 0;
}

// True if the host tells where the bytes are once it is back at the begin. From inside a block Open MPI 4.1 itself
// tells wrongly.
bool tells_places(Convertor& c) {
  auto* const host_raw = reinterpret_cast<RawConvertor*>(find_host_symbol(name_of(HostHook::raw)));
  if (host_raw == nullptr) return true;  // nobody asks
  const Trial& t = *trial;
  hand_over_at(c, 0);
  std::array<iovec, tried_blocks * tried_count + 1> places{};
  auto place_count = static_cast<std::uint32_t>(places.size());
  std::size_t bytes = 0;
  host_raw(&c, places.data(), &place_count, &bytes);
  if (place_count > places.size()) return false;
  std::size_t done = 0;
  for (std::uint32_t i = 0; i < place_count; done += places[i++].iov_len) {
    const auto at = reinterpret_cast<std::uintptr_t>(places[i].iov_base) - reinterpret_cast<std::uintptr_t>(t.user);
    const std::size_t length = places[i].iov_len;
    if (length > t.bytes - done || at > tried_room - length || std::memcmp(t.user + at, t.packed + done, length) != 0)
      return false;
  }
  return done == t.bytes;
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
  const Trial& t = *trial;
  auto* const move =
      reinterpret_cast<Advance*>(find_host_symbol(unpack ? "opal_convertor_unpack" : "opal_convertor_pack"));
  if (move == nullptr) return false;
  const std::size_t begin = c.converted;
  if (unpack) std::memset(t.user, 0, tried_room);
  for (std::size_t i = 0; c.converted < t.bytes; ++i) {
    const std::size_t from = c.converted, room = lengths[i % lengths.size()], most = std::min(room, t.bytes - from);
    std::array<std::byte, 64> part{};
    if (unpack) std::memcpy(part.data(), t.packed + from, most);
    iovec iovecs{part.data(), most};
    std::uint32_t iovec_count = 1;
    std::size_t moved = most;
    const std::int32_t code = move(&c, &iovecs, &iovec_count, &moved);
    const bool is_last = from + moved == t.bytes;
    if (moved == 0 || moved > most || (t.with_engine && moved != most) || c.converted != from + moved ||
        code != (is_last ? 1 : 0) || ((c.flags & completed) != 0) != is_last)
      return false;
    if (!unpack && std::memcmp(part.data(), t.packed + from, moved) != 0) return false;
  }
  if constexpr (!unpack) return true;
  std::array<std::byte, tried_room> expected{};
  const datatype::PackedRange range{static_cast<std::int64_t>(begin), static_cast<std::int64_t>(t.bytes)};
  t.plan.unpack_range(static_cast<std::int64_t>(c.count), expected.data(), t.packed + begin, range);
  return std::memcmp(expected.data(), t.user, tried_room) == 0;
}

// True if a clone has the same function and moves the same message, from another position on. ob1 clones convertors for
// RDMA.
template <bool unpack>
bool has_clones(Convertor& c) {
  using Clone = int(const Convertor* source, Convertor* made, std::int32_t with_position);
  auto* const clone = reinterpret_cast<Clone*>(find_host_symbol("opal_convertor_clone"));
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

template <bool unpack>
void try_on(Convertor& c, const void* type, std::size_t count, const void* user) {
  const Trial& t = *trial;
  const std::uint32_t direction = unpack ? for_receive : for_send;
  if (type != t.type || count != t.count || user != t.user || c.type != type || c.count != count || c.user != user ||
      c.local_size != t.bytes || c.remote_size != t.bytes || c.converted != 0 || c.partial_length != 0 ||
      (c.flags & (telling | for_receive | for_send)) != (homogeneous | direction) || c.advance == nullptr)
    return;
  trial->original = c.advance;
  if (trial->refused_for == nullptr) trial->refused_for = refusal_of<unpack>(c);
  c.advance = t.with_engine ? tried_by_engine<unpack> : watched<unpack>;
}

// Reads a type that travels, as books::note_travel() asked for; null where it stays the host's.
const Datatype* read_in_message(std::uint64_t key) noexcept {
  const Datatype* type = nullptr;
  attempt([&] { type = books::read_type_now(handle_of<MPI_Datatype>(key)); });
  return type;
}

}  // namespace

template <bool unpack>
void prepared(void* convertor) {
  const HostsObject had(convertor);
  auto& c = *static_cast<Convertor*>(convertor);
  const std::uint64_t key = key_of_type(convertor);
  const Datatype* known = books::find_type_in_message(key);
  if (known == nullptr && books::note_travel(key, static_cast<std::int64_t>(c.local_size)))
    known = read_in_message(key);
  if (known == nullptr || known->layout == nullptr) return;
  const std::size_t place = place_of(originals[unpack], c.advance);
  if (place < most_originals) take(c, *known->layout, unpack, place);
}
template void prepared<false>(void*);
template void prepared<true>(void*);

template <bool unpack>
int prepare_to_try(PrepareConvertor* next, void* convertor, const void* type, std::size_t count, const void* user) {
  if (trial == nullptr) [[likely]]
    return next(convertor, type, count, user);
  const int code = next(convertor, type, count, user);
  const HostsObject had(convertor);
  if (code == 0) try_on<unpack>(*static_cast<Convertor*>(convertor), type, count, user);
  // A host that is refused may have moved it anywhere.
  return code == 0 && trial->refused_for != nullptr ? next(convertor, type, count, user) : code;
}
template int prepare_to_try<false>(PrepareConvertor*, void*, const void*, std::size_t, const void*);
template int prepare_to_try<true>(PrepareConvertor*, void*, const void*, std::size_t, const void*);

int set_position(SetConvertorPosition* next, void* convertor, std::size_t* position) {
  if (!messages::are_on()) return next(convertor, position);
  const HostsObject had(convertor);
  auto& c = *static_cast<Convertor*>(convertor);
  StandIn now;
  if (!find_stand_in(c.advance, now)) return next(convertor, position);
  // A persistent request is started again: a message of its own.
  if (*position == 0 && c.converted == c.local_size)
    if (const Datatype* known = type_of(c); known != nullptr && known->layout != nullptr) {
      take(c, *known->layout, now.unpack, now.place);
      find_stand_in(c.advance, now);
    }
  if (!now.is_engine) return next(convertor, position);
  c.converted = *position;
  return 0;
}

std::int32_t raw(RawConvertor* next, void* convertor, void* iovecs, std::uint32_t* iovec_count, std::size_t* length) {
  const HostsObject had(convertor);
  auto& c = *static_cast<Convertor*>(convertor);
  if (StandIn now; messages::are_on() && find_stand_in(c.advance, now) && now.is_engine)
    give_back(c, originals[now.unpack][now.place].load(std::memory_order_relaxed));
  return next(convertor, iovecs, iovec_count, length);
}

const char* try_out() {
  constexpr int bytes = tried_bytes;
  host_set_position = reinterpret_cast<SetConvertorPosition*>(find_host_symbol(name_of(HostHook::set_position)));
  if (host_set_position == nullptr) return "it has no convertors that Marshal knows";
  const Pmpi& p = pmpi();
  MPI_Datatype type;
  if (p.Type_vector(tried_blocks, tried_length, tried_stride, predefined().type_int, &type) != MPI_SUCCESS)
    return "no datatypes";
  const char* why = "its convertors are not as Marshal knows them";
  if (p.Type_commit(&type) == MPI_SUCCESS) try {
      const datatype::Type read = read_type(type);
      const datatype::Plan plan(datatype::flattened(read), read.extent());
      std::array<std::byte, tried_room> user{}, back[2] = {};
      std::array<std::byte, bytes> expected{}, packed[2] = {};
      for (std::size_t i = 0; i < tried_room; ++i) user[i] = static_cast<std::byte>(5 * i + 1);
      plan.pack(tried_count, user.data(), expected.data());  // makes the program, too: none is made inside the host
      int as_expected = 0;
      const char* refused_for = nullptr;
      for (const bool with_engine : {false, true}) {
        const auto key = reinterpret_cast<const void*>(static_cast<std::uintptr_t>(key_of(type)));
        int position = 0;
        Trial t{key, tried_count, bytes, user.data(), expected.data(), plan, with_engine};
        trial = &t;
        const int packing = p.Pack(user.data(), tried_count, type, packed[with_engine].data(), bytes, &position,
                                   predefined().comm_self);
        position = 0;
        t.user = back[with_engine].data();
        const int unpacking = p.Unpack(packed[with_engine].data(), bytes, &position, back[with_engine].data(),
                                       tried_count, type, predefined().comm_self);
        trial = nullptr;
        if (packing == MPI_SUCCESS && unpacking == MPI_SUCCESS) as_expected += t.as_expected;
        refused_for = t.refused_for;
        if (refused_for != nullptr) break;
      }
      if (refused_for != nullptr)
        why = refused_for;
      else if (as_expected == 4 && packed[0] == packed[1] && back[0] == back[1])
        why = nullptr;
    } catch (const LeftToHost&) {
    }
  p.Type_free(&type);
  return why;
}

}  // namespace marshal::convertors
