#include "host/datatypes.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "base/message.h"
#include "datatype/flatten.h"
#include "datatype/layout_text.h"
#include "datatype/reference_copy.h"
#include "datatype/touched_lines.h"
#include "datatype/tuning.h"
#include "host/handles.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "host/registry.h"
#include "host/settings.h"
#include "host/type_reader.h"
#include "report/stable_hash.h"

namespace marshal {
namespace {

using datatype::SharedLayout;

// Reading a type costs microseconds: in automatic mode only once so many bytes were packed with it, each pack counting
// for some more. Programs make, pack once and free types in loops.
constexpr std::int64_t worth_reading_bytes = 32 * 1024;
constexpr std::int64_t bytes_of_a_pack = 512;

// Types seen to be committed, without a lock and without memory for each: a program may commit a million and pack none.
// A type whose place another one took is simply not known.
class Committed {
 public:
  void note(std::uint64_t key) {
    Place& place = place_of(key);
    if (place.key.load(std::memory_order_relaxed) == key + 1) return;
    place.bytes.store(0, std::memory_order_relaxed);
    place.key.store(key + 1, std::memory_order_release);
  }
  void forget(std::uint64_t key) {
    Place& place = place_of(key);
    if (place.key.load(std::memory_order_relaxed) == key + 1) place.key.store(0, std::memory_order_relaxed);
  }
  bool has(std::uint64_t key) const { return place_of(key).key.load(std::memory_order_acquire) == key + 1; }
  // The sum with these bytes.
  std::int64_t add(std::uint64_t key, std::int64_t bytes) {
    Place& place = place_of(key);
    const std::int64_t sum = place.bytes.load(std::memory_order_relaxed) + bytes;
    place.bytes.store(sum, std::memory_order_relaxed);
    return sum;
  }

 private:
  struct Place {
    std::atomic<std::uint64_t> key{0};
    std::atomic<std::int64_t> bytes{0};
  };
  static std::size_t index_of(std::uint64_t key) { return (key * 0x9E3779B97F4A7C15ULL) >> (64 - 12); }
  Place& place_of(std::uint64_t key) { return places_[index_of(key)]; }
  const Place& place_of(std::uint64_t key) const { return places_[index_of(key)]; }

  std::array<Place, 4096> places_;
};

using Layouts = decltype(report::Record::datatypes);

struct Types {
  Committed committed;
  Registry<Datatype> read;
  std::mutex reading;
  datatype::LayoutCache layouts{[this](const SharedLayout& layout) { account(layout, gone); }};
  Layouts gone;  // of layouts that left the cache
  int keyval = MPI_KEYVAL_INVALID;

