#include "types/type_book.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <limits>
#include <mutex>
#include <type_traits>

#include "base/attempt.h"
#include "base/immortal.h"
#include "base/registry.h"
#include "counters/event_counts.h"
#include "host/departures.h"
#include "host/implementation.h"
#include "host/pmpi.h"
#include "host/thread_level.h"
#include "settings/settings_in_force.h"
#include "types/message_sites.h"
#include "types/packing_engine.h"
#include "types/packing_record.h"
#include "types/type_layout.h"
#include "types/type_reader.h"
#include "types/unread_lives.h"

namespace marshal {
namespace {

using Place = UnreadTypes::Place;

struct Types {
  CommittedKinds kinds;
  Registry<Datatype> read;
  std::mutex reading;
  Layouts layouts{[this](const SharedLayout& layout) {
    const std::lock_guard lock(leaving);
    add_layout(layout, gone, bounds_of_gone);
  }};
  LayoutRows gone;  // of layouts and types that left
  PackingBounds bounds_of_gone;
  BriefTypes brief;  // of types that left, too
  // With MPI_THREAD_MULTIPLE: the entries that left last. A thread may be packing a type while another one gives a
  // reference to it back (MPI_Type_get_contents makes one). On MPICH that ends the entry.
  std::array<std::unique_ptr<const Datatype>, 64> left;
  std::size_t left_count = 0;
  bool are_shared = false;  // between threads
  std::mutex leaving;       // guards gone, its bounds, and left
  int keyval = MPI_KEYVAL_INVALID;
};

Types& types() {
  static Immortal<Types> the;
  return *the;
}

// A type that is not on the book yet. It is counted before anybody can find it: too great a count does no harm.
const Datatype* put_on_book(MPI_Datatype handle, std::unique_ptr<Datatype> type) {
  const Datatype* const entered = type.get();
  books::types_on_book.fetch_add(1, std::memory_order_release);
  try {
    types().read.insert(key_of(handle), std::move(type));
  } catch (...) {
    books::types_on_book.fetch_sub(1, std::memory_order_relaxed);
    throw;
  }
  return entered;
}

// Ends the entry of a type; null where it has none.
std::unique_ptr<const Datatype> take_off_book(MPI_Datatype handle) {
  std::unique_ptr<const Datatype> gone = types().read.extract(key_of(handle));
  if (gone != nullptr) {
    books::types_on_book.fetch_sub(1, std::memory_order_relaxed);
    books::type_departures.fetch_add(1, std::memory_order_release);
  }
  return gone;
}

// Between threads it stays for a while.
void leave_book(std::unique_ptr<const Datatype> gone) {
  Types& the = types();
  if (!the.are_shared) return;
  const std::lock_guard lock(the.leaving);
  std::swap(the.left[the.left_count++ % the.left.size()], gone);  // the oldest ends outside of the lock
}

// The delete function of the attribute on types in the book: the host destroys the type. Hosts hold locks of their own
// around it, so it calls no MPI, and takes no lock under which Marshal calls MPI.
extern "C" int depart(MPI_Datatype handle, int, void*, void*) {
  if (std::unique_ptr<const Datatype> gone = take_off_book(handle)) {
    if (gone->message_life != nullptr) gone->message_life->ended();
    if (gone->lives != nullptr) gone->lives->engine_took(gone->by_engine);
    if (gone->was_read_at_once) gone->lives->lived_read(gone->bytes_packed());
    if (gone->first != nullptr) {
      types().brief.add(*gone);
    } else {
      const std::lock_guard lock(types().leaving);
      add_passed_on(*gone, types().gone);
    }
    leave_book(std::move(gone));
  }
  return MPI_SUCCESS;
}

extern "C" int copy_no_attribute(MPI_Datatype, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

bool hang_attribute_on(MPI_Datatype handle) {
  int& keyval = types().keyval;
  if (keyval == MPI_KEYVAL_INVALID) {
    types().are_shared = threads_enter_at_once();
    if (pmpi().Type_create_keyval(copy_no_attribute, depart, &keyval, nullptr) != MPI_SUCCESS) return false;
  }
  return pmpi().Type_set_attr(handle, keyval, nullptr) == MPI_SUCCESS;
}

// On Open MPI a message that outlives its type finds it here, by the host's record. On MPICH it holds what it needs,
// and the end of the last one must find no attribute: around delete functions MPICH lets go of the lock of its
// progress, and with MPI_THREAD_MULTIPLE another thread then enters it.
void take_attribute_off(MPI_Datatype handle) {
  // `are_shared` is read once find() has acquired the entry, before which it was written.
  if (!is_open_mpi() && types().read.find(key_of(handle)) != nullptr && types().are_shared)
    pmpi().Type_delete_attr(handle, types().keyval);  // which calls depart()
}

bool is_automatic() {
  static const bool automatic = settings().pack == PackEngine::automatic;
  return automatic;
}

void note_first_use(Place& place) {
  const std::uint16_t kind = place.kind.load(std::memory_order_relaxed);
  if (place.passes(TypeState::committed, TypeState::counted) && kind != 0) types().kinds.packed(kind);
}

std::unique_ptr<Datatype> described(MPI_Datatype handle, Place& place) {
  auto type = std::make_unique<Datatype>();
  const CommitSite site = types().kinds.site_of(place.kind.load(std::memory_order_relaxed));
  type->committed_at = site;
  try {
    TypeLayout read = layout_of(handle, types().layouts);
    type->layout = std::move(read.layout);
    type->element = read.element;
    type->touched = type->layout->plan.touched();
    if (!is_named(handle) && !place.described.exchange(true, std::memory_order_relaxed))
      PackCalls::add(type->layout->types, 1);
    if (CommitSite none = 0; site != none) type->layout->committed_at.compare_exchange_strong(none, site);
  } catch (const LeftToHost& reason) {
    type->why_not = reason.why;
    type->kind = kind_of(handle);
  }
  return type;
}

// Reads a type from the host. Null if the host takes no attribute for it: then its end would go unseen.
template <class Finish>
const Datatype* read_into_book(Place& place, MPI_Datatype handle, Finish finish) {
  using Clock = std::chrono::steady_clock;
  const auto began = Clock::now();
  Types& the = types();
  const std::lock_guard lock(the.reading);
  const Datatype* known = the.read.find(key_of(handle));  // by another thread meanwhile, or its place was lost
  place.state.store(TypeState::worth_reading, std::memory_order_relaxed);
  if (known == nullptr) {
    std::unique_ptr<Datatype> type = described(handle, place);
    if (hang_attribute_on(handle)) {
      finish(*type, std::chrono::nanoseconds(Clock::now() - began).count());
      known = put_on_book(handle, std::move(type));
    }
  }
  return known;
}

// For its packs. Nothing was packed before: it is read at once.
void note_reading_for_packs(Datatype& type, const Place& place, std::int64_t ns) {
  TypeLives* const lives = place.lives.load(std::memory_order_relaxed);
  if (lives == nullptr) return;
  if (type.layout == nullptr) return lives->are_left_to_host();
  type.lives = lives;
  type.bytes_of_others = type.layout->bytes_packed();
  type.was_read_at_once = place.host_ns.load(std::memory_order_relaxed) == 0;
  if (!type.was_read_at_once) note_life_by_host(place);
  if (type.was_read_at_once && lives->knows_engine())
    for (PackAccount* account : {&type.layout->packed, &type.layout->unpacked})
      account->trial.expect_engine(type.layout->plan.size(), account->calls());
  lives->reading_took(ns);
}

// A type that is packed for more bytes than this is read after all. By then the packs have taken some ten times as long
// as reading the type takes, and describing it for the report once it is gone.
std::int64_t bytes_by_first_program(std::int64_t size) { return 512 * 1024 + 4096 * size; }

// Null where the type is to be read.
const Datatype* make_first_program(Place& place, MPI_Datatype handle) {
  using Clock = std::chrono::steady_clock;
  TypeLives* const lives = place.lives.load(std::memory_order_relaxed);
  if (!is_automatic() || lives == nullptr || !lives->has_first_programs() || counters::is_counting() ||
      place.is_of_kind())
    return nullptr;
  const bool is_timed = lives->is_first_program_to_be_timed();
  const auto began = is_timed ? Clock::now() : Clock::time_point();
  Types& the = types();
  const std::lock_guard lock(the.reading);
  if (const Datatype* known = the.read.find(key_of(handle))) return known;  // by another thread meanwhile
  auto type = std::make_unique<Datatype>();
  type->first = read_first_program(handle);
  if (type->first == nullptr) {
    lives->got_no_first_program();
    return nullptr;
  }
  if (!hang_attribute_on(handle)) return nullptr;
  type->touched = type->first->touched;
  type->left_to_first = bytes_by_first_program(type->first->program.size);
  type->lives = lives;
  type->was_read_at_once = place.host_ns.load(std::memory_order_relaxed) == 0;
  if (!type->was_read_at_once) note_life_by_host(place);
  place.state.store(TypeState::worth_reading, std::memory_order_relaxed);
  const Datatype* const made = put_on_book(handle, std::move(type));
  if (is_timed) lives->first_program_took(std::chrono::nanoseconds(Clock::now() - began).count());
  return made;
}

// A type whose first program has done its part is read. It keeps that program where it cannot be read.
const Datatype* read_after_first_program(MPI_Datatype handle) {
  Types& the = types();
  const std::lock_guard lock(the.reading);
  const Datatype* const known = the.read.find(key_of(handle));
  if (known == nullptr || known->first == nullptr) return known;
  Place& place = books::unread_types.enter(key_of(handle));
  place.state.store(TypeState::worth_reading, std::memory_order_relaxed);
  std::unique_ptr<Datatype> type = described(handle, place);
  if (type->layout == nullptr) {
    known->left_to_first.store(std::numeric_limits<std::int64_t>::max(), std::memory_order_relaxed);
    return known;
  }
  PackAccount* const accounts[2] = {&type->layout->packed, &type->layout->unpacked};
  for (const int unpack : {0, 1}) accounts[unpack]->by_engine.add_calls(known->without_layout[unpack]);
  Datatype& made = *type;
  books::types_on_book.fetch_add(1, std::memory_order_release);
  std::unique_ptr<Datatype> before = the.read.insert(key_of(handle), std::move(type));
  if (before == nullptr) {  // the attribute went meanwhile: nobody would tell of the end of this entry
    leave_book(take_off_book(handle));
    return nullptr;
  }
  books::types_on_book.fetch_sub(1, std::memory_order_relaxed);
  books::type_departures.fetch_add(1, std::memory_order_release);
  made.before = std::move(before);
  return &made;
}

const Datatype* look_up_or_read(MPI_Datatype handle, std::int64_t count) {
  const Datatype* known = types().read.find(key_of(handle));
  Place* place = known == nullptr ? books::unread_types.find(key_of(handle)) : nullptr;
  if (place == nullptr) return known;
  note_first_use(*place);
  if (is_automatic() && !is_worth_reading(*place, handle, count)) return nullptr;
  if (const Datatype* const brief = make_first_program(*place, handle)) return brief;
  return read_into_book(*place, handle,
                        [&](Datatype& type, std::int64_t ns) { note_reading_for_packs(type, *place, ns); });
}

Place& begin_reading_for_messages(MPI_Datatype handle) {
  Place& place = books::unread_types.enter(key_of(handle));
  note_first_use(place);
  place.ask_no_more();
  return place;
}

// The savings of earlier types with this layout. Before a trial has timed both sides, the times of other machines are a
// guess: here they may be ten times too much.
MessageSavings savings_in_messages(const SharedLayout* layout) {
  if (layout == nullptr) return {0, !is_open_mpi()};
  const auto ns_of_a_kib = [](const MessageCalls& calls) -> std::int64_t {
    const std::uint64_t bytes = calls.timed_bytes.load(std::memory_order_relaxed);
    return bytes == 0 ? -1 : static_cast<std::int64_t>(1024 * calls.timed_ns.load(std::memory_order_relaxed) / bytes);
  };
  std::int64_t most = -1;
  for (const MessageAccount* account : {&layout->sent, &layout->received}) {
    const std::int64_t host = ns_of_a_kib(account->by_host), engine = ns_of_a_kib(account->by_engine);
    if (host >= 0 && engine >= 0) most = std::max({most, host - engine, std::int64_t{0}});
  }
  return most >= 0 ? MessageSavings::measured(most) : MessageSavings(layout->plan.mean_block(), !is_open_mpi());
}

void note_reading_for_messages(Datatype& type, const Place& place, std::int64_t ns) {
  const MessageSavings savings = savings_in_messages(type.layout.get());
  type.message_life = std::make_shared<MessageLife>(committed_in(place), savings, std::max<std::int64_t>(ns, 1));
}

}  // namespace

namespace books {

const Datatype* find_type_on_book(std::uint64_t key) noexcept {
  const Datatype* found = last_type.get(key, type_departures);
  // Where there is no memory for the book, no type is on it.
  if (found == nullptr) attempt([&] { found = types().read.find(key); });
  return found;
}

const Datatype* find_type(MPI_Datatype handle) { return find_type_of_key(key_of(handle)); }

const Datatype* read_type_now(MPI_Datatype handle) {
  Place& place = begin_reading_for_messages(handle);
  return read_into_book(place, handle,
                        [&](Datatype& type, std::int64_t ns) { note_reading_for_messages(type, place, ns); });
}

std::unique_ptr<const Datatype> describe_type_now(MPI_Datatype handle) {
  using Clock = std::chrono::steady_clock;
  Place& place = begin_reading_for_messages(handle);
  const auto began = Clock::now();
  std::unique_ptr<Datatype> type = described(handle, place);
  note_reading_for_messages(*type, place, std::chrono::nanoseconds(Clock::now() - began).count());
  return type;
}

bool note_travel(std::uint64_t key, std::int64_t bytes) {
  Place* const place = unread_types.find(key);
  const unsigned messages = place == nullptr ? 0 : place->travels();
  return messages != 0 && may_read_in_messages.load(std::memory_order_relaxed) &&
         message_sites.is_read_in_message(committed_in(*place), messages, Place::most_messages,
                                          MessageSavings(0, !is_open_mpi()).ns_of(bytes));
}

const Datatype* learn_type(MPI_Datatype handle, std::int64_t count) {
  if (!engine_is_on()) return nullptr;
  host_may_pack_first.store(is_automatic(), std::memory_order_relaxed);
  const auto find = [=] {
    return last_type.find(key_of(handle), type_departures, [=] { return look_up_or_read(handle, count); });
  };
  const Datatype* const type = find();
  if (type == nullptr || type->first == nullptr || type->left_to_first.load(std::memory_order_relaxed) > 0) return type;
  read_after_first_program(handle);
  return find();
}

void begin_life(Place& place, std::int64_t bytes, std::int64_t count) noexcept {
  const std::uint64_t key = place.key.load(std::memory_order_relaxed) - 1;
  if (types().read.find(key) != nullptr || !place.passes(TypeState::committed, TypeState::counted)) return;
  const std::int64_t size = bytes / count;
  place.size_plus_one.store(size + 1, std::memory_order_relaxed);
  const std::int64_t all = place.granted.load(std::memory_order_relaxed) - place.left.load(std::memory_order_relaxed);
  TypeLives& lives = lives_of_new(place, size);
  place.grant(0);
  if (lives.is_worth_reading_at_once()) {
    first_grants.read_first_packs(committed_in(place), true);
    place.passes(TypeState::counted, TypeState::worth_reading);
    return;
  }
  place.host_ns.store(place.ns_of_pack(all), std::memory_order_relaxed);
  if (place.timing.load(std::memory_order_relaxed) == UnreadTypes::Timing::second)
    place.timing.store(UnreadTypes::Timing::next, std::memory_order_relaxed);
  grant_what_tells_nothing(place);
}

void note_committed(MPI_Datatype handle, const void* caller) {
  Place& place =
      unread_types.begin(key_of(handle), state_at_commit(key_of(handle)), MessageSites::number_of(caller), 0);
  const bool is_among_first = commit_count.is_next_among_first();
  commit_count.add();
  if (!is_among_first) return;
  place.kind.store(types().kinds.count(kind_of(handle), commit_site(caller)), std::memory_order_relaxed);
}

void note_packed_by_host(MPI_Datatype handle, const Datatype* type, bool unpack, std::int64_t count, std::int64_t ns) {
  std::int64_t size = 0;
  if (type == nullptr) {
    Place& place = unread_types.enter(key_of(handle));
    note_first_use(place);
    size = size_of(place, handle);
    TypeLives* const lives = place.lives.load(std::memory_order_relaxed);
    constexpr std::int64_t slowest = 4;  // ns a byte at a time; a longer time was a disturbance
    if (ns > 0 && size > 0 && lives != nullptr) {
      lives->host_took(size * count, std::min(ns, slowest * size * count));
      place.ns_per_byte.store(lives->host_rate(), std::memory_order_relaxed);
      place.timing.store(UnreadTypes::Timing::none, std::memory_order_relaxed);
    }
    grant_what_tells_nothing(place);
  } else if (type->kind) {
    size = type->kind->size;
  }
  (type == nullptr ? packed_unread : type->without_layout)[unpack ? 1 : 0].add_call(size * count);
}

bool is_to_be_timed(MPI_Datatype handle) {
  Place* place = unread_types.find(key_of(handle));
  return place != nullptr && place->is_to_be_timed();
}

void forget_type(MPI_Datatype handle) {
  forget_traffic_type();
  take_attribute_off(handle);
  Place* const place = unread_types.find(key_of(handle));
  if (place == nullptr) return;
  if (place->has_travelled()) note_first_use(*place);
  if (place->is_counted()) note_life_by_host(*place);
  unread_types.forget(*place);
}

void put_types_into(report::Record& record) {
  Types& the = types();
  LayoutRows& rows = record.datatypes;
  unread_types.for_each([](Place& place) {
    if (place.has_travelled()) note_first_use(place);
  });
  PackingBounds bounds;
  the.layouts.for_each([&](const SharedLayout& layout) { add_layout(layout, rows, bounds); });
  BriefTypes brief;
  brief.add(the.brief);
  the.read.for_each([&](std::uint64_t, const Datatype& type) {
    add_passed_on(type, rows);
    if (type.first != nullptr) brief.add(type);
  });
  if (brief.types != 0) add_brief(brief, rows);
  {
    const std::lock_guard lock(the.leaving);
    rows.merge(the.gone);
    bounds.merge(the.bounds_of_gone);
  }
  put_bounds(bounds, measured_copy_rate, rows);
  if (packed_unread[0].calls + packed_unread[1].calls != 0) add_unread(packed_unread, why_engine_is_off(), rows);
  add_never_packed(the.kinds, commit_count.commits(), rows);
}

}  // namespace books
}  // namespace marshal
