#include "datatype/fragments.h"

#include <algorithm>
#include <cstring>

#include "base/attempt.h"
#include "base/thread_end.h"
#include "datatype/walk.h"

namespace marshal::datatype::detail {
namespace {

// Calls perform(begin, part) for each part of `range`; the packed bytes of the part stand at `begin`.
template <class Perform>
void for_each_part(std::byte* packed, PackedRange range, const Perform& perform) {
  for (std::int64_t from = range.from, to; from < range.to; from = to) {
    to = std::min(from + part_bytes, range.to);
    perform(packed + (from - range.from), PackedRange{from, to});
  }
}

// Not on the stack, which may be a coroutine's.
struct Stage {
  alignas(line) std::byte bytes[part_bytes];
};
thread_local constinit Stage* own_stage [[gnu::tls_model("initial-exec")]] = nullptr;

}  // namespace

void pack_in_parts(const Program* program, const Instances& instances, std::byte* packed, PackedRange range) {
  for_each_part(packed, range, [&](std::byte* begin, PackedRange part) {
    ask_for_lines_to_write(begin, part.to - part.from);
    move_range<false>(program, instances, begin, part);
  });
}

void pack_staged(const Program* program, const Instances& instances, std::byte* packed, PackedRange range) {
  Stage* const stage = of_this_thread(own_stage);
  if (stage == nullptr) return pack_in_parts(program, instances, packed, range);
  for_each_part(packed, range, [&](std::byte* begin, PackedRange part) {
    move_range<false>(program, instances, stage->bytes, part);
    std::memcpy(begin, stage->bytes, static_cast<std::size_t>(part.to - part.from));
  });
}

void unpack_in_parts(const Program* program, const Instances& instances, std::byte* packed, PackedRange range) {
  for_each_part(packed, range, [&](std::byte* begin, PackedRange part) {
    ask_for_lines_to_read(begin, part.to - part.from);
    move_range<true>(program, instances, begin, part);
  });
}

template <bool unpack>
void move_and_learn(const Instances& i, std::byte* packed, PackedRange range) {
  const bool moved = attempt([&] {
    if constexpr (unpack)
      i.plan.unpack_range(i.count, i.user, packed, range);
    else
      i.plan.pack_range(i.count, i.user, packed, range);
  });
  if (moved) return;
  // No memory for a better program: block by block needs none.
  if constexpr (unpack)
    reference_unpack(i.plan.pieces(), i.plan.extent(), i.count, i.user, packed, range);
  else
    reference_pack(i.plan.pieces(), i.plan.extent(), i.count, i.user, packed, range);
}
template void move_and_learn<false>(const Instances&, std::byte*, PackedRange);
template void move_and_learn<true>(const Instances&, std::byte*, PackedRange);

}  // namespace marshal::datatype::detail
