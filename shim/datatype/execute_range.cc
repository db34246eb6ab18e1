// Runs the part of a program that moves a range of the packed bytes. Whole repetitions go through the kernels of the
// whole pack, with moved pointers and smaller counts; the parts at the two ends of the range are copied block by block.
// The compiled program has all positions: nothing is compiled or allocated, and the start is found without a walk.
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>

#include "datatype/program.h"
#include "datatype/step_runner.h"

namespace marshal::datatype {
namespace {

// How often `unit` goes into n, neither of them negative. Units are mostly powers of two, else mostly small: a division
// of 64 bits may take as long as a few hundred bytes.
[[gnu::always_inline]] inline std::int64_t quotient(std::int64_t n, std::int64_t unit) {
  const auto dividend = static_cast<std::uint64_t>(n), divisor = static_cast<std::uint64_t>(unit);
  if ((divisor & (divisor - 1)) == 0) return n >> std::countr_zero(divisor);
  if ((dividend | divisor) >> 32 == 0)
    return static_cast<std::uint32_t>(dividend) / static_cast<std::uint32_t>(divisor);
  return n / unit;
}

// Splits a range of repetitions of `unit` packed bytes. Calls part(i, range) for each repetition that the range cuts,
// and whole(first, count) for the repetitions between.
template <class Part, class Whole>
inline void divide(PackedRange range, std::int64_t unit, Part part, Whole whole) {
  std::int64_t first = quotient(range.from, unit);
  const std::int64_t end = quotient(range.to, unit);
  if (const std::int64_t within = range.from - first * unit; within > 0) {
    part(first, PackedRange{within, std::min(unit, range.to - first * unit)});
    if (++first > end) return;
  }
  if (first < end) whole(first, end - first);
  if (range.to > end * unit) part(end, PackedRange{0, range.to - end * unit});
}

// The kernels that copy blocks in several dimensions.
struct BlockKernels {
  std::int64_t length;
  CopyRows rows;
  Transpose transpose = nullptr;
};

// Positions are packed bytes from the start of the step, loop or row in question, where `packed` points.
template <class Way>
class RangeRunner {
 public:
  using User = typename Way::User;
  using Packed = typename Way::Packed;

  explicit RangeRunner(const Kernels& kernels) : kernels_(kernels), whole_(kernels) {}

  // One iteration of `size` packed bytes.
  void iteration(const std::vector<Step>& body, std::int64_t size, User user, Packed packed, PackedRange range) const {
    const auto begins_after = [](std::int64_t at, const Step& s) { return at < s.packed; };
    auto step = std::upper_bound(body.begin(), body.end(), range.from, begins_after) - 1;
    for (; step != body.end() && step->packed < range.to; ++step) {
      const std::int64_t begin = step->packed, end = step + 1 == body.end() ? size : (step + 1)->packed;
      const PackedRange inside{std::max(range.from, begin) - begin, std::min(range.to, end) - begin};
      if (inside.to - inside.from == end - begin && !is_made_for_many(*step))
        whole_.run(*step, user, packed, {1, 0, 0});
      else
        part(*step, end - begin, user + step->user, packed + begin, inside);
    }
  }

  // So many iterations of a loop. `once` is the body for a single one of them.
  void loop(const Step& s, std::int64_t count, const std::vector<Step>& once, User user, Packed packed,
            PackedRange range) const {
    const Dim& repeats = s.loop;
    if (const Step& first = s.body.front(); s.body.size() == 1 && is_made_for_many(first) && first.dim_count == 1)
      return columns({first.length, first.rows, first.transpose}, {count, repeats.user, repeats.packed}, first.dims[0],
                     user + first.user, packed + first.packed, range);
    // Mostly an iteration is a single block.
    const Step* const block = once.size() == 1 && is_block(once.front()) ? &once.front() : nullptr;
    divide(
        range, repeats.packed,
        [&](std::int64_t i, PackedRange inside) {
          const User user_at = user + i * repeats.user;
          const Packed packed_at = packed + i * repeats.packed;
          if (block == nullptr) return iteration(once, repeats.packed, user_at, packed_at, inside);
          Way::copy(kernels_, user_at + block->user + inside.from, packed_at + inside.from, inside.to - inside.from);
        },
        [&](std::int64_t i, std::int64_t whole) {
          whole_.loop(s, user + i * repeats.user, packed + i * repeats.packed, whole);
        });
  }