  static void account(const SharedLayout& layout, Layouts& into);
};

Types& types() {
  static Types& the = *new Types;
  return the;
}

report::PackWork work_of(const datatype::Work& work, std::uint64_t touched_bytes_each, std::uint64_t size) {
  report::PackWork w;
  w.calls = work.calls.load();
  w.bytes = work.bytes.load();
  const std::uint64_t timed = work.timed_bytes.load();
  if (timed > 0)
    w.ns = static_cast<std::uint64_t>(static_cast<double>(work.timed_ns.load()) * static_cast<double>(w.bytes) /
                                      static_cast<double>(timed));
  if (size > 0) w.touched_bytes = w.bytes / size * touched_bytes_each;
  return w;
}

void Types::account(const SharedLayout& layout, Layouts& into) {
  if (layout.packed.calls.load() + layout.unpacked.calls.load() == 0) return;
  const datatype::Plan& plan = layout.plan;
  const std::vector<std::int64_t> code = datatype::encoded(plan.pieces());
  report::LayoutKey key{datatype::layout_text(plan.pieces()), 0};
  key.hash =
      report::hash_of(std::string_view(reinterpret_cast<const char*>(code.data()), code.size() * sizeof code[0]));
  report::DatatypeLayout row;
  const datatype::Span span = datatype::touched(plan.pieces());
  row.size = static_cast<std::uint64_t>(plan.size());
  row.lower_bound = span.first;
  row.extent = plan.extent();
  row.blocks = static_cast<std::uint64_t>(datatype::block_count(plan.pieces()));
  row.commits = layout.types.load();
  const std::int64_t lines = datatype::touched_lines(plan.pieces());
  row.pack = work_of(layout.packed, static_cast<std::uint64_t>(lines * 64), row.size);
  row.unpack = work_of(layout.unpacked, static_cast<std::uint64_t>(lines * 64), row.size);
  row.plans[datatype::program_text(plan.program(1), 1)] = row.pack.calls + row.unpack.calls;
  datatype::for_each_block(plan.pieces(), 0, 0, {0, plan.size()},
                           [&](std::int64_t disp, std::int64_t, std::int64_t length) {
                             if (row.picture.size() < report::kMostPictureBlocks)
                               row.picture.emplace_back(disp, static_cast<std::uint64_t>(length));
                           });
  into[key].merge(row);
}

extern "C" int forget_with_attribute(MPI_Datatype handle, int, void*, void*) {
  types().read.extract(key_of(handle));
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
  const OptionValue& segment = settings()[Option::kSegment];
  if (segment.word < 0)
    options.segment = {segment.bytes ? datatype::Segment::Unit::bytes : datatype::Segment::Unit::iterations,
                       segment.integer};
  return options;
}

bool is_automatic() { return settings().is(Option::kPack, "auto"); }

// Whether the blocks do not simply follow each other in memory.
bool is_unusual(const datatype::Pieces& pieces) {
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  for (const datatype::Piece& p : pieces) {
    const datatype::Span span = datatype::touched({p});
    if (span.first < end || p.stride < 0 || is_unusual(p.body)) return true;
    end = span.end;
  }
  return false;
}

// Open MPI 4.1 packs some types with negative strides in another order than the standard's. Such types are tried out
// once, and stay with a host that does not agree.
bool is_packed_alike(MPI_Datatype handle, const datatype::Pieces& pieces, std::int64_t extent) {
  constexpr std::int64_t most = 1 << 20;
  constexpr int count = 3;
  const datatype::Span one = datatype::touched(pieces);
  const std::int64_t reach = (count - 1) * extent;
  const std::int64_t first = one.first + std::min<std::int64_t>(reach, 0);
  const std::int64_t span = one.end + std::max<std::int64_t>(reach, 0) - first;
  const std::int64_t size = count * datatype::packed_size(pieces);
  if (span > most || size > most) return false;
  std::vector<std::byte> user(static_cast<std::size_t>(span)), ours(static_cast<std::size_t>(size)), theirs(ours);
  std::uint32_t noise = 1;
  for (std::byte& b : user) b = static_cast<std::byte>((noise = noise * 1664525 + 1013904223) >> 24);
  int position = 0;
  const int code = pmpi().Pack(user.data() - first, count, handle, theirs.data(), static_cast<int>(size), &position,
                               predefined().comm_self);
  datatype::reference_pack(pieces, extent, count, user.data() - first, ours.data(), {0, size});
  return code == MPI_SUCCESS && position == size && ours == theirs;
}

std::unique_ptr<Datatype> describe(MPI_Datatype handle) {
  auto made = std::make_unique<Datatype>();
  const auto read = read_type(handle);
  if (const WhyNot* why = std::get_if<WhyNot>(&read)) {
    made->why_not = *why;
    return made;
  }
  const auto& type = std::get<datatype::Type>(read);
  try {
    datatype::Pieces pieces = datatype::flattened(type);
    if (is_unusual(pieces) && !is_packed_alike(handle, pieces, type.extent())) {
      made->why_not = "the host packs other bytes than the standard says";
      return made;
    }
    made->layout = types().layouts.share(std::move(pieces), type.extent(), compile_options());
    datatype::Work::add(made->layout->types, 1);
  } catch (const datatype::LayoutTooLarge&) {
    made->why_not = "more blocks than Marshal keeps";
  }
  return made;
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

const Datatype* packed_type(MPI_Datatype handle, std::int64_t count) {
  Types& the = types();
  const std::uint64_t key = key_of(handle);
  if (const Datatype* known = the.read.find(key)) return known;
  if (!the.committed.has(key)) return nullptr;
  if (is_automatic()) {
    MPI_Count size = 0;
    if (pmpi().Type_size_x(handle, &size) != MPI_SUCCESS) return nullptr;
    if (the.committed.add(key, size * count + bytes_of_a_pack) < worth_reading_bytes) return nullptr;
  }
  const std::lock_guard lock(the.reading);
  if (const Datatype* known = the.read.find(key)) return known;
  std::unique_ptr<Datatype> made = describe(handle);
  if (!hang_attribute_on(handle)) return nullptr;
  const Datatype* entered = made.get();
  the.read.insert(key, std::move(made));
  return entered;
}

void note_committed(MPI_Datatype handle) { types().committed.note(key_of(handle)); }

void forget_type(MPI_Datatype handle) { types().committed.forget(key_of(handle)); }

void put_types_into(report::Record& record) {
  Types& the = types();
  the.layouts.for_each([&](const SharedLayout& layout) { Types::account(layout, record.datatypes); });
  record.datatypes.merge(the.gone);
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
  static const bool on = [] {
    if (settings().is(Option::kPack, "host")) return false;
    if (agrees_with_host()) return true;
    say(Level::kWarning, "this MPI packs other bytes than Marshal expects: packing stays with the host");
    return false;
  }();
  return on;
}

}  // namespace marshal
