#include "calls/packed_blocks.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>
#include <vector>

#include "base/attempt.h"
#include "base/immortal.h"
#include "calls/packed_buffer.h"
#include "calls/worth_packing.h"
#include "host/handles.h"
#include "host/host_family.h"
#include "host/pmpi.h"
#include "host/predefined.h"
#include "messages/message_fragments.h"
#include "types/type_book.h"
#include "types/unread_types.h"

namespace marshal::calls {

namespace {

struct Plain {
  std::uint64_t key;
  std::int64_t size;
};

std::vector<Plain>& plain_types() {
  static Immortal<std::vector<Plain>> the;
  return *the;
}

}  // namespace

void note_plain_types() {
  std::vector<Plain>& all = plain_types();
  if (!all.empty()) return;  // they stay, and threads may look
  for (const MPI_Datatype type : predefined_datatypes()) {
    MPI_Count size = 0;
    MPI_Aint least = 0, extent = 0;
    if (pmpi().Type_size_x(type, &size) == MPI_SUCCESS && size > 0 &&
        pmpi().Type_get_extent(type, &least, &extent) == MPI_SUCCESS && least == 0 && extent == size)
      all.push_back({key_of(type), size});
  }
  std::ranges::sort(all, {}, &Plain::key);
}

std::int64_t plain_size(MPI_Datatype type) {
  const std::vector<Plain>& all = plain_types();
  const std::uint64_t key = key_of(type);
  const auto at = std::ranges::lower_bound(all, key, {}, &Plain::key);
  return at != all.end() && at->key == key ? at->size : 0;
}

bool is_certainly_a_type(MPI_Datatype type) {
  return plain_size(type) != 0 || books::find_type(key_of(type)).is_known();
}

namespace {

constexpr std::int64_t most = std::numeric_limits<int>::max();

}  // namespace

bool may_receive_blocks_packed() { return !is_open_mpi(); }

template <class Place>
void PackedBlocks<Place>::reserve(std::size_t blocks) {
  blocks_.reserve(blocks);
  counts_.reserve(blocks);
  byte_counts_.reserve(blocks);
  places_.reserve(blocks);
  types_.reserve(blocks);
}

template <class Place>
void PackedBlocks<Place>::note(Block block, int elements, MPI_Datatype element, std::int64_t element_bytes) {
  // Each block begins at a whole number of its elements and of all others', and on a line of its own.
  constexpr std::int64_t line = 64;
  bytes_ += (line - bytes_ % line) % line;
  while (bytes_ % element_bytes != 0) bytes_ += line;
  block.place = bytes_;
  bytes_ += block.bytes;
  counts_.push_back(elements);
  byte_counts_.push_back(static_cast<int>(block.bytes <= most ? block.bytes : 0));  // begin() refuses more
  places_.push_back(static_cast<Place>(block.place <= most ? block.place : 0));     // begin() refuses more
  types_.push_back(element);
  blocks_.push_back(std::move(block));
}

template <class Place>
bool PackedBlocks<Place>::add_plain(const ProgramBuffer& buffer) {
  std::int64_t size = plain_size(buffer.type), from = 0;
  if (size == 0) {
    const books::FoundType found = books::find_type(key_of(buffer.type));
    if (found.layout() == nullptr) return false;
    const datatype::Plan& plan = found.layout()->plan;
    if (!has_no_gaps(plan, buffer.count)) return false;
    size = plan.size();
    from = plan.touched().first;
  }
  std::int64_t bytes;
  if (buffer.user == nullptr || __builtin_mul_overflow(size, buffer.count, &bytes) || bytes > most) return false;
  note({nullptr, static_cast<std::byte*>(buffer.user) + from, buffer.count, bytes, 0}, static_cast<int>(bytes),
       predefined().type_byte, 1);
  return true;
}

template <class Place>
bool PackedBlocks<Place>::add(const ProgramBuffer& buffer, bool receives) {
  if (buffer.count < 0) return false;
  if (buffer.count == 0) {
    // Hosts may refuse types that are none also here.
    if (!is_certainly_a_type(buffer.type)) return false;
    note({nullptr, nullptr, 0, 0, 0}, 0, predefined().type_byte, 1);
    return true;
  }
  std::optional<GappedBuffer> gapped = find_gapped(buffer, Way::calls);
  if (!gapped) return add_plain(buffer);
  if (receives ? !gapped->layout->is_left_to_host(Way::calls, true, gapped->bytes) : is_worth_packing(*gapped, buffer))
    bytes_worth_packing_ += gapped->bytes;
  const MPI_Datatype element = gapped->element;
  const int elements = gapped->elements;
  const std::int64_t element_bytes = elements > 0 ? gapped->bytes / elements : 1;
  note({std::move(gapped->layout), gapped->user, gapped->count, gapped->bytes, 0,
        receives ? buffer.type : MPI_Datatype{}},
       elements, element, element_bytes);
  return true;
}

template <class Place>
bool PackedBlocks<Place>::begin() {
  const bool gains = 2 * bytes_worth_packing_ >= bytes_;
  if (bytes_worth_packing_ == 0 || !gains || bytes_ > most) return false;
  copy_ = PackedCopy(bytes_);
  return copy_.data() != nullptr;
}

template <class Place>
template <bool unpack>
void PackedBlocks<Place>::move() {
  for (const Block& block : blocks_) {
    std::byte* const packed = copy_.data() + block.place;
    const auto bytes = static_cast<std::size_t>(block.bytes);
    if (block.layout != nullptr)
      move_fragment<unpack>({block.layout.get(), block.count, block.user, block.bytes}, packed, {0, block.bytes},
                            false);
    else if (bytes != 0)
      std::memcpy(unpack ? block.user : packed, unpack ? packed : block.user, bytes);
  }
}

template <class Place>
void PackedBlocks<Place>::pack() {
  move<false>();
}
template <class Place>
void PackedBlocks<Place>::unpack() {
  move<true>();
}

template <class Place>
void PackedBlocks<Place>::learn() const noexcept {
  attempt([&] {
    for (const Block& block : blocks_)
      if (block.received != MPI_Datatype{})
        learn_from_received({block.layout, block.user, block.count, block.bytes, {}, 0}, block.received, block.count);
  });
}

template class PackedBlocks<int>;
template class PackedBlocks<MPI_Aint>;

}  // namespace marshal::calls
