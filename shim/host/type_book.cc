#include "host/type_book.h"

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <mutex>
#include <type_traits>

#include "base/immortal.h"
#include "base/registry.h"
#include "host/message_engine.h"
#include "host/message_sites.h"
#include "host/packing_engine.h"
#include "host/packing_record.h"
#include "host/pmpi.h"
#include "host/sent_messages.h"
#include "host/type_layout.h"
#include "host/type_lives.h"
#include "host/type_reader.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

using Place = UnreadTypes::Place;

struct Types {
  CommittedKinds kinds;
  Registry<Datatype> read;
  std::mutex reading;
  Layouts layouts{[this](const SharedLayout& layout) {
    const std::lock_guard lock(leaving);
    add_layout(layout, gone);
  }};
  LayoutRows gone;     // of layouts and types that left
  std::mutex leaving;  // guards gone
  int keyval = MPI_KEYVAL_INVALID;
};

Types& types() {
  static Immortal<Types> the;
  return *the;
}

// The host destroys a type, whoever freed it.
extern "C" int depart(MPI_Datatype handle, int, void*, void*) {
  if (const std::unique_ptr<Datatype> gone = types().read.extract(key_of(handle))) {
    books::type_departures.fetch_add(1, std::memory_order_release);
    // One that no engine would move says nothing of others.
    if (gone->read_ns > 0 && (gone->layout == nullptr || !messages::is_left_to_host(*gone->layout)))
      message_sites.ended(gone->message_site, gone->message_bytes->load(),
                          gone->layout == nullptr ? 1 : gone->layout->mean_block, gone->read_ns);
    const std::lock_guard lock(types().leaving);
    add_passed_on(*gone, types().gone);
  }
  return MPI_SUCCESS;
}

extern "C" int copy_no_attribute(MPI_Datatype, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

bool hang_attribute_on(MPI_Datatype handle) {
  int& keyval = types().keyval;
  if (keyval == MPI_KEYVAL_INVALID &&
      pmpi().Type_create_keyval(copy_no_attribute, depart, &keyval, nullptr) != MPI_SUCCESS)
    return false;
  return pmpi().Type_set_attr(handle, keyval, nullptr) == MPI_SUCCESS;
}

bool is_automatic() {
  static const bool automatic = settings().pack == PackEngine::automatic;
  return automatic;
}

// Bytes of an instance; the host is asked once.
std::int64_t size_of(Place& place, MPI_Datatype handle) {
  MPI_Count size = place.size_plus_one.load(std::memory_order_relaxed) - 1;
  if (size < 0 && pmpi().Type_size_x(handle, &size) == MPI_SUCCESS && size >= 0)
    place.size_plus_one.store(size + 1, std::memory_order_relaxed);
  return std::max<std::int64_t>(size, 0);
}

void note_first_use(Place& place, MPI_Datatype handle) {
  if (place.passes(TypeState::committed, TypeState::counted)) types().kinds.packed(handle);
}

// The time to read and plan a type, in ns, and for each number of its constructor. In automatic mode a type is read
// once the host has packed it for a multiple of that time.
constexpr std::int64_t ns_of_reading = 4000, ns_of_a_number = 60;

// For types of about one size.
TypeLives& lives_of(std::int64_t size) {
  static constinit std::array<TypeLives, 16> all{};
  return all[std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(size))) / 2, 15)];
}

// With `count` more instances.
bool is_worth_reading(Place& place, MPI_Datatype handle, std::int64_t count) {
  const std::int64_t size = size_of(place, handle);
  const std::int64_t ns = place.host_ns.load(std::memory_order_relaxed) + books::ns_of_pack(place, size * count);
  place.host_ns.store(ns, std::memory_order_relaxed);
  if (ns >= books::worth_timing && place.passes(TypeState::counted, TypeState::waited_for)) {
    const int patience = lives_of(size).patience();
    place.patience.store(patience, std::memory_order_relaxed);
    place.read_at.store(patience * (ns_of_reading + ns_of_a_number * constructor_numbers(handle)),
                        std::memory_order_relaxed);
  }
  const std::int64_t read_at = place.read_at.load(std::memory_order_relaxed);
  const bool worth = read_at != 0 && ns >= read_at;
  if (worth && place.patience.exchange(0, std::memory_order_relaxed) == TypeLives::patient)
    lives_of(size).lived(TypeLives::patient);
  return worth;
}

// A type that was waited for is freed unread.
void note_unread_life(const Place& place) {
  if (place.patience.load(std::memory_order_relaxed) != TypeLives::patient) return;
  const double times = static_cast<double>(place.host_ns.load(std::memory_order_relaxed)) * TypeLives::patient /
                       static_cast<double>(place.read_at.load(std::memory_order_relaxed));
  if (times >= 1) lives_of(place.size_plus_one.load(std::memory_order_relaxed) - 1).lived(times);
}