  // Blocks in a row.
  void row(const BlockKernels& by, const Dim& d, User user, Packed packed, PackedRange range) const {
    divide(
        range, d.packed,
        [&](std::int64_t i, PackedRange inside) {
          Way::copy(kernels_, user + i * d.user + inside.from, packed + i * d.packed + inside.from,
                    inside.to - inside.from);
        },
        [&](std::int64_t first, std::int64_t count) {
          Way::copy_rows(by.rows, user + first * d.user, packed + first * d.packed,
                         Way::rows(Dim{count, d.user, d.packed}), {1, 0, 0}, by.length);
        });
  }

  // Blocks in so many dimensions, the outermost first.
  void rows(const BlockKernels& by, const Dim* dims, std::size_t dim_count, User user, Packed packed,
            PackedRange range) const {
    if (dim_count == 0) return Way::copy(kernels_, user + range.from, packed + range.from, range.to - range.from);
    if (dim_count == 1) return row(by, *dims, user, packed, range);
    if (dim_count == 2 && by.transpose != nullptr && dims->user == by.length)
      return columns(by, dims[0], dims[1], user, packed, range);
    const Dim d = *dims;
    divide(
        range, d.packed,
        [&](std::int64_t i, PackedRange inside) {
          rows(by, dims + 1, dim_count - 1, user + i * d.user, packed + i * d.packed, inside);
        },
        [&](std::int64_t first, std::int64_t count) {
          whole_rows(by, {count, d.user, d.packed}, dims + 1, dim_count - 1, user + first * d.user,
                     packed + first * d.packed);
        });
  }

 private:
  // A matrix whose packed rows are the columns of the user's memory. A range of it is a rectangle of whole rows, with a
  // part of a row before and after it. Columns that two or all three of these have in common are moved in one go: each
  // line of the user's memory is touched once, not once for each row.
  void columns(const BlockKernels& by, const Dim& i, const Dim& j, User user, Packed packed, PackedRange range) const {
    const std::int64_t length = by.length, in_element = length - 1;
    if (const std::int64_t cut = range.from & in_element; cut > 0) {
      const std::int64_t end = std::min(range.from - cut + length, range.to);
      element_part(by, i, j, user, packed, {range.from, end});
      if (end == range.to) return;
      range.from = end;
    }
    if (const std::int64_t cut = range.to & in_element; cut > 0) {
      element_part(by, i, j, user, packed, {range.to - cut, range.to});
      range.to -= cut;
    }
    const std::int64_t first = quotient(range.from, i.packed), end = quotient(range.to, i.packed);
    const std::int64_t first_column = (range.from - first * i.packed) / length;
    const std::int64_t end_column = (range.to - end * i.packed) / length;
    const auto rectangle = [&](std::int64_t row, std::int64_t row_end, std::int64_t column, std::int64_t column_end) {
      if (row >= row_end || column >= column_end) return;
      Way::transpose(by.transpose, user + row * i.user + column * j.user, packed + row * i.packed + column * length,
                     {row_end - row, i.user, i.packed}, {column_end - column, j.user, length});
    };
    rectangle(first + 1, end + 1, 0, std::min(first_column, end_column));
    rectangle(first, end + 1, first_column, end_column);
    rectangle(first + 1, end, end_column, first_column);
    rectangle(first, end, std::max(first_column, end_column), j.count);
  }

  // Less than an element of such a matrix.
  void element_part(const BlockKernels& by, const Dim& i, const Dim& j, User user, Packed packed,
                    PackedRange range) const {
    const std::int64_t row = quotient(range.from, i.packed), in_row = range.from - row * i.packed;
    const std::int64_t column = in_row / by.length;
    Way::copy(kernels_, user + row * i.user + column * j.user + (in_row - column * by.length), packed + range.from,
              range.to - range.from);
  }

  static bool is_block(const Step& s) { return s.kind == Step::Kind::rows && s.dim_count == 0; }

  // Transposes whose other dimension is the repetitions of the loop around them.
  static bool is_made_for_many(const Step& s) { return s.kind == Step::Kind::transpose && s.repeats_inside; }

  // A transpose's last dimension but one may have been taken from further out.
  static std::array<Dim, Step::most_dims> in_pack_order(const Step& s) {
    std::array<Dim, Step::most_dims> dims = s.dims;
    if (s.dim_count < 3) return dims;
    const auto moved = dims.begin() + static_cast<std::ptrdiff_t>(s.dim_count) - 2;
    std::rotate(std::find_if(dims.begin(), moved, [&](const Dim& d) { return d.packed < moved->packed; }), moved,
                moved + 1);
    return dims;
  }

