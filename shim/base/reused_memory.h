// Memory for messages under way and for copies of buffers, used again and again, since fresh pages cost as much as
// packing into them. It has a bound. Thread safe.
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

namespace marshal {

class ReusedMemory {
 public:
  explicit ReusedMemory(std::size_t most_bytes) : most_(most_bytes) {}
  ReusedMemory(const ReusedMemory&) = delete;
  ReusedMemory& operator=(const ReusedMemory&) = delete;
  ~ReusedMemory();  // once all is given back

  static constexpr std::size_t alignment = 64;

  // `bytes`, not initialised; null where there is no room for them.
  void* take(std::size_t bytes);
  void give_back(void* memory);
  // Gives the memory that nobody has now to the system.
  void free_unused();

 private:
  struct Block;
  // Blocks have eighths of powers of two as sizes.
  static constexpr std::size_t size_count = 8 * 64;
  static std::size_t rounded(std::size_t bytes);
  static std::size_t number_of(std::size_t rounded);
  Block* make(std::size_t bytes);
  void free_one(Block*& first);

  std::mutex mutex_;
  std::array<Block*, size_count> free_{};
  std::size_t total_ = 0, most_;  // bytes of all blocks
};

}  // namespace marshal
