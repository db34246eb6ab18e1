// The plan for packing one layout: its canonical form and its programs, shared by all types of that layout.
//
// The first program is made quickly. If a search may find a better one, the first program runs until it has taken about
// as long as a search takes; then the search runs. From then on, layouts whose instances join into longer blocks get a
// program for each count in use. Thread safe: programs are immutable and live as long as the plan.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "datatype/compile.h"
#include "datatype/layout.h"
#include "datatype/program.h"
#include "datatype/walk.h"

namespace marshal::datatype {

class Plan {
 public:
  Plan(Pieces pieces, std::int64_t extent, const CompileOptions& options = {});
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  std::int64_t size() const { return size_; }
  std::int64_t extent() const { return extent_; }
  std::int64_t blocks() const { return blocks_; }                      // of an instance
  std::int64_t mean_block() const { return mean_block_; }              // bytes
  bool stages_fragments() const { return options_.stages_fragments; }  // fragments.h
  Span touched() const { return touched_; }                            // by an instance
  const Pieces& pieces() const { return pieces_; }
  // True if an instance is one block.
  bool instance_is_one_block() const { return is_contiguous(pieces_); }
  // True if any number of instances is one block.
  bool is_one_block() const { return is_contiguous(pieces_) && extent_ == size_; }

  // All packed bytes of `count` instances; `user` is the address of displacement 0 of the first one.
  void pack(std::int64_t count, const std::byte* user, std::byte* packed) const {
    pack_range(count, user, packed, {0, count * size_});
  }
  void unpack(std::int64_t count, std::byte* user, const std::byte* packed) const {
    unpack_range(count, user, packed, {0, count * size_});
  }

  // Only the packed bytes of `range`, the first of which stands at `packed`: any part of a pack, as fast as all of it
  // from some kilobytes on. Nothing is compiled for it, nor allocated.
  void pack_range(std::int64_t count, const std::byte* user, std::byte* packed, PackedRange range) const;
  void unpack_range(std::int64_t count, std::byte* user, const std::byte* packed, PackedRange range) const;

  // True if the search for a better program is over, for a single instance or for several.
  bool is_settled(std::int64_t count) const {
    return bytes_until_search_[count > 1 ? 1 : 0].load(std::memory_order_relaxed) <= 0;
  }

  // The program that would run now for this count.
  const Program& program(std::int64_t count) const { return program(count, count * size_); }

  // The program for `count` instances if no better one is still to be searched for; else null.
  const Program* settled_program(std::int64_t count) const noexcept {
    return is_settled(count) && (!joins_ || count == 1) ? current_.load(std::memory_order_acquire) : nullptr;
  }

 private:
  struct Counted {
    std::int64_t count;
    Program program;
  };

  // The same if only so many bytes are about to be moved.
  const Program& program(std::int64_t count, std::int64_t bytes) const {
    const Program* made = settled_program(count);
    return made != nullptr ? *made : improved(count, bytes);
  }
  const Program& improved(std::int64_t count, std::int64_t bytes) const;
  const Program* program_of_whole(std::int64_t count) const;
  void search(bool of_many) const;

  const Pieces pieces_;
  const std::int64_t extent_, size_, blocks_, mean_block_;
  const Span touched_;
  CompileOptions options_;
  bool joins_;  // the last block of an instance touches the first of the next

  mutable std::atomic<const Program*> current_;
  mutable std::atomic<const Counted*> counted_{nullptr};                 // the one used last
  mutable std::array<std::atomic<std::int64_t>, 2> bytes_until_search_;  // of single instances, of several
  mutable std::mutex making_;
  mutable std::vector<std::unique_ptr<const Program>> programs_;
  mutable std::vector<std::unique_ptr<const Counted>> counted_programs_;
};

}  // namespace marshal::datatype