  void part(const Step& s, std::int64_t size, User user, Packed packed, PackedRange range) const {
    switch (s.kind) {
      case Step::Kind::rows:
        return rows({s.length, s.rows}, s.dims.data(), s.dim_count, user, packed, range);
      case Step::Kind::transpose: {
        const std::array<Dim, Step::most_dims> dims = in_pack_order(s);
        return rows({s.length, s.rows, s.transpose}, dims.data(), s.dim_count, user, packed, range);
      }
      case Step::Kind::fields:
        return fields(s, user, packed, range);
      case Step::Kind::list:
        return list(s, user, packed, range);
      case Step::Kind::ragged:
        return ragged(s, size, user, packed, range);
      case Step::Kind::bins:
        return bins(s, size, user, packed, range);
      case Step::Kind::loop:
        return loop(s, s.loop.count, s.body, user, packed, range);
    }
  }

  void whole_rows(const BlockKernels& by, const Dim& outer, const Dim* inner, std::size_t inner_count, User user,
                  Packed packed) const {
    if (by.transpose != nullptr) return transpose(by, outer, inner, inner_count, user, packed);
    if (inner_count == 1) return Way::copy_rows(by.rows, user, packed, Way::rows(*inner), Way::rows(outer), by.length);
    const Rows last = Way::rows(inner[inner_count - 1]), before = Way::rows(inner[inner_count - 2]);
    for (std::int64_t i = 0; i < outer.count; ++i)
      whole_.nest(inner, inner_count - 2, user + i * outer.user, packed + i * outer.packed,
                  [&](User u, Packed p) { Way::copy_rows(by.rows, u, p, last, before, by.length); });
  }

  // The last dimension is next to each other when packed; another one, in the user's memory, if it is among these.
  void transpose(const BlockKernels& by, const Dim& outer, const Dim* inner, std::size_t inner_count, User user,
                 Packed packed) const {
    std::array<Dim, Step::most_dims> dims{outer};
    std::copy_n(inner, inner_count - 1, dims.begin() + 1);
    const auto end = dims.begin() + static_cast<std::ptrdiff_t>(inner_count);
    const Dim& last = inner[inner_count - 1];
    const auto adjacent = std::find_if(dims.begin(), end, [&](const Dim& d) { return d.user == by.length; });
    const bool found = adjacent != end;
    const Dim i = found ? *adjacent : *(end - 1);
    if (found) std::copy(adjacent + 1, end, adjacent);
    whole_.nest(dims.data(), inner_count - 1, user, packed, [&](User u, Packed p) {
      if (found)
        Way::transpose(by.transpose, u, p, i, last);
      else
        Way::copy_rows(by.rows, u, p, Way::rows(last), Way::rows(i), by.length);
    });
  }

  void fields(const Step& s, User user, Packed packed, PackedRange range) const {
    const auto part_of = [&](std::int64_t i, PackedRange inside) {
      Way::copy(kernels_, user + s.field_places.user[i] + inside.from, packed + i * s.length + inside.from,
                inside.to - inside.from);
    };
    divide(range, s.length, part_of, [&](std::int64_t first, std::int64_t count) {
      for (std::int64_t i = first; i < first + count; ++i) part_of(i, {0, s.length});
    });
  }

  void list(const Step& s, User user, Packed packed, PackedRange range) const {
    divide(
        range, s.length,
        [&](std::int64_t i, PackedRange inside) {
          Way::copy(kernels_, user + s.offsets[static_cast<std::size_t>(i)] + inside.from,
                    packed + i * s.length + inside.from, inside.to - inside.from);
        },
        [&](std::int64_t first, std::int64_t count) { Way::list(s, user, packed + first * s.length, first, count); });
  }

