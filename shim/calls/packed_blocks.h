// The blocks that a collective call sends to its processes, or receives from them, in one packed buffer.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <memory_resource>
#include <vector>

#include "copies/gapped_buffer.h"

namespace marshal::calls {

// Of datatypes without gaps Marshal needs to know no more than this. The bytes of an instance if the type is a
// predefined one without gaps; else 0. Asks the host nothing about the type, which may be no datatype at all. Thread
// safe, after note_plain_types().
std::int64_t plain_size(MPI_Datatype type);

// True if the type is a predefined one without gaps, or the program has committed it: the host can be asked about it,
// and no error handler hears of that. Thread safe.
bool is_certainly_a_type(MPI_Datatype type);

// In MPI_Init. Throws std::bad_alloc.
void note_plain_types();

// False on Open MPI, which writes a message that is too long behind a block without gaps.
bool may_receive_blocks_packed();

// `Place`: int or MPI_Aint, as the call has displacements.
template <class Place>
class PackedBlocks {
 public:
  // Before all add()s. Throws std::bad_alloc.
  void reserve(std::size_t blocks);

  // In the order of the call, all sends or all receives. False where the host is to get all blocks as they are: this
  // one is neither gapped nor known to have no gaps. Throws std::bad_alloc.
  bool add(const ProgramBuffer& buffer, bool receives);

  // After all add()s. False where nothing is gained, since blocks that are worth packing have less than half of the
  // bytes, or where there is no memory. Throws std::bad_alloc.
  bool begin();

  void pack();
  void unpack();
  // Makes the trials of receives that are due (worth_packing.h).
  void learn() const noexcept;

  // The host gets these: a count, a place in bytes and a type for each block.
  std::byte* data() const { return copy_.data(); }
  const int* counts() const { return counts_.data(); }
  const Place* places() const { return places_.data(); }
  const MPI_Datatype* types() const { return types_.data(); }
  // In place of counts and types, where all blocks go as bytes.
  const int* byte_counts() const { return byte_counts_.data(); }

 private:
  struct Block {
    std::shared_ptr<const SharedLayout> layout;  // null where it has no gaps
    std::byte* user;                             // the first byte, where it has none
    std::int64_t count, bytes, place;
    MPI_Datatype received{};  // the program's type, of a receive with gaps
  };
  bool add_plain(const ProgramBuffer& buffer);
  void note(Block block, int elements, MPI_Datatype element, std::int64_t element_bytes);
  template <bool unpack>
  void move();

  // Most calls have few blocks, and need no memory for them.
  std::array<std::byte, 1024> room_;
  std::pmr::monotonic_buffer_resource memory_{room_.data(), room_.size()};
  std::pmr::vector<Block> blocks_{&memory_};
  std::pmr::vector<int> counts_{&memory_}, byte_counts_{&memory_};
  std::pmr::vector<Place> places_{&memory_};
  std::pmr::vector<MPI_Datatype> types_{&memory_};
  std::int64_t bytes_ = 0, bytes_worth_packing_ = 0;
  PackedCopy copy_;
};

extern template class PackedBlocks<int>;
extern template class PackedBlocks<MPI_Aint>;

}  // namespace marshal::calls
