#include "calls/packed_buffer.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "messages/choice.h"
#include "messages/message_fragments.h"
#include "settings/settings_in_force.h"

namespace marshal::calls {
namespace {

constexpr std::int64_t least_bytes = 512;  // a guess: a copy costs some 100 ns, whatever its bytes

bool is_left_to_host(const GappedBuffer& buffer) {
  if (takes_all()) return false;
  return buffer.bytes < least_bytes || messages::is_left_to_host(*buffer.layout);
}

template <bool unpack>
void move(const GappedBuffer& buffer, std::byte* packed, std::int64_t bytes) {
  const MessagePart message{buffer.layout.get(), buffer.count, buffer.user, buffer.bytes};
  move_fragment<unpack>(message, packed, {0, bytes}, false);
}

}  // namespace

bool takes_all() { return settings().messages == MessageEngine::calls; }

bool PackedBuffer::begin(const ProgramBuffer& buffer) {
  gapped_ = find_gapped(buffer, ns_saved_of_a_kib);
  if (!gapped_ || is_left_to_host(*gapped_)) return false;
  copy_ = PackedCopy(gapped_->bytes);
  return copy_.data() != nullptr;
}

void PackedBuffer::pack() { move<false>(*gapped_, copy_.data(), gapped_->bytes); }

void PackedBuffer::unpack(std::int64_t bytes) {
  const std::int64_t came = std::min(bytes, gapped_->bytes);
  if (came > 0) move<true>(*gapped_, copy_.data(), came);
}

void PackedBuffer::pack_range(datatype::PackedRange range, std::byte* bytes) const {
  move_copy<false>(gapped_->instances(), bytes, range);
}
void PackedBuffer::unpack_range(datatype::PackedRange range, std::byte* bytes) const {
  move_copy<true>(gapped_->instances(), bytes, range);
}

void PackedBuffer::abandon() { static_cast<void>(std::make_unique<PackedCopy>(std::move(copy_)).release()); }

}  // namespace marshal::calls
