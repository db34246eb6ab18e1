#include "datatype/first_program.h"

#include <utility>

#include "datatype/compile.h"
#include "datatype/tuning.h"

namespace marshal::datatype {
namespace {

std::unique_ptr<const FirstProgram> with_step(Step step, std::int64_t size, std::int64_t extent, const Span& touched) {
  return std::make_unique<const FirstProgram>(FirstProgram{program_of_step(std::move(step), size, extent), touched});
}

// True if each displacement is between the first and the last one.
bool are_near(std::span<const std::int64_t> displacements) {
  const std::int64_t first = displacements.front(), last = displacements.back();
  bool near = true;
  for (const std::int64_t at : displacements) near &= at >= first && at <= last;
  return near;
}

// Offsets from the first block. False where the blocks are not in order.
bool list_of_one_length(const ListedBlocks& blocks, std::int64_t length, Step& step) {
  const std::size_t count = blocks.displacements.size();
  step.offsets.resize(count);
  std::int64_t end = step.user;
  bool in_order = true;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t disp = blocks.displacements[i] * blocks.unit;
    in_order &= disp >= end;
    end = disp + length;
    step.offsets[i] = static_cast<std::int32_t>(disp - step.user);
  }
  return in_order;
}

bool list_of_lengths(const ListedBlocks& blocks, Step& step, std::int64_t& size) {
  const std::size_t count = blocks.displacements.size();
  step.offsets.resize(count);
  step.lengths.resize(count);
  step.packed_offsets.resize(count);
  std::int64_t end = step.user;
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t length;
    const std::int64_t disp = blocks.displacements[i] * blocks.unit;
    if (__builtin_mul_overflow(blocks.lengths[i], blocks.element, &length) || length <= 0 ||
        length > Step::longest_offset || disp < end)
      return false;
    end = disp + length;
    step.offsets[i] = static_cast<std::int32_t>(disp - step.user);
    step.lengths[i] = static_cast<std::int32_t>(length);
    step.packed_offsets[i] = static_cast<std::int32_t>(size);
    size += length;
  }
  return true;
}

}  // namespace

std::unique_ptr<const FirstProgram> first_program_of_rows(std::int64_t count, std::int64_t length, std::int64_t stride,
                                                          std::int64_t extent) {
  std::int64_t reach;
  if (count < 2 || length <= 0 || stride <= length || __builtin_mul_overflow(count - 1, stride, &reach)) return nullptr;
  Step step;
  step.kind = Step::Kind::rows;
  step.length = length;
  step.dims[0] = {count, stride, length};
  step.dim_count = 1;
  step.rows = rows_kernel(best_kernels(), step.dims[0], length);
  return with_step(std::move(step), count * length, extent, {0, reach + length});
}

std::unique_ptr<const FirstProgram> first_program_of_list(const ListedBlocks& blocks, std::int64_t extent) {
  if (blocks.displacements.size() < 2 || blocks.lengths.empty()) return nullptr;
  std::int64_t first, last, length, end, reach;
  if (__builtin_mul_overflow(blocks.displacements.front(), blocks.unit, &first) ||
      __builtin_mul_overflow(blocks.displacements.back(), blocks.unit, &last) ||
      __builtin_mul_overflow(blocks.lengths.back(), blocks.element, &length) ||
      __builtin_add_overflow(last, length, &end) || __builtin_sub_overflow(end, first, &reach))
    return nullptr;
  if (length <= 0 || reach <= 0 || reach > Step::longest_offset || !are_near(blocks.displacements)) return nullptr;
  Step step;
  step.user = first;
  std::int64_t size = 0;
  if (blocks.lengths.size() == 1) {
    if (!list_of_one_length(blocks, length, step)) return nullptr;
    step.kind = Step::Kind::list;
    step.length = length;
    const BlockLoops loops = best_kernels().loops(length);
    step.gather = loops.gather;
    step.scatter = loops.scatter;
    size = static_cast<std::int64_t>(blocks.displacements.size()) * length;
  } else {
    if (!list_of_lengths(blocks, step, size)) return nullptr;
    step.kind = Step::Kind::ragged;
  }
  return with_step(std::move(step), size, extent, {first, end});
}

}  // namespace marshal::datatype
