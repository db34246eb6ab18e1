// A message of an exchange by nodes: a head, the length of each block in bytes, and the blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace marshal::exchange {

// The processes whose blocks are in a parcel say this to all others.
struct Head {
  std::int64_t votes = 0;  // added up (choice.h)
  // Any of them has a block that is too long, or cannot take part: the host is to do this call.
  std::int32_t falls_back = 0;
  std::int32_t has_failed = 0;  // a message

  void add(const Head& other) {
    votes += other.votes;
    falls_back |= other.falls_back;
    has_failed |= other.has_failed;
  }
};

// A block of another process; valid as long as its parcel is.
struct Block {
  const std::byte* data;
  std::uint32_t bytes;
};

constexpr std::size_t bytes_of_parcel(std::size_t blocks, std::size_t most_in_block) {
  return sizeof(Head) + blocks * (sizeof(std::uint32_t) + most_in_block);
}

// Fills memory of bytes_of_parcel().
class ParcelWriter {
 public:
  ParcelWriter(std::byte* parcel, std::size_t blocks)
      : parcel_(parcel), length_(parcel + sizeof(Head)), data_(length_ + blocks * sizeof(std::uint32_t)) {}

  // Memory for the next block, to be filled.
  std::byte* add(std::uint32_t bytes) {
    std::memcpy(length_, &bytes, sizeof bytes);
    length_ += sizeof bytes;
    std::byte* const block = data_;
    data_ += bytes;
    return block;
  }
  void add_empty(std::size_t blocks) {
    for (; blocks > 0; --blocks) add(0);
  }
  void add(const Block& block) { std::memcpy(add(block.bytes), block.data, block.bytes); }
  // Last. The bytes of the parcel.
  std::size_t end(const Head& head) {
    std::memcpy(parcel_, &head, sizeof head);
    return static_cast<std::size_t>(data_ - parcel_);
  }

 private:
  std::byte *parcel_, *length_, *data_;
};

class ParcelReader {
 public:
  ParcelReader(const std::byte* parcel, std::size_t blocks)
      : parcel_(parcel), length_(parcel + sizeof(Head)), data_(length_ + blocks * sizeof(std::uint32_t)) {}

  Head head() const {
    Head head;
    std::memcpy(&head, parcel_, sizeof head);
    return head;
  }
  Block next() {
    Block block{data_, 0};
    std::memcpy(&block.bytes, length_, sizeof block.bytes);
    length_ += sizeof block.bytes;
    data_ += block.bytes;
    return block;
  }

 private:
  const std::byte *parcel_, *length_, *data_;
};

}  // namespace marshal::exchange