  void ragged(const Step& s, std::int64_t size, User user, Packed packed, PackedRange range) const {
    const std::int32_t* begins = s.packed_offsets.data();
    const auto blocks = static_cast<std::int64_t>(s.offsets.size());
    const auto end_of = [&](std::int64_t i) { return i + 1 < blocks ? begins[i + 1] : size; };
    const auto copy_part = [&](std::int64_t i) {
      const std::int64_t from = std::max<std::int64_t>(range.from, begins[i]), to = std::min(range.to, end_of(i));
      Way::copy(kernels_, user + s.offsets[static_cast<std::size_t>(i)] + (from - begins[i]), packed + from, to - from);
    };
    const auto block_of = [&](std::int64_t at) {
      return (s.marks.empty() ? count_below(begins, blocks, at + 1) : s.marks.below(begins, at + 1)) - 1;
    };
    // Both ends before anything is copied: so the processor looks for both at once.
    const std::int64_t first = block_of(range.from), end = range.to == size ? blocks : block_of(range.to);
    const std::int64_t first_whole = begins[first] < range.from ? first + 1 : first;
    if (first_whole > end) return copy_part(first);
    if (first_whole < end)
      Way::ragged(kernels_, user, packed + begins[first_whole],
                  {s.offsets.data() + first_whole, s.lengths.data() + first_whole, end - first_whole});
    if (first < first_whole) copy_part(first);
    if (end < blocks && begins[end] < range.to) copy_part(end);
  }

  // Each bin's blocks are in pack order.
  void bins(const Step& s, std::int64_t size, User user, Packed packed, PackedRange range) const {
    for (const Step::Bin& bin : s.bins) {
      const std::int32_t *begins = s.packed_offsets.data() + bin.first, *offsets = s.offsets.data() + bin.first;
      const auto blocks = static_cast<std::int64_t>(bin.count);
      const std::int64_t first = range.from == 0 ? 0 : count_below(begins, blocks, range.from);
      const std::int64_t end = range.to == size ? blocks : count_below(begins, blocks, range.to - bin.length + 1);
      if (first < end) Way::pairs(bin.copy, user, packed, offsets + first, begins + first, end - first, bin.length);
      const auto copy_part = [&](std::int64_t i) {
        const std::int64_t from = std::max<std::int64_t>(range.from, begins[i]);
        const std::int64_t to = std::min(range.to, begins[i] + bin.length);
        if (from < to) Way::copy(kernels_, user + offsets[i] + (from - begins[i]), packed + from, to - from);
      };
      if (first > 0) copy_part(first - 1);
      if (end < blocks && end >= first) copy_part(end);
    }
  }

  const Kernels& kernels_;
  const Runner<Way> whole_;
};

void run_whole(const Program& program, std::int64_t count, const std::byte* user, std::byte* packed) {
  run_pack(program, count, user, packed);
}
void run_whole(const Program& program, std::int64_t count, std::byte* user, const std::byte* packed) {
  run_unpack(program, count, user, packed);
}

template <class Way>
inline void run_range(const Program& program, std::int64_t count, typename Way::User user, typename Way::Packed packed,
                      PackedRange range) {
  if (range.from >= range.to) return;
  if (range.from == 0 && range.to == count * program.size) return run_whole(program, count, user, packed);
  packed -= range.from;
  if (program.is_contiguous(count))
    return Way::copy(*program.kernels, user + program.first + range.from, packed + range.from, range.to - range.from);
  const RangeRunner<Way> runner(*program.kernels);
  const DirectRows& direct = count == 1 ? program.direct_once : program.direct;
  const std::int64_t most = direct.most_instances[Way::index], bytes = range.to - range.from;
  if (direct.rows != nullptr && (bytes < most || quotient(bytes, program.size) < most)) {
    const BlockKernels by{direct.length, direct.rows};
    if (direct.outer.count == 1 && (direct.instances_inside || count == 1))
      return runner.row(by, direct.inner, user + direct.user, packed, range);
    std::array<Dim, 2> dims{direct.outer, direct.inner};
    dims[direct.instances_inside ? 1 : 0].count *= count;
    return runner.rows(by, dims.data(), dims.size(), user + direct.user, packed, range);
  }
  const std::vector<Step>& once = program.loop_for(1).body;
  if (count == 1) return runner.iteration(once, program.size, user, packed, range);
  runner.loop(program.instances, count, once, user, packed, range);
}

}  // namespace

void run_pack_range(const Program& program, std::int64_t count, const std::byte* user, std::byte* packed,
                    PackedRange range) {
  run_range<Pack>(program, count, user, packed, range);
}

void run_unpack_range(const Program& program, std::int64_t count, std::byte* user, const std::byte* packed,
                      PackedRange range) {
  run_range<Unpack>(program, count, user, packed, range);
}

}  // namespace marshal::datatype
