#include "host/datatypes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "base/message.h"
#include "base/registry.h"
#include "datatype/flatten.h"
#include "datatype/reference_copy.h"
#include "datatype/seen_types.h"
#include "datatype/tuning.h"
#include "datatype/type_code.h"
#include "host/handles.h"
#include "host/implementation.h"
#include "host/packing_record.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/type_reader.h"
#include "host/unread_types.h"
#include "settings/settings_in_force.h"

namespace marshal {
namespace {

using datatype::SharedLayout;

struct Types {
  CommittedKinds kinds;
  Registry<Datatype> read;
  std::mutex reading;
  datatype::SeenTypes seen;  // guarded by reading
  datatype::LayoutCache layouts{[this](const SharedLayout& layout) {
    const std::lock_guard lock(leaving);
    add_layout(layout, gone);
  }};
  LayoutRows gone;     // of layouts and types that left
  std::mutex leaving;  // guards gone
  int keyval = MPI_KEYVAL_INVALID;
};

Types& types() {
  static Types& the = *new Types;
  return the;
}

void leave(const Datatype& type) {
  books::type_departures.fetch_add(1, std::memory_order_release);
  const std::lock_guard lock(types().leaving);
  add_passed_on(type, types().gone);
}

extern "C" int forget_with_attribute(MPI_Datatype handle, int, void*, void*) {
  if (const std::unique_ptr<Datatype> gone = types().read.extract(key_of(handle))) leave(*gone);
  return MPI_SUCCESS;
}

extern "C" int copy_no_attribute(MPI_Datatype, int, void*, void*, void*, int* flag) {
  *flag = 0;
  return MPI_SUCCESS;
}

datatype::CompileOptions compile_options() {
  datatype::CompileOptions options;
  if (settings().is(Option::kPack, "mars")) options.strategy = datatype::Strategy::mars;
  if (settings().is(Option::kPack, "iovec")) options.strategy = datatype::Strategy::iovec;
  static const datatype::Tuning tuning = [] {
    std::string problem;
    const datatype::Tuning loaded = datatype::load_tuning(settings().text(Option::kTune), problem);
    if (!problem.empty()) say_line(Level::kWarning, problem);
    return loaded;
  }();
  options.segment_bytes = tuning.segment_bytes;
  options.stream_bytes = tuning.stream_bytes;
  const OptionValue& segment = settings()[Option::kSegment];
  if (segment.word < 0)
    options.segment = {segment.bytes ? datatype::Segment::Unit::bytes : datatype::Segment::Unit::iterations,
                       segment.integer};
  return options;
}

bool is_automatic() {
  static const bool automatic = settings().is(Option::kPack, "auto");
  return automatic;
}

// Whether the blocks do not simply follow each other in memory.
bool is_unusual(const datatype::Pieces& pieces) {
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  for (const datatype::Piece& p : pieces) {
    const datatype::Span span = datatype::touched(p);
    if (span.first < end || p.stride < 0 || is_unusual(p.body)) return true;
    end = span.end;
  }
  return false;
}

// MPICH 4.0 divides by zero when it packs some types with parts without data, so none of those is tried out; where it
// lives it packs as the standard says.
bool dies_of_parts_without_data() { return !is_open_mpi(); }

// Whether MPI_COMM_SELF may be packed on: not in a program of sessions only, where packing stays with the host.
bool has_world() {
  int begun = 0, ended = 0;
  return pmpi().Initialized(&begun) == MPI_SUCCESS && pmpi().Finalized(&ended) == MPI_SUCCESS && begun && !ended;
}

// Open MPI 4.1 packs some types with negative strides, or with parts without data, in another order than the
// standard's. Such types are tried out once, and stay with a host that does not agree. Both hosts have been seen to
// read bytes that such a type does not have: there must be some on either side.
bool are_packed_alike(int count, MPI_Datatype handle, const datatype::Pieces& pieces, std::int64_t extent) {
  constexpr std::int64_t most = 1 << 20;
  const datatype::Span one = datatype::touched(pieces);
  const std::int64_t reach = (count - 1) * extent;
  const std::int64_t first = one.first + std::min<std::int64_t>(reach, 0);
  const std::int64_t span = one.end + std::max<std::int64_t>(reach, 0) - first;
  const std::int64_t size = count * datatype::packed_size(pieces);
  if (span > most || size > most || !has_world()) return false;
  const std::int64_t around = span + 16 * 1024, to_origin = around - first;
  std::vector<std::byte> user(static_cast<std::size_t>(span + 2 * around)), ours(static_cast<std::size_t>(size)),
      theirs(ours);
  std::uint32_t noise = 1;
  for (std::byte& b : user) b = static_cast<std::byte>((noise = noise * 1664525 + 1013904223) >> 24);
  int position = 0;
  const int code = pmpi().Pack(user.data() + to_origin, count, handle, theirs.data(), static_cast<int>(size), &position,
                               predefined().comm_self);
  datatype::reference_pack(pieces, extent, count, user.data() + to_origin, ours.data(), {0, size});
  return code == MPI_SUCCESS && position == size && ours == theirs;
}

// Under the lock of reading.
std::unique_ptr<Datatype> describe(MPI_Datatype handle, CommitSite site) {
  auto made = std::make_unique<Datatype>();
  made->committed_at = site;
  const auto stays_with_host = [&](WhyNot why) {
    made->why_not = why;
    made->kind = kind_of(handle);
    return std::move(made);
  };
  const auto read = read_type(handle);
  if (const WhyNot* why = std::get_if<WhyNot>(&read)) return stays_with_host(*why);
  const auto& type = std::get<datatype::Type>(read);
  if (type.size() == 0) return stays_with_host("nothing to pack");
  const auto packed_as = [&](std::shared_ptr<const SharedLayout> layout) {
    made->touched = datatype::touched(layout->plan.pieces());
    made->layout = std::move(layout);
    if (!is_named(handle)) datatype::Work::add(made->layout->types, 1);
    if (CommitSite none = 0; site != none) made->layout->committed_at.compare_exchange_strong(none, site);
    return std::move(made);
  };
  datatype::SeenTypes& seen = types().seen;
  datatype::SeenTypes::Code code = datatype::encoded(type);
  if (auto layout = seen.find(code)) return packed_as(std::move(layout));
  try {
    datatype::Pieces pieces = datatype::flattened(type);
    const auto alike = [&](int count) { return are_packed_alike(count, handle, pieces, type.extent()); };
    const bool unusual = is_unusual(pieces), part_without_data = datatype::has_part_without_data(type);
    if (dies_of_parts_without_data() && unusual && part_without_data)
      return stays_with_host("a part without data, and blocks out of order");
    if ((unusual || (part_without_data && !dies_of_parts_without_data())) && !(alike(1) && alike(3)))
      return stays_with_host("the host packs other bytes than the standard says");
    auto layout = types().layouts.share(std::move(pieces), type.extent(), compile_options());
    seen.remember(std::move(code), layout);
    return packed_as(std::move(layout));
  } catch (const datatype::LayoutTooLarge&) {
    return stays_with_host("more blocks than Marshal keeps");
  }
}

bool is_worth_reading(CommittedTypes::Place& place, MPI_Datatype handle, std::int64_t count) {
  const std::int64_t size = size_of(place, handle);
  const std::int64_t ns = place.host_ns.load(std::memory_order_relaxed) + books::ns_of_pack(place, size * count);
  place.host_ns.store(ns, std::memory_order_relaxed);
  std::int64_t read_at = place.read_at.load(std::memory_order_relaxed);
  if (read_at == 0 && ns >= books::worth_timing) {
    const int patience = books::lives_of(size).patience();
    read_at = patience * (books::ns_of_reading + books::ns_of_a_number * constructor_numbers(handle));
    place.patience.store(patience, std::memory_order_relaxed);
    place.read_at.store(read_at, std::memory_order_relaxed);
  }
  if (read_at == 0 || ns < read_at) return false;
  if (place.patience.exchange(0, std::memory_order_relaxed) == TypeLives::patient)
    books::lives_of(size).lived(TypeLives::patient);
  return true;
}

// A type that was waited for, and is freed unread.
void note_unread_life(const CommittedTypes::Place& place) {
  if (place.patience.load(std::memory_order_relaxed) != TypeLives::patient) return;
  const double times = static_cast<double>(place.host_ns.load(std::memory_order_relaxed)) * TypeLives::patient /
                       static_cast<double>(place.read_at.load(std::memory_order_relaxed));
  if (times >= 1) books::lives_of(place.size_plus_one.load(std::memory_order_relaxed) - 1).lived(times);
}

// The first pack of a type whose commit was counted among those of its kind: these are the never packed ones.
void note_first_pack(CommittedTypes::Place& place, MPI_Datatype handle) {
  if (place.counted_by_kind.load(std::memory_order_relaxed) &&
      place.counted_by_kind.exchange(false, std::memory_order_relaxed))
    types().kinds.packed(handle);
}

// Why the engine never ran; null where it did. Only of a run that packed: the answer may need a try on the host.
const char* why_never_read() {
  if (engine_is_on()) return nullptr;
  if (settings().is(Option::kPack, "host")) return "MARSHAL_PACK=host";
  return has_world() ? "other bytes expected" : "sessions only";
}

// The type's entry goes when the host destroys the type, by whatever way.
bool hang_attribute_on(MPI_Datatype handle) {
  int& keyval = types().keyval;
  if (keyval == MPI_KEYVAL_INVALID &&
      pmpi().Type_create_keyval(copy_no_attribute, forget_with_attribute, &keyval, nullptr) != MPI_SUCCESS)
    return false;
  return pmpi().Type_set_attr(handle, keyval, nullptr) == MPI_SUCCESS;
}

}  // namespace

namespace books {

const Datatype* find_packed_type(MPI_Datatype handle, std::int64_t count) {
  Types& the = types();
  const std::uint64_t key = key_of(handle);
  if (const Datatype* known = the.read.find(key)) return known;
  CommittedTypes::Place* place = committed_types.find(key);
  if (place == nullptr) return nullptr;
  note_first_pack(*place, handle);
  if (is_automatic() && !is_worth_reading(*place, handle, count)) return nullptr;
  const std::lock_guard lock(the.reading);
  if (const Datatype* known = the.read.find(key)) return known;
  place->only_counts.store(false, std::memory_order_relaxed);
  std::unique_ptr<Datatype> made = describe(handle, place->site.load(std::memory_order_relaxed));
  if (!hang_attribute_on(handle)) return nullptr;
  const Datatype* entered = made.get();
  the.read.insert(key, std::move(made));
  return entered;
}

const Datatype* known_type(MPI_Datatype handle) {
  if (const Datatype* last = type_packed_last(handle)) return last;
  return types().read.find(key_of(handle));
}

void note_committed(MPI_Datatype handle, const void* caller) {
  Types& the = types();
  const bool first = the.kinds.is_among_first();
  const CommitSite site = first ? commit_site(caller) : 0;
  if (first) the.kinds.count(handle, site);
  // In automatic mode the host packs first, and a type that it packs is committed.
  if (first || !is_automatic()) committed_types.note(key_of(handle), first, site);
}

void note_packed_by_host(MPI_Datatype handle, const Datatype* type, bool unpack, std::int64_t count, std::int64_t ns) {
  std::int64_t size = 0;
  if (type == nullptr) {
    const std::uint64_t key = key_of(handle);
    CommittedTypes::Place* place = committed_types.find(key);
    if (place == nullptr) {
      committed_types.note(key, false);
      place = committed_types.find(key);
    }
    if (place == nullptr) return;  // another thread's type has just taken it
    note_first_pack(*place, handle);
    size = size_of(*place, handle);
    constexpr float slowest = 4;  // a byte at a time; what seems to take longer was disturbed
    if (ns > 0 && size > 0)
      place->ns_per_byte.store(std::min(static_cast<float>(ns) / static_cast<float>(size * count), slowest),
                               std::memory_order_relaxed);
    if (size > 0 && is_automatic() && engine_is_on()) place->only_counts.store(true, std::memory_order_relaxed);
  } else if (type->kind) {
    size = type->kind->size;
  }
  const std::size_t way = unpack ? 1 : 0;
  (type == nullptr ? packed_unread[way] : type->by_host[way]).add_call(size * count);
}

void forget_type(MPI_Datatype handle) {
  const std::uint64_t key = key_of(handle);
  const CommittedTypes::Place* place = committed_types.find(key);
  if (place == nullptr) return;
  note_unread_life(*place);
  committed_types.forget(key);
}

void put_types_into(report::Record& record) {
  Types& the = types();
  LayoutRows& rows = record.datatypes;
  the.layouts.for_each([&](const SharedLayout& layout) { add_layout(layout, rows); });
  the.read.for_each([&](std::uint64_t, const Datatype& type) { add_passed_on(type, rows); });
  {
    const std::lock_guard lock(the.leaving);
    rows.merge(the.gone);
  }
  if (packed_unread[0].calls + packed_unread[1].calls != 0) add_unread(packed_unread, why_never_read(), rows);
  add_never_packed(the.kinds, rows);
}

}  // namespace books

namespace {

// The same few bytes by the host and by the engine, both ways.
bool agrees_with_host() {
  using namespace datatype;
  const Pmpi& p = pmpi();
  const int lengths[3] = {1, 1, 3};
  const MPI_Aint places[3] = {0, 8, 16};
  const MPI_Datatype parts[3] = {predefined().type_int, predefined().type_2int, predefined().type_byte};
  MPI_Datatype plain, type;
  if (p.Type_create_struct(3, lengths, places, parts, &plain) != MPI_SUCCESS) return false;
  bool equal = false;
  if (p.Type_create_resized(plain, 0, 24, &type) == MPI_SUCCESS) {
    constexpr int count = 5, size = 15 * count;
    std::array<std::byte, 24 * count> user{}, by_host{}, by_engine{};
    for (std::size_t i = 0; i < user.size(); ++i) user[i] = static_cast<std::byte>(7 * i + 1);
    std::array<std::byte, size> packed{}, packed_too{};
    int position = 0, back = 0;
    const auto read = read_type(type);
    if (p.Type_commit(&type) == MPI_SUCCESS && std::holds_alternative<Type>(read) &&
        p.Pack(user.data(), count, type, packed.data(), size, &position, predefined().comm_self) == MPI_SUCCESS &&
        p.Unpack(packed.data(), size, &back, by_host.data(), count, type, predefined().comm_self) == MPI_SUCCESS) {
      const Plan plan(flattened(std::get<Type>(read)), std::get<Type>(read).extent());
      plan.pack(count, user.data(), packed_too.data());
      plan.unpack(count, by_engine.data(), packed_too.data());
      equal = position == size && back == size && packed == packed_too && by_host == by_engine;
    }
    p.Type_free(&type);
  }
  p.Type_free(&plain);
  return equal;
}

}  // namespace

bool engine_is_on() {
  static std::atomic<bool> can_be_tried{false};
  if (!can_be_tried.load(std::memory_order_relaxed)) {
    if (!has_world()) return false;
    can_be_tried.store(true, std::memory_order_relaxed);
  }
  static const bool on = [] {
    if (settings().is(Option::kPack, "host")) return false;
    if (agrees_with_host()) return true;
    say(Level::kWarning, "this MPI packs other bytes than Marshal expects: packing stays with the host");
    return false;
  }();
  return on;
}

}  // namespace marshal
