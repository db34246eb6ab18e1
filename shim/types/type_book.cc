#include "types/type_book.h"

#include <algorithm>
#include <array>
#include <mutex>

#include "base/attempt.h"
#include "base/entries_in_use.h"
#include "base/immortal.h"
#include "base/registry.h"
#include "counters/event_counts.h"
#include "host/host_family.h"
#include "host/pmpi.h"
#include "settings/settings_in_force.h"
#include "types/packing_engine.h"
#include "types/packing_record.h"
#include "types/type_reader.h"

namespace marshal {
namespace {

struct Types {
  Registry<Datatype> read;  // HANDLES: datatypes that are read
  std::mutex reading;
  Layouts layouts{[this](const SharedLayout& layout) {
    const std::lock_guard lock(leaving);
    add_layout(layout, gone, bounds_of_gone);
  }};
  LayoutRows gone;  // of layouts and types that left
  PackingBounds bounds_of_gone;
  BriefTypes brief;  // of types that left, too
  // With MPI_THREAD_MULTIPLE a thread may be packing a type while another one gives a reference to it back
  // (MPI_Type_get_contents makes one). On MPICH that ends the entry.
  EntriesInUse<Datatype, 2> in_use;
  std::mutex leaving;  // guards gone and its bounds
  int keyval = MPI_KEYVAL_INVALID;
};

Types& types() {
  static Immortal<Types> the;
  return *the;
}

// Ways to look a type up (EntriesInUse).
constexpr std::size_t to_be_packed = 0, in_message = 1;
thread_local constinit EntriesInUse<Datatype, 2>::Noted* noted [[gnu::tls_model("initial-exec")]] = nullptr;

std::unique_ptr<const Datatype> departed(std::unique_ptr<const Datatype> gone) {
  if (gone == nullptr) return gone;
  books::types_on_book.fetch_sub(1, std::memory_order_relaxed);
  books::type_departures.fetch_add(1);
  return gone;
}

// The entry that it had. A type is counted before anybody can find it: too great a count does no harm.
std::unique_ptr<const Datatype> put_on_book(MPI_Datatype handle, std::unique_ptr<Datatype> type) {
  books::types_on_book.fetch_add(1, std::memory_order_release);
  return departed(types().read.insert(key_of(handle), std::move(type)));
}

std::unique_ptr<const Datatype> take_off_book(MPI_Datatype handle) {
  return departed(types().read.extract(key_of(handle)));
}

// Between threads it stays where one uses it.
void leave_book(std::unique_ptr<const Datatype> gone) {
  if (gone != nullptr && books::types_are_shared) types().in_use.leave(std::move(gone));
}

// A type ends that was handed over at a pack.
void learn_from(const Datatype& gone) {
  for (const bool unpack : {false, true}) {
    const PackCalls& calls = gone.by_engine(unpack);
    gone.history->engine_took(static_cast<std::int64_t>(calls.timed_bytes), static_cast<std::int64_t>(calls.timed_ns));
  }
  gone.history->ended_after_packs(gone.bytes_packed());
}

// The delete function of the attribute on types in the book: the host destroys the type. Hosts hold locks of their own
// around it, so it calls no MPI, and takes no lock under which Marshal calls MPI. Nothing is thrown through the host:
// without memory the report lacks what the type did.
extern "C" int depart(MPI_Datatype handle, int, void*, void*) {
  attempt_to_the_end([&] {
    std::unique_ptr<const Datatype> gone = take_off_book(handle);
    if (gone == nullptr) return;
    attempt([&] {
      if (gone->message_life != nullptr) gone->message_life->ended();
      if (gone->history != nullptr) learn_from(*gone);
      if (gone->first != nullptr) {
        types().brief.add(*gone);
      } else {
        const std::lock_guard lock(types().leaving);
        add_passed_on(*gone, types().gone);
      }
    });
    leave_book(std::move(gone));
  });
  return MPI_SUCCESS;
}

extern "C" int copy_no_attribute(MPI_Datatype, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

bool hang_attribute_on(MPI_Datatype handle) {
  int& keyval = types().keyval;
  if (keyval == MPI_KEYVAL_INVALID) {
    books::types_are_shared = threads_enter_at_once();
    if (pmpi().Type_create_keyval(copy_no_attribute, depart, &keyval, nullptr) != MPI_SUCCESS) return false;
  }
  return pmpi().Type_set_attr(handle, keyval, nullptr) == MPI_SUCCESS;
}

// On Open MPI a message that outlives its type finds it here, by the host's record. On MPICH it holds what it needs,
// and the end of the last one must find no attribute: around delete functions MPICH lets go of the lock of its
// progress, and with MPI_THREAD_MULTIPLE another thread then enters it.
void take_attribute_off(MPI_Datatype handle) {
  if (!is_open_mpi() && types().read.find(key_of(handle)) != nullptr && books::types_are_shared)
    pmpi().Type_delete_attr(handle, types().keyval);  // which calls depart()
}

bool is_automatic() { return settings().pack == PackEngine::automatic; }

// The place of a type, begun anew if it has none.
UnreadType& unread_type(std::uint64_t key) {
  UnreadType& type = books::unread_place_of(key);
  if (!type.is_of(key)) {
    books::begin_apart(type, key, 0, false, false);
    // Another thread may have read it meanwhile.
    if (books::find_type_of_key(key) != nullptr) type.leaves_host();
  }
  return type;
}

std::unique_ptr<Datatype> described(MPI_Datatype handle, UnreadType& unread) {
  std::unique_ptr<Datatype> type = describe(handle, types().layouts);
  type->committed_at = unread.committed_at;
  if (type->layout == nullptr) return type;
  if (!unread.is_described && !is_named(handle)) {
    unread.is_described = true;
    type->layout->types += 1;
  }
  if (type->layout->committed_at == 0) type->layout->committed_at = type->committed_at;
  return type;
}

// `type` was read for its messages, which took `ns`.
std::shared_ptr<MessageLife> message_life(const Datatype& type, const UnreadType& unread, std::int64_t ns) {
  const float saves = type.layout != nullptr ? type.layout->ns_saved_of_a_kib() : 0;
  return std::make_shared<MessageLife>(unread.history(), saves, ns);
}

// Enters a type that is not on the book yet: make() gives its entry, or null. The place learns how long that took where
// the type is handed over at a pack. Null if the host takes no attribute for it: then its end would go unseen.
template <class Make, class Finish = void (*)(Datatype&, std::int64_t)>
const Datatype* enter_into_book(
    MPI_Datatype handle, UnreadType& unread, Make make, Finish finish = [](Datatype&, std::int64_t) {}) {
  const Stopwatch watch;
  Types& the = types();
  const std::lock_guard lock(the.reading);
  const Datatype* known = the.read.find(key_of(handle));  // by another thread meanwhile, or its place was lost
  if (known != nullptr) return known;
  std::unique_ptr<Datatype> type = make();
  if (type == nullptr || !hang_attribute_on(handle)) return nullptr;
  finish(*type, watch.ns());
  known = type.get();
  put_on_book(handle, std::move(type));
  unread.leaves_host();
  return known;
}

// Null where the type can have none. A type that is packed for more bytes than `left_to_first` is read after all.
std::unique_ptr<Datatype> with_first_program(MPI_Datatype handle, const UnreadType& unread) {
  auto type = std::make_unique<Datatype>();
  type->first = read_first_program(handle);
  if (type->first == nullptr) return nullptr;
  type->touched = type->first->touched;
  type->left_to_first = priors::most_by_first_program(type->first->program.size);
  type->is_watched = unread.is_watched;
  return type;
}

// The engine gets the type at a pack. Types that a place hands over at once live briefly: a first program does for
// most.
const Datatype* hand_over(MPI_Datatype handle, UnreadType& unread) {
  SiteHistory& place = unread.history();
  const bool at_once = unread.is_for_engine;
  const auto note = [&](Datatype& type, std::int64_t ns) {
    if (type.layout == nullptr && type.first == nullptr) return place.engine_cannot();
    type.history = &place;
    type.bytes_before = unread.packed - (type.layout != nullptr ? type.bytes_packed() : 0);
    if (type.layout != nullptr) place.reading_took(ns);
    if (at_once) place.handing_over_took(ns);
  };
  if (at_once && is_automatic() && !counters::is_counting()) {
    const auto make = [&] { return with_first_program(handle, unread); };
    const Datatype* const brief = enter_into_book(handle, unread, make, note);
    if (brief != nullptr || !unread.is_to_be_read_at_once()) return brief;
  }
  return enter_into_book(
      handle, unread, [&] { return described(handle, unread); }, note);
}

// A type whose first program has done its part is read. It keeps that program where it cannot be read.
void read_after_first_program(MPI_Datatype handle) {
  Types& the = types();
  const std::lock_guard lock(the.reading);
  const Datatype* const known = the.read.find(key_of(handle));
  if (known == nullptr || known->first == nullptr) return;
  std::unique_ptr<Datatype> type = described(handle, unread_type(key_of(handle)));
  if (type->layout == nullptr) {
    known->left_to_first = INT64_MAX;
    return;
  }
  type->history = known->history;
  type->bytes_before = known->bytes_packed() - type->bytes_packed();
  for (const bool unpack : {false, true})
    type->layout->account(unpack).by_engine.add_calls(known->without_layout[unpack ? 1 : 0]);
  std::unique_ptr<const Datatype> before = put_on_book(handle, std::move(type));
  // Without an entry before it, the attribute went meanwhile: nobody would tell of the end of this one.
  leave_book(before != nullptr ? std::move(before) : take_off_book(handle));
}

const Datatype* look_up_or_hand_over(MPI_Datatype handle) {
  if (const Datatype* const known = types().read.find(key_of(handle))) return known;
  UnreadType* const unread = books::find_unread(key_of(handle));
  if (unread == nullptr || (is_automatic() && !unread->goes_to_engine([=] { return guessed_ns_of_reading(handle); })))
    return nullptr;
  return hand_over(handle, *unread);
}

}  // namespace

namespace books {

const Datatype* find_type_on_book(std::uint64_t key) noexcept {
  const Datatype* found = nullptr;
  attempt([&] { found = types().read.find(key); });  // where there is no memory for the book, no type is on it
  return found;
}

const Datatype* find_shared_type(std::uint64_t key) noexcept {
  return types().in_use.find(noted, in_message, last_type_in_message, key, type_departures,
                             [=] { return find_type_of_key(key); });
}

const Datatype* read_type_now(MPI_Datatype handle) {
  UnreadType& unread = unread_type(key_of(handle));
  unread.is_left_in_messages = true;
  if (is_named(handle)) return nullptr;
  const auto begin_life = [&](Datatype& type, std::int64_t ns) { type.message_life = message_life(type, unread, ns); };
  return enter_into_book(
      handle, unread, [&] { return described(handle, unread); }, begin_life);
}

std::unique_ptr<Datatype> describe_type_now(MPI_Datatype handle) {
  const Stopwatch watch;
  UnreadType& unread = unread_type(key_of(handle));
  unread.is_left_in_messages = true;
  std::unique_ptr<Datatype> type = described(handle, unread);
  type->message_life = message_life(*type, unread, watch.ns());
  return type;
}

bool note_travel(std::uint64_t key, std::int64_t bytes) {
  UnreadType* const type = find_unread(key);
  return type != nullptr && is_to_be_read(*type, bytes);
}

const Datatype* learn_copied_type(MPI_Datatype handle, std::int64_t count, Way way) {
  const std::uint64_t key = key_of(handle);
  FoundType found = find_type(key);
  if (UnreadType* const unread = found.unread; unread != nullptr && !unread->is_left_in_copies) {
    const SiteHistory& place = unread->history();
    MPI_Count size = 0;
    if (pmpi().Type_size_x(handle, &size) != MPI_SUCCESS || size <= 0) return nullptr;
    const float kib = static_cast<float>(size) * static_cast<float>(count) / 1024;
    const float saved = unread->saved_in_copies_ns += kib * priors::ns_saved_of_a_kib(way);
    if (!does_all(way) && (saved < place.reading_ns() || saved < guessed_ns_of_reading(handle))) return nullptr;
    unread->is_left_in_copies = true;
    enter_into_book(handle, *unread, [&] { return described(handle, *unread); });
    found = find_type(key);
  }
  return found.layout() != nullptr ? found.read : nullptr;
}

const Datatype* learn_type(MPI_Datatype handle) {
  if (!engine_is_on()) return nullptr;
  const auto look_up = [=] {
    const std::uint64_t key = key_of(handle);
    const auto on_book = [=] { return look_up_or_hand_over(handle); };
    return types_are_shared ? types().in_use.find(noted, to_be_packed, last_type, key, type_departures, on_book)
                            : last_type.find(key, type_departures, on_book);
  };
  const Datatype* const type = look_up();
  if (type == nullptr || type->first == nullptr || type->left_to_first > 0) return type;
  read_after_first_program(handle);
  return look_up();
}

void begin_to_count_packs() { host_may_pack_first = is_automatic() && engine_is_on(); }

void note_committed(MPI_Datatype handle, const void* caller) {
  const std::uint8_t site = number_of_place(caller);
  const bool is_new = site_histories[site].is_new(), is_first = site_histories[site].is_unseen();
  UnreadType& type = unread_place_of(key_of(handle));
  note_later_commit(type, key_of(handle), site);
  if (is_new) type.committed_at = commit_site(caller, is_first);
}

void note_packed_by_host(MPI_Datatype handle, const Datatype* type, bool unpack, std::int64_t bytes, std::int64_t ns) {
  if (type == nullptr)
    unread_type(key_of(handle)).host_packed(bytes, ns, host_may_pack_first, [=] {
      return guessed_ns_of_reading(handle);
    });
  (type == nullptr ? packed_unread : type->without_layout)[unpack ? 1 : 0].add_call(bytes);
}

void forget_type(MPI_Datatype handle) {
  forget_traffic_type(key_of(handle));
  if (forget_later_commit(key_of(handle))) return;
  take_attribute_off(handle);
  UnreadType* const type = find_unread(key_of(handle));
  if (type == nullptr) return end_apart(key_of(handle));
  type->forget();
  count_end(*type, key_of(handle));
}

void put_types_into(report::Record& record) {
  Types& the = types();
  LayoutRows& rows = record.datatypes;
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
  const auto unused = std::ranges::count_if(unread_types, &UnreadType::is_unused);
  add_others(freed_unused + static_cast<std::uint64_t>(unused), commits, rows);
}

}  // namespace books
}  // namespace marshal
