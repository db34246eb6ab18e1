// Random views of a file, each with a model of its own: where in the file each byte of the view is.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "tests/unit/datatype/random_type.h"

namespace marshal::file_fuzz {

// Whose bytes the ranks see.
enum class Sharing { all_the_same, each_its_own };

class View {
 public:
  // The same choices on all ranks: `common` is at the same place of its numbers.
  View(datatype::testing::RandomType& common, int rank, int ranks, std::int64_t region) {
    const int kind = static_cast<int>(common.number(0, 6));
    MPI_Type_contiguous(static_cast<int>(common.number(1, 4)), common.number(0, 1) ? MPI_INT : MPI_DOUBLE, &etype_);
    if (common.number(0, 2) == 0)
      replace_etype(MPI_BYTE);
    else if (common.number(0, 1))
      replace_etype(common.number(0, 1) ? MPI_INT : MPI_DOUBLE);
    MPI_Type_commit(&etype_);
    MPI_Type_size(etype_, &etype_size_);
    const std::int64_t e = etype_size_, n = common.number(1, 40), holes = common.number(0, 3);
    displacement_ = common.number(0, 1) ? 0 : common.number(0, 100);
    switch (kind) {
      case 0:
      case 1:
        blocks_ = {{0, e}};
        extent_ = e;
        break;
      case 2:
        blocks_ = {{0, e}};
        extent_ = e;
        own(rank * (region - region % e));
        break;
      case 3:  // blocks of all ranks by turns
        blocks_ = {{0, n * e}};
        extent_ = (n * ranks + holes) * e;
        own(rank * n * e);
        break;
      case 4:  // rows of a matrix whose columns are the ranks', by a subarray
        subarray_ = true;
        rows_ = static_cast<int>(common.number(1, 5));
        columns_ = static_cast<int>(n);
        for (std::int64_t row = 0; row < rows_; ++row) blocks_.push_back({(row * ranks + rank) * n * e, n * e});
        extent_ = rows_ * ranks * n * e;
        own(0);
        break;
      default: {  // blocks of other lengths, with holes
        std::int64_t at = common.number(0, 3);
        for (std::int64_t i = 0, length; i < n; ++i, at += length + common.number(0, 4)) {
          length = common.number(1, 5);
          blocks_.push_back({at * e, length * e});
        }
        extent_ = (at + holes) * e;
        if (kind == 6) {
          own(rank * extent_);
          extent_ *= ranks;
        }
      }
    }
    for (const Block& block : blocks_) size_ += block.length;
    make(rank, ranks);
  }
  ~View() {
    MPI_Type_free(&filetype_);
    MPI_Type_free(&etype_);
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  int set(MPI_File file, const char* representation, MPI_Info info) const {
    return MPI_File_set_view(file, displacement_, etype_, filetype_, representation, info);
  }
  Sharing sharing() const { return sharing_; }
  int etype_size() const { return etype_size_; }

  // How many of `wanted` bytes from that byte of the view on are inside a file of `size` bytes.
  std::int64_t inside(std::int64_t from, std::int64_t wanted, std::int64_t size) const {
    std::int64_t least = 0, most = wanted;  // places rise along the view
    while (least < most) {
      const std::int64_t middle = least + (most - least + 1) / 2;
      if (place(from + middle - 1) < size)
        least = middle;
      else
        most = middle - 1;
    }
    return least;
  }

  // The byte of the file that is that byte of the view.
  std::int64_t place(std::int64_t byte) const {
    std::int64_t rest = byte % size_;
    for (const Block& block : blocks_) {
      if (rest < block.length) return displacement_ + byte / size_ * extent_ + block.offset + rest;
      rest -= block.length;
    }
    return -1;
  }

 private:
  struct Block {
    std::int64_t offset, length;  // bytes
  };

  void own(std::int64_t behind) {
    sharing_ = Sharing::each_its_own;
    displacement_ += behind;
  }
  void replace_etype(MPI_Datatype by) {
    MPI_Type_free(&etype_);
    MPI_Type_dup(by, &etype_);
  }

  void make(int rank, int ranks) {
    if (subarray_) {
      const int sizes[2] = {rows_, columns_ * ranks}, part[2] = {rows_, columns_}, start[2] = {0, columns_ * rank};
      MPI_Type_create_subarray(2, sizes, part, start, MPI_ORDER_C, etype_, &filetype_);
    } else {
      std::vector<int> lengths;
      std::vector<MPI_Aint> offsets;
      for (const Block& block : blocks_) {
        lengths.push_back(static_cast<int>(block.length / etype_size_));
        offsets.push_back(block.offset);
      }
      MPI_Datatype tight;
      MPI_Type_create_hindexed(static_cast<int>(lengths.size()), lengths.data(), offsets.data(), etype_, &tight);
      MPI_Type_create_resized(tight, 0, extent_, &filetype_);
      MPI_Type_free(&tight);
    }
    MPI_Type_commit(&filetype_);
  }

  MPI_Datatype etype_, filetype_;
  int etype_size_, rows_ = 0, columns_ = 0;
  bool subarray_ = false;
  Sharing sharing_ = Sharing::all_the_same;
  std::int64_t displacement_ = 0, extent_ = 0, size_ = 0;
  std::vector<Block> blocks_;
};

}  // namespace marshal::file_fuzz