std::unique_ptr<Datatype> described(MPI_Datatype handle, Place& place) {
  auto type = std::make_unique<Datatype>();
  const CommitSite site = place.site.load(std::memory_order_relaxed);
  type->committed_at = site;
  try {
    TypeLayout read = layout_of(handle, types().layouts);
    type->layout = std::move(read.layout);
    type->element = read.element;
    type->touched = datatype::touched(type->layout->plan.pieces());
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
  const Datatype* known = the.read.find(key_of(handle));  // by another thread meanwhile
  if (known == nullptr) {
    place.state.store(TypeState::worth_reading, std::memory_order_relaxed);
    std::unique_ptr<Datatype> type = described(handle, place);
    if (hang_attribute_on(handle)) {
      finish(*type, std::chrono::nanoseconds(Clock::now() - began).count());
      known = type.get();
      the.read.insert(key_of(handle), std::move(type));
    }
  }
  return known;
}

const Datatype* look_up_or_read(MPI_Datatype handle, std::int64_t count) {
  const Datatype* known = types().read.find(key_of(handle));
  Place* place = known == nullptr ? books::unread_types.find(key_of(handle)) : nullptr;
  if (place == nullptr) return known;
  note_first_use(*place, handle);
  return !is_automatic() || is_worth_reading(*place, handle, count)
             ? read_into_book(*place, handle, [](Datatype&, std::int64_t) {})
             : nullptr;
}

void note_reading_for_messages(Datatype& type, std::size_t message_site, std::int64_t ns) {
  type.message_site = message_site;
  type.read_ns = std::max<std::int64_t>(ns, 1);
  type.message_bytes = std::make_shared<std::atomic<std::uint64_t>>(0);
}

}  // namespace

namespace books {

const Datatype* find_type_of_key(std::uint64_t key) {
  const Datatype* last = last_type.get(key, type_departures);
  return last != nullptr ? last : types().read.find(key);
}

const Datatype* find_type(MPI_Datatype handle) { return find_type_of_key(key_of(handle)); }

const Datatype* read_type_now(MPI_Datatype handle, std::size_t message_site) {
  Place& place = unread_types.enter(key_of(handle), TypeState::counted);
  note_first_use(place, handle);
  return read_into_book(place, handle,
                        [&](Datatype& type, std::int64_t ns) { note_reading_for_messages(type, message_site, ns); });
}

std::unique_ptr<const Datatype> describe_type_now(MPI_Datatype handle, std::size_t message_site) {
  using Clock = std::chrono::steady_clock;
  Place& place = unread_types.enter(key_of(handle), TypeState::counted);
  note_first_use(place, handle);
  const auto began = Clock::now();
  std::unique_ptr<Datatype> type = described(handle, place);
  note_reading_for_messages(*type, message_site, std::chrono::nanoseconds(Clock::now() - began).count());
  return type;
}

void note_travel(std::uint64_t key) {
  if (Place* place = unread_types.find(key)) place->travelled.store(true, std::memory_order_relaxed);
}

const Datatype* learn_type(MPI_Datatype handle, std::int64_t count) {
  if (!engine_is_on()) return nullptr;
  return last_type.find(key_of(handle), type_departures, [=] { return look_up_or_read(handle, count); });
}

void note_committed(MPI_Datatype handle, const void* caller) {
  CommittedKinds& kinds = types().kinds;
  const bool first = kinds.is_among_first();
  const CommitSite site = first ? commit_site(caller) : 0;
  if (first) kinds.count(handle, site);
  // In automatic mode the host packs first, and a type that it packs is committed.
  if (first || !is_automatic())
    unread_types.enter(key_of(handle), first ? TypeState::committed : TypeState::counted, site);
}

void note_packed_by_host(MPI_Datatype handle, const Datatype* type, bool unpack, std::int64_t count, std::int64_t ns) {
  std::int64_t size = 0;
  if (type == nullptr) {
    Place& place = unread_types.enter(key_of(handle), TypeState::counted);
    note_first_use(place, handle);
    size = size_of(place, handle);
    constexpr float slowest = 4;  // a byte at a time; a longer time was a disturbance
    if (ns > 0 && size > 0)
      place.ns_per_byte.store(std::min(static_cast<float>(ns) / static_cast<float>(size * count), slowest),
                              std::memory_order_relaxed);
  } else if (type->kind) {
    size = type->kind->size;
  }
  (type == nullptr ? packed_unread : type->by_host)[unpack ? 1 : 0].add_call(size * count);
}

bool is_to_be_timed(MPI_Datatype handle) {
  const Place* place = unread_types.find(key_of(handle));
  return place != nullptr && is_to_be_timed(*place);
}

void forget_type(MPI_Datatype handle) {
  forget_traffic_type();
  Place* place = unread_types.find(key_of(handle));
  if (place == nullptr) return;
  if (place->travelled.load(std::memory_order_relaxed)) note_first_use(*place, handle);
  note_unread_life(*place);
  unread_types.forget(key_of(handle));
}

void put_types_into(report::Record& record) {
  Types& the = types();
  LayoutRows& rows = record.datatypes;
  unread_types.for_each([](std::uint64_t key, Place& place) {
    if (place.travelled.load(std::memory_order_relaxed)) note_first_use(place, handle_of<MPI_Datatype>(key));
  });
  the.layouts.for_each([&](const SharedLayout& layout) { add_layout(layout, rows); });
  the.read.for_each([&](std::uint64_t, const Datatype& type) { add_passed_on(type, rows); });
  {
    const std::lock_guard lock(the.leaving);
    rows.merge(the.gone);
  }
  if (packed_unread[0].calls + packed_unread[1].calls != 0) add_unread(packed_unread, why_engine_is_off(), rows);
  add_never_packed(the.kinds, rows);
}

}  // namespace books
}  // namespace marshal
