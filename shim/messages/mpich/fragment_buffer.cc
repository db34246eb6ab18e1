#include "messages/mpich/fragment_buffer.h"

#include <algorithm>
#include <cstring>

#include "base/immortal.h"
#include "base/reused_memory.h"
#include "host/host_order.h"

namespace marshal {
namespace {

// In all, for messages under way and for the next ones; the fragments of others are moved one by one.
constexpr std::size_t most_memory = 8 * 1024 * 1024;

// The lines of a shorter message stay in near caches from one fragment to the next, and nobody waits for the first.
constexpr std::int64_t shortest = 256 * 1024;  // at 128 KiB it lost a tenth, here it won a third (two cores of an EPYC)

ReusedMemory& memory() {
  static Immortal<ReusedMemory> the(most_memory);
  return *the;
}

}  // namespace

bool FragmentBuffer::serves(const MessagePart& message) {
  if (message.size < shortest) return false;
  const datatype::Program* const program = message.layout->plan.settled_program(message.count);
  return program != nullptr && program->transposes;
}

bool FragmentBuffer::has_memory() {
  if (bytes_ == nullptr) bytes_ = static_cast<std::byte*>(memory().take(room));
  return bytes_ != nullptr;
}

void FragmentBuffer::pack(const MessagePart& message, std::byte* packed, datatype::PackedRange range) {
  const HostsObject the_hosts(this);
  const std::int64_t bytes = range.to - range.from;
  if (range.from < held_.from || held_.to < range.to) {
    if (bytes > room || !has_memory()) {
      move_fragment<false>(message, packed, range, false);
      return;
    }
    held_ = {range.from, std::min(range.from + room, message.size)};
    move_fragment<false>(message, bytes_, held_, false);
  }
  std::memcpy(packed, bytes_ + (range.from - held_.from), static_cast<std::size_t>(bytes));
}

void FragmentBuffer::unpack(const MessagePart& message, const std::byte* packed, datatype::PackedRange range) {
  const HostsObject the_hosts(this);
  const std::int64_t bytes = range.to - range.from;
  if (range.from != held_.to || range.to - held_.from > room) {
    unpack_all(message);
    held_ = {range.from, range.from};
  }
  if (bytes > room || !has_memory()) {
    move_fragment<true>(message, const_cast<std::byte*>(packed), range, false);
    return;
  }
  std::memcpy(bytes_ + (range.from - held_.from), packed, static_cast<std::size_t>(bytes));
  held_.to = range.to;
  to_unpack_ = true;
  if (range.to == message.size) unpack_all(message);
}

void FragmentBuffer::unpack_all(const MessagePart& message) {
  if (to_unpack_) move_fragment<true>(message, bytes_, held_, false);
  to_unpack_ = false;
  held_ = {held_.to, held_.to};
}

void FragmentBuffer::end(const MessagePart& message) {
  const HostsObject the_hosts(this);
  unpack_all(message);
  if (bytes_ != nullptr) memory().give_back(bytes_);
  bytes_ = nullptr;
  held_ = {0, 0};
}

}  // namespace marshal
