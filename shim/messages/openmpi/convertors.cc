#include "messages/openmpi/convertors.h"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <utility>

#include "base/attempt.h"
#include "host/handles.h"
#include "host/host_order.h"
#include "messages/message_fragments.h"
#include "types/type_book.h"

namespace marshal::convertors {
namespace {

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
  return books::find_type(static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(c.type))).read;
}

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
template <bool unpack>
void note_time(const Convertor& c, const SharedLayout& layout, std::size_t fragment, bool by_host, std::int64_t ns) {
  if (fragment < static_cast<std::size_t>(HostTrial::least_bytes)) return;
  const double of_message = static_cast<double>(ns) * static_cast<double>(c.local_size) / static_cast<double>(fragment);
  layout.took(layout.pipeline(), unpack, static_cast<std::int64_t>(c.local_size), by_host,
              static_cast<std::int64_t>(of_message));
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
    if (is_timed) note_time<unpack>(*c, *type->layout, bytes, false, ns);
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
  Advance* const original = originals[unpack][place].load(std::memory_order_relaxed);
  const Datatype* type = type_of(*c);
  if (type == nullptr || type->layout == nullptr) [[unlikely]]
    return original(c, iovecs, iovec_count, moved);
  const std::size_t from = c->converted;
  const bool may_be_timed = timed && is_the_timed_one<unpack>(*c, from, c->local_size);
  MessageCalls& calls = type->layout->messages(unpack).by_host;
  std::int32_t code = 0;
  const auto run = [&] { code = original(c, iovecs, iovec_count, moved); };
  const std::int64_t ns = may_be_timed ? ns_of(run) : (run(), 0);
  if (may_be_timed) calls.add_timed(static_cast<std::int64_t>(*moved), ns);
  calls.add_fragment(static_cast<std::int64_t>(*moved), from == 0);
  if (may_be_timed && code >= 0 && is_the_timed_one<unpack>(*c, from, *moved))
    note_time<unpack>(*c, *type->layout, *moved, true, ns);
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

// True for nearly all convertors that are the host's alone.
bool is_an_original(Advance* advance) {
  return advance == originals[0][0].load(std::memory_order_relaxed) ||
         advance == originals[1][0].load(std::memory_order_relaxed);
}

struct StandIn {
  bool unpack, is_engine;
  std::size_t place;
};
bool find_stand_in(Advance* advance, StandIn& found) {
  if (is_an_original(advance)) return false;
  for (int unpack = 0; unpack < 2; ++unpack)
    for (std::size_t kind = 0; kind < 4; ++kind)
      for (std::size_t place = 0; place < most_originals; ++place)
        if (stand_ins[unpack][kind][place] == advance) {
          found = {unpack == 1, kind < 2, place};
          return true;
        }
  return false;
}

[[gnu::noinline]] void leave_engine(Convertor& c) {
  if (StandIn now; find_stand_in(c.advance, now) && now.is_engine)
    give_back(c, originals[now.unpack][now.place].load(std::memory_order_relaxed));
}

void take(Convertor& c, const SharedLayout& layout, bool unpack, std::size_t place) {
  const HostTrial::Turn turn = layout.turn(layout.pipeline(), unpack, static_cast<std::int64_t>(c.local_size));
  const std::size_t kind = (turn.by_host ? 2U : 0U) + (turn.timed ? 1U : 0U);
  c.advance = stand_ins[unpack][kind][place];
}

// Reads a type that travels; null where it stays the host's.
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
  const books::FoundType found = books::find_type(key);
  const Datatype* known = found.read;
  if (found.unread != nullptr) {
    if (!books::is_to_be_read(*found.unread, static_cast<std::int64_t>(c.local_size))) return;
    known = read_in_message(key);
  }
  if (known == nullptr || known->layout == nullptr) return;
  const std::size_t place = place_of(originals[unpack], c.advance);
  if (place < most_originals) take(c, *known->layout, unpack, place);
}
template void prepared<false>(void*);
template void prepared<true>(void*);

int set_position(SetConvertorPosition* next, void* convertor, std::size_t* position) {
  if (!messages_are_seen) return next(convertor, position);
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
  if (messages_are_seen && !is_an_original(c.advance)) [[unlikely]]
    leave_engine(c);
  return next(convertor, iovecs, iovec_count, length);
}

}  // namespace marshal::convertors
