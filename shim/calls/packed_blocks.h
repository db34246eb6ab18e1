// The blocks that a collective call sends to its processes, or receives from them, in one packed buffer.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "copies/gapped_buffer.h"
#include "copies/packed_copy.h"

namespace marshal::calls {

class PackedBlocks {
 public:
  // In the order of the call. False where the host is to get all blocks as they are: this one is neither gapped nor
  // known to have no gaps. Throws std::bad_alloc.
  bool add(const ProgramBuffer& buffer);

  // After all add()s. False where nothing is gained: no block has gaps, or there is no memory. Throws std::bad_alloc.
  bool begin();

  void pack();
  void unpack();

  // The host gets these: a count and a place for each block. Places are in bytes, or in elements of their type.
  std::byte* data() const { return copy_.data(); }
  const int* counts() const { return counts_.data(); }
  const int* places() const { return places_.data(); }
  const MPI_Aint* wide_places() const { return wide_places_.data(); }
  const int* places_in_elements() const { return places_in_elements_.data(); }
  const MPI_Datatype* types() const { return types_.data(); }

 private:
  struct Block {
    std::shared_ptr<const SharedLayout> layout;  // null where it has no gaps
    std::byte* user;                             // the first byte, where it has none
    std::int64_t count, bytes, place;
  };
  bool add_plain(const ProgramBuffer& buffer);
  void note(Block block, int elements, MPI_Datatype element, std::int64_t element_bytes);
  template <bool unpack>
  void move();

  std::vector<Block> blocks_;
  std::vector<int> counts_, places_, places_in_elements_;
  std::vector<MPI_Aint> wide_places_;
  std::vector<MPI_Datatype> types_;
  std::int64_t bytes_ = 0, gapped_bytes_ = 0;
  PackedCopy copy_;
};

}  // namespace marshal::calls
