#include "calls/packed_buffer.h"

#include <algorithm>
#include <utility>

#include "base/attempt.h"
#include "calls/worth_packing.h"
#include "host/handles.h"
#include "messages/message_fragments.h"
#include "types/type_book.h"

namespace marshal::calls {
namespace {

template <bool unpack>
void move(const GappedBuffer& buffer, std::byte* packed, std::int64_t bytes) {
  const MessagePart message{buffer.layout.get(), buffer.count, buffer.user, buffer.bytes};
  move_fragment<unpack>(message, packed, {0, bytes}, false);
}

// Hardly a message ends in so many of these bytes.
constexpr auto mark = std::byte{0xc5};
constexpr std::int64_t most_marked = 16;

}  // namespace

bool PackedBuffer::begin(const ProgramBuffer& buffer, bool receives) {
  gapped_ = find_gapped(buffer, Way::calls);
  if (!gapped_) return false;
  const bool is_worth =
      receives ? is_worth_receiving_packed(*gapped_, buffer, is_trial_due_) : is_worth_packing(*gapped_, buffer);
  if (!is_worth) return false;
  copy_ = PackedCopy(gapped_->bytes + room_behind);
  return copy_.data() != nullptr;
}

bool PackedBuffer::is_of(MPI_Datatype type) const {
  return books::find_type(key_of(type)).layout() == gapped_->layout.get();
}

void PackedBuffer::pack() { move<false>(*gapped_, copy_.data(), gapped_->bytes); }

void PackedBuffer::unpack(std::int64_t bytes) {
  const std::int64_t came = std::min(bytes, gapped_->bytes);
  if (came > 0) move<true>(*gapped_, copy_.data(), came);
}

void PackedBuffer::mark_end() {
  is_end_marked_ = true;
  const std::int64_t marked = std::min(gapped_->bytes, most_marked);
  std::fill_n(copy_.data() + gapped_->bytes - marked, marked + room_behind, mark);
}

void PackedBuffer::unpack_after_error() {
  const std::byte* const end = copy_.data() + gapped_->bytes;
  const std::byte* const last = end - std::min(gapped_->bytes, most_marked);
  if (!is_end_marked_ || std::any_of(last, end, [](std::byte b) { return b != mark; })) unpack(gapped_->bytes);
}

void PackedBuffer::learn(MPI_Datatype type, std::int64_t bytes) noexcept {
  if (is_trial_due_) attempt([&] { learn_from_received(*gapped_, type, bytes / instance()); });
}

void PackedBuffer::pack_range(datatype::PackedRange range, std::byte* bytes) const {
  move_copy<false>(gapped_->instances(), bytes, range);
}
void PackedBuffer::unpack_range(datatype::PackedRange range, std::byte* bytes) const {
  move_copy<true>(gapped_->instances(), bytes, range);
}

}  // namespace marshal::calls
