// Moves fragments of messages: ranges of packed bytes in memory that another core had last.
//
// There, short stores may wait for one line after the other. Two ways lead out of that, a part of the bytes at a time:
//
// * In place: the lines are prefetched for writing, then packed into. On two cores of an Intel Xeon, messages of 1 KiB
//   to 1 MiB took 6 to 10 % less time on average. Transposes took a fifth to a third less.
// * Staged: the part is packed into memory of this core, and copied in one go, which takes whole lines. Before short
//   blocks are unpacked, their lines are prefetched for reading. On two cores of an EPYC, messages of 4 to 128 KiB took
//   a quarter to a half less time; on the Xeon with MPICH they took a tenth more. Transposes need longer parts than
//   these.
//
// Between threads of one core it makes no difference. `marshal tune` measures which way is faster on a machine.
#pragma once

#include <cstddef>
#include <cstdint>

#include "datatype/plan.h"

namespace marshal::datatype {

// So many instances at `user`: their packed bytes are `size`.
struct Instances {
  const Plan& plan;
  std::int64_t count;
  std::byte* user;
  std::int64_t size;
};

namespace detail {

inline constexpr std::int64_t part_bytes = 8192, line = 64;
inline constexpr std::int64_t longest_block_in_parts = 4096;  // the copy of a longer one takes whole lines itself
inline constexpr std::int64_t longest_block_asked_for = 512;  // for longer ones the processor reads ahead in time
inline constexpr std::int64_t longest_transpose_asked_for = 32 * 1024;  // leaves room for the user's lines in the cache

void pack_in_parts(const Program* program, const Instances& instances, std::byte* packed, PackedRange range);
void pack_staged(const Program* program, const Instances& instances, std::byte* packed, PackedRange range);
void unpack_in_parts(const Program* program, const Instances& instances, std::byte* packed, PackedRange range);

// By the plan, which may search for a better program.
template <bool unpack>
void move_and_learn(const Instances& instances, std::byte* packed, PackedRange range);

inline void ask_for_lines_to_read(const std::byte* at, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; i += line) __builtin_prefetch(at + i);
}

// Compilers ask to read where they are not told that the processor knows better. Then the other core keeps a copy that
// each first store has to take away: messages took longer by a third than without asking.
inline void ask_for_lines_to_write(std::byte* at, std::int64_t bytes) {
  for (std::int64_t i = 0; i < bytes; i += line) {
#ifdef __x86_64__
    asm volatile("prefetchw %0" : : "m"(at[i]));
#else
    __builtin_prefetch(at + i, 1);
#endif
  }
}

}  // namespace detail

// Packs or unpacks the packed bytes of `range`, the first of which stands at `packed`, in memory of this core.
// `program` moves so many instances, or is null where the plan has to say. Small messages cost little else: what most
// of them need stands here, and few instructions are around the program. Never throws: where memory is short, the bytes
// are moved block by block.
template <bool unpack>
[[gnu::always_inline]] inline void move_range(const Program* program, const Instances& i, std::byte* packed,
                                              PackedRange range) {
  if (program == nullptr) [[unlikely]]
    return detail::move_and_learn<unpack>(i, packed, range);
  const bool whole = range.from == 0 && range.to == i.size;
  if constexpr (unpack) {
    if (whole)
      run_unpack(*program, i.count, i.user, packed);
    else
      run_unpack_range(*program, i.count, i.user, packed, range);
  } else {
    if (whole)
      run_pack(*program, i.count, i.user, packed);
    else
      run_pack_range(*program, i.count, i.user, packed, range);
  }
}

// The same in memory that another core had last.
template <bool unpack>
[[gnu::always_inline]] inline void move_fragment(const Instances& i, std::byte* packed, PackedRange range) {
  const Program* const program = i.plan.settled_program(i.count);
  const bool transposes = program != nullptr && program->transposes;
  const std::int64_t bytes = range.to - range.from, mean_block = i.plan.mean_block();
  if (i.plan.stages_fragments()) {
    if (transposes) return move_range<unpack>(program, i, packed, range);
    if (!unpack && mean_block <= detail::longest_block_in_parts) return detail::pack_staged(program, i, packed, range);
    if (unpack && mean_block <= detail::longest_block_asked_for) {
      if (bytes > detail::part_bytes) return detail::unpack_in_parts(program, i, packed, range);
      detail::ask_for_lines_to_read(packed, bytes);
    }
  } else if (!unpack && mean_block <= detail::longest_block_in_parts) {
    if (bytes > detail::part_bytes && !transposes) return detail::pack_in_parts(program, i, packed, range);
    if (bytes <= detail::longest_transpose_asked_for) detail::ask_for_lines_to_write(packed, bytes);
  }
  move_range<unpack>(program, i, packed, range);
}

}  // namespace marshal::datatype
