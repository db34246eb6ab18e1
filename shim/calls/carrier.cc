#include "calls/carrier.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <limits>
#include <vector>

#include "base/attempt.h"
#include "base/fixed_table.h"
#include "host/host_family.h"
#include "host/pmpi.h"
#include "host/predefined.h"

namespace marshal::calls {

namespace {

struct Element {
  std::int64_t bytes;
  MPI_Datatype type;
};

// True if elements of more than a byte are the faster ones. MPICH's yaksa copies element by element below some KiB; its
// older dataloops copy bytes by memcpy().
bool has_wide_elements = false;

// The widest of which there are two at least.
Element element_for(std::int64_t bytes) {
  if (has_wide_elements && bytes % 8 == 0 && bytes >= 16) return {8, predefined().type_int64};
  if (has_wide_elements && bytes % 4 == 0 && bytes >= 8) return {4, predefined().type_int};
  return {1, predefined().type_byte};
}

// Element 0 where that fails.
CarrierType make(std::int64_t bytes, Element element) {
  const Pmpi& p = pmpi();
  const std::int64_t elements = bytes / element.bytes;
  if (elements < 2 || elements > std::numeric_limits<int>::max()) return {};
  int lengths[] = {static_cast<int>(elements - 1), 1};
  MPI_Aint places[] = {0, static_cast<MPI_Aint>(bytes)};
  MPI_Datatype types[] = {element.type, element.type}, type;
  if (p.Type_create_struct(2, lengths, places, types, &type) != MPI_SUCCESS) return {};
  if (p.Type_commit(&type) == MPI_SUCCESS) return {type, element.bytes};
  p.Type_free(&type);
  return {};
}

// A place holds the first size that came to it, until the end: a program sends few sizes. A size is in one of the
// `probes` places from its own on.
struct KeptCarrier {
  std::atomic<std::int64_t> bytes{};  // `claimed` while its type is made
  CarrierType kept;
};
constexpr std::int64_t claimed = -1;
constexpr int place_bits = 8, probes = 4;
std::array<KeptCarrier, (1 << place_bits) + probes - 1> places;

// The place that holds this size, or a free one; null if others have them all.
KeptCarrier* place_of(std::int64_t bytes) {
  const std::size_t first = spread(static_cast<std::uint64_t>(bytes), place_bits);
  for (std::size_t i = first; i < first + probes; ++i) {
    const std::int64_t held = places[i].bytes.load(std::memory_order_acquire);
    if (held == bytes || held == 0) return &places[i];
  }
  return nullptr;
}

// The time of the host's fastest pack of some.
std::chrono::nanoseconds time_of_packing(MPI_Comm comm, Element element) {
  constexpr int bytes = 4096, turns = 7;
  std::chrono::nanoseconds fastest = std::chrono::nanoseconds::max();
  CarrierType made = make(bytes, element);
  if (made.element == 0) return fastest;
  std::vector<std::byte> from(bytes + PackedBuffer::room_behind), packed(bytes);
  for (int turn = 0; turn < turns; ++turn) {
    int position = 0;
    const auto begin = std::chrono::steady_clock::now();
    if (pmpi().Pack(from.data(), 1, made.type, packed.data(), bytes, &position, comm) != MPI_SUCCESS) break;
    fastest = std::min<std::chrono::nanoseconds>(fastest, std::chrono::steady_clock::now() - begin);
  }
  pmpi().Type_free(&made.type);
  return fastest;
}

}  // namespace

void try_carrier_elements(MPI_Comm comm) {
  attempt([&] {
    has_wide_elements =
        time_of_packing(comm, {8, predefined().type_int64}) < time_of_packing(comm, {1, predefined().type_byte});
  });
}

CarrierType carrier_type(std::int64_t bytes) {
  KeptCarrier* const place = place_of(bytes);
  std::int64_t held = place != nullptr ? place->bytes.load(std::memory_order_acquire) : claimed;
  if (held == bytes) return place->kept;
  CarrierType made = make(bytes, element_for(bytes));
  if (made.element == 0 || held != 0) return made;
  if (!place->bytes.compare_exchange_strong(held, claimed, std::memory_order_relaxed)) return made;
  made.is_kept = true;
  place->kept = made;
  place->bytes.store(bytes, std::memory_order_release);
  return made;
}

void free_carrier_types() {
  for (KeptCarrier& place : places)
    if (place.bytes.exchange(claimed) > 0) pmpi().Type_free(&place.kept.type);
}

bool Carrier::take_blocks(const PackedBuffer& packed) {
  blocks_ = carrier_type(packed.bytes());
  if (blocks_.element == 0) return false;
  data_ = packed.data();
  bytes_ = packed.bytes();
  type_ = blocks_.type;
  return true;
}

void Carrier::take_elements(const PackedBuffer& packed) {
  data_ = packed.data();
  count_ = packed.elements();
  type_ = packed.element();
}

bool Carrier::begin_send(PackedBuffer& packed) {
  if (!take_blocks(packed)) return false;
  packed.pack();
  const auto element = static_cast<std::size_t>(blocks_.element);
  std::memcpy(behind(), behind() - element, element);
  return true;
}

bool Carrier::begin_receive(PackedBuffer& packed) {
  packed.mark_end();
  if (is_open_mpi()) return take_blocks(packed);
  take_elements(packed);
  return true;
}

bool Carrier::begin_replace(PackedBuffer& packed) {
  if (is_open_mpi()) return begin_send(packed);
  packed.pack();
  take_elements(packed);
  return true;
}

void Carrier::close_gap() {
  const auto element = static_cast<std::size_t>(blocks_.element);
  if (element != 0) std::memcpy(behind() - element, behind(), element);
}

Carrier::~Carrier() {
  if (blocks_.element != 0 && !blocks_.is_kept) pmpi().Type_free(&blocks_.type);
}

}  // namespace marshal::calls
