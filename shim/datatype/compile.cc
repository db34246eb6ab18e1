#include "datatype/compile.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <limits>

namespace marshal::datatype {
namespace {

constexpr std::int64_t cache_line = 64;
constexpr std::int64_t period_of_sets = 4096;  // addresses so far apart fall into one set of the first-level cache
constexpr std::int64_t any_number = std::numeric_limits<std::int64_t>::max();
constexpr std::size_t shortest_list = 5;        // pieces in a row that are a list, some of them short loops
constexpr std::int64_t shortest_loop = 64;      // up to so many blocks a loop among blocks is part of the list
constexpr std::size_t longest_rearranged = 64;  // blocks in a loop's body, each of which may be a step of its own
constexpr std::size_t longest_quickly = 8;      // the same in a program made quickly

// Rough cycles of a block copy of constant length: loads and stores of at most half a line.
double block_cycles(std::int64_t length) {
  double c = 0;
  while (length >= 32) {
    c += 1;
    length -= 32;
  }
  if (length == 0) return c;
  const bool power_of_two = (length & (length - 1)) == 0;
  return c + (power_of_two ? 1.0 : 1.6);
}

// True if the blocks are short and all fall into one set of the first-level cache, which holds far fewer of them.
bool is_crowded(const Dim& blocks, std::int64_t length) {
  constexpr std::int64_t many = 64, longest = 32;
  return length <= longest && blocks.user % period_of_sets == 0 && blocks.user != 0 && blocks.count >= many;
}

class Compiler {
 public:
  explicit Compiler(const CompileOptions& options) : options_(options) {}

  // True if no thorough search was made that could find a better program: for one instance, for many.
  bool draft_of_one() const { return draft_of_one_; }
  bool draft_of_many() const { return draft_of_one_ || draft_of_many_; }

  // Steps of a loop's body (or an instance's), which is repeated so.
  std::vector<Step> body(const Pieces& pieces, const Dim& repeats) {
    std::vector<Step> steps;
    std::int64_t packed = 0;
    bool rearranged = options_.strategy != Strategy::iovec && repeats.count > 1 && pieces.size() <= longest_rearranged;
    if (rearranged && pieces.size() > longest_quickly && !searches(repeats.count)) rearranged = false;
    for (std::size_t i = 0; i < pieces.size();) {
      std::size_t end = i;
      bool loops = false;
      while (end < pieces.size() && is_short(pieces[end])) loops |= pieces[end++].is_loop();
      if (end - i >= (loops ? shortest_list : 2) && !rearranged) {
        packed += list(steps, pieces, i, end, packed);
        i = end;
        continue;
      }
      if (rearranged && options_.strategy == Strategy::automatic) {
        if (const std::size_t taken = fields(steps, pieces, i, packed); taken > 0) {
          for (const std::size_t stop = i + taken; i < stop; ++i) packed += packed_size(pieces[i]);
          continue;
        }
      }
      steps.push_back(piece(pieces[i], packed, repeats));
      packed += packed_size(pieces[i]);
      ++i;
    }
    return steps;
  }

  // A loop over pieces. The count is 0 where it is only known when the program runs.
  Step loop(const Pieces& pieces, const Dim& dim) {
    Step s;
    s.kind = Step::Kind::loop;
    s.loop = dim;
    Dim repeats = dim;
    if (repeats.count == 0) repeats.count = any_number;
    s.body = body(pieces, repeats);
    s.segment = segment(pieces, dim, s.body);
    if (options_.strategy == Strategy::automatic && s.body.size() <= longest_rearranged &&
        may_be_shuffled(pieces, dim.user, repeats.count) && searches(repeats.count)) {
      double cycles = 0;
      for (const auto& p : pieces) cycles += piece_cycles(p);
      s.shuffle = cheapest_shuffle(pieces, dim.user, repeats.count, 0.9 * cycles);
    }
    return s;
  }

 private:
  static double piece_cycles(const Piece& p) {
    double one = 0;
    if (p.body.empty())
      one = block_cycles(p.length);
    else
      for (const auto& b : p.body) one += piece_cycles(b);
    return one * static_cast<double>(p.count);
  }

  Step piece(const Piece& p, std::int64_t packed, const Dim& repeats) {
    Step s;
    // Perfectly nested loops over a block become one step with dimensions; everything else becomes a loop.
    const Piece* at = &p;
    std::int64_t user = p.disp;
    std::int64_t unit = packed_size(p);
    while (at->is_loop() && s.dim_count < Step::most_dims) {
      unit /= at->count;
      s.dims[s.dim_count++] = {at->count, at->stride, unit};
      if (at->body.size() != 1) break;
      at = &at->body.front();
      user += at->disp;
    }
    const bool perfect = at->body.empty() && (at->is_loop() ? s.dims[s.dim_count - 1].packed == at->length : true);
    if (!perfect) {
      Step l = loop(p.body.empty() ? Pieces{Piece{0, p.length, 1, 0, {}}} : p.body,
                    {p.count, p.stride, packed_size(p) / p.count});
      l.user = p.disp;
      l.packed = packed;
      return l;
    }
    s.user = user;
    s.packed = packed;
    s.length = at->length;
    s.repeats_inside = options_.strategy == Strategy::mars;
    const Dim& innermost = s.dim_count == 0 || s.repeats_inside ? repeats : s.dims[s.dim_count - 1];
    s.rows = !is_crowded(innermost, s.length) && is_far(p, *at) ? options_.kernels->loops(s.length).far_rows
                                                                : rows_kernel(*options_.kernels, innermost, s.length);
    if (s.dim_count > 0 && options_.strategy == Strategy::automatic) return nest(std::move(s), repeats.user);
    return s;
  }

  // True if each block has to be fetched anew: the first-level cache has too few lines to still hold it from the last
  // time, and it lies too far from its neighbour to come in with it.
  static bool is_far(const Piece& nest, const Piece& innermost) {
    constexpr std::int64_t lines_of_cache = 1024, apart = 4 * cache_line;
    return std::abs(innermost.stride) >= apart && block_count(nest) > lines_of_cache;
  }

  // The best order for perfectly nested loops over a block.
  Step nest(Step s, std::int64_t enclosing_stride) {
    const Transpose transpose = s.length == 4    ? options_.kernels->transpose4
                                : s.length == 8  ? options_.kernels->transpose8
                                : s.length == 16 ? options_.kernels->transpose16
                                                 : nullptr;
    const std::size_t last = s.dim_count - 1;
    if (transpose != nullptr) {
      if (enclosing_stride == s.length) {
        s.kind = Step::Kind::transpose;
        s.transpose = transpose;
        s.repeats_inside = true;
        return s;
      }
      for (std::size_t d = 0; d < last; ++d) {
        if (s.dims[d].user != s.length) continue;
        std::rotate(s.dims.begin() + static_cast<std::ptrdiff_t>(d),
                    s.dims.begin() + static_cast<std::ptrdiff_t>(d) + 1,
                    s.dims.begin() + static_cast<std::ptrdiff_t>(last));
        s.kind = Step::Kind::transpose;
        s.transpose = transpose;
        return s;
      }
    }
    const Dim& inner = s.dims[last];
    const Pieces one = block(0, s.length);
    if (may_be_shuffled(one, inner.user, inner.count) && searches(inner.count)) {
      ShufflePair shuffle = cheapest_shuffle(one, inner.user, inner.count, 0.9 * block_cycles(s.length));
      if (pays(shuffle.pack_instances, inner.count) || pays(shuffle.unpack_instances, inner.count))
        return shuffled_nest(std::move(s), std::move(shuffle));
    }
    return s;
  }

  bool may_be_shuffled(const Pieces& body, std::int64_t stride, std::int64_t count) const {
    return options_.kernels->shuffled != nullptr && count >= least_shuffled_units && may_shuffle(body, stride);
  }

  // Says whether to search thoroughly now for a loop of so many repetitions. If not, the program is marked as a draft.
  bool searches(std::int64_t repetitions) {
    const bool of_instances = repetitions == any_number;
    if (options_.search == Search::of_many || (options_.search == Search::of_one && !of_instances)) return true;
    (of_instances ? draft_of_many_ : draft_of_one_) = true;
    return false;
  }

  static bool pays(std::int64_t unit, std::int64_t count) { return unit > 0 && count >= least_shuffled_units * unit; }

  // The innermost dimension as a loop of byte permutations, the others as loops around it.
  Step shuffled_nest(Step s, ShufflePair shuffle) {
    Step row;
    row.kind = Step::Kind::loop;
    row.loop = s.dims[s.dim_count - 1];
    row.segment = row.loop.count;
    row.shuffle = std::move(shuffle);
    Step one;
    one.length = s.length;
    one.rows = s.rows;
    row.body.push_back(std::move(one));
    for (std::size_t d = s.dim_count - 1; d-- > 0;) {
      Step outer;
      outer.kind = Step::Kind::loop;
      outer.loop = s.dims[d];
      outer.segment = outer.loop.count;
      outer.body.push_back(std::move(row));
      row = std::move(outer);
    }
    row.user = s.user;
    row.packed = s.packed;
    return row;
  }

  // One step for two to four blocks of one length, single ones or of one short loop; returns how many pieces.
  std::size_t fields(std::vector<Step>& steps, const Pieces& pieces, std::size_t i, std::int64_t packed) const {
    constexpr std::int64_t most = 4;
    Step s;
    s.length = pieces[i].length;
    std::int64_t blocks = 0;
    std::size_t end = i;
    while (end < pieces.size() && pieces[end].body.empty() && pieces[end].length == s.length &&
           blocks + pieces[end].count <= most) {
      const Piece& p = pieces[end++];
      for (std::int64_t k = 0; k < p.count; ++k) s.field_places.user[blocks++] = p.disp + k * p.stride;
    }
    s.fields_kernel = options_.kernels->fields(static_cast<std::size_t>(blocks), s.length);
    if (s.fields_kernel.gather == nullptr) return 0;
    s.kind = Step::Kind::fields;
    s.packed = packed;
    steps.push_back(std::move(s));
    return end - i;
  }

  // Loops that arose by chance in a list are better copied as part of it.
  static bool is_short(const Piece& p) { return !p.is_loop() || block_count(p) <= shortest_loop; }

  // Returns the packed bytes of the list.
  std::int64_t list(std::vector<Step>& steps, const Pieces& pieces, std::size_t from, std::size_t end,
                    std::int64_t packed) {
    const std::span<const Piece> some = std::span(pieces).subspan(from, end - from);
    const bool plain = std::ranges::none_of(some, &Piece::is_loop);
    const ListSteps made =
        append_list_steps(steps, plain ? some : blocks_of({some.begin(), some.end()}), packed, options_);
    draft_of_one_ = draft_of_one_ || made.are_draft;
    return made.size;
  }

  // The iterations of a segment: as many as touch half a first-level cache together, fewer if they fall into the same
  // sets.
  std::int64_t segment(const Pieces& pieces, const Dim& dim, const std::vector<Step>& steps) const {
    constexpr std::int64_t everything = std::numeric_limits<std::int32_t>::max();
    const std::int64_t size = std::max<std::int64_t>(dim.packed, 1);
    if (options_.strategy == Strategy::iovec) return steps.size() == 1 ? everything : 1;
    switch (options_.segment.unit) {
      case Segment::Unit::iterations:
        return std::max<std::int64_t>(options_.segment.value, 1);
      case Segment::Unit::bytes:
        return std::max<std::int64_t>(options_.segment.value / size, 1);
      case Segment::Unit::automatic:
        break;
    }
    if (steps.size() == 1) {
      const Step& s = steps.front();
      return s.kind == Step::Kind::rows && s.repeats_inside && s.dim_count > 0 ? 32 : everything;
    }
    std::int64_t lines = 0;
    for (const auto& p : pieces)
      lines += p.count * (p.body.empty() ? (p.length + cache_line - 1) / cache_line : block_count(p.body));
    const Span span = touched(pieces);
    const std::int64_t footprint = std::max(size, std::min(lines * cache_line, span.end - span.first + cache_line));
    std::int64_t s = std::clamp<std::int64_t>(options_.segment_bytes / footprint, 1, 512);
    const std::int64_t stride = std::abs(dim.user);
    if (stride >= period_of_sets && stride % period_of_sets == 0) s = std::min<std::int64_t>(s, 8);
    return s;
  }

  const CompileOptions& options_;
  bool draft_of_one_ = false, draft_of_many_ = false;
};

// The direct form of a loop whose body is one step of rows, if rows and iterations make at most two dimensions. A
// single iteration leaves room for one more.
DirectRows direct_rows(const Step& loop) {
  const bool once = loop.loop.count == 1;
  const Step& s = loop.body.front();
  DirectRows direct;
  if (loop.body.size() != 1 || s.kind != Step::Kind::rows || s.dim_count > (once ? 2 : 1)) return direct;
  if (s.repeats_inside && s.dim_count > 0 && !once) return direct;  // in segments
  direct.rows = s.rows;
  direct.user = s.user;
  direct.length = s.length;
  if (s.dim_count > 0) direct.inner = s.dims[s.dim_count - 1];
  if (s.dim_count > 1) direct.outer = s.dims[0];
  if (!once) {
    direct.instances_inside = s.dim_count == 0;
    (direct.instances_inside ? direct.inner : direct.outer) = {1, loop.loop.user, loop.loop.packed};
  }
  const auto most = [](std::int64_t unit) { return unit > 0 ? least_shuffled_units * unit - 1 : any_number; };
  direct.most_instances[0] = most(loop.shuffle.pack_instances);
  direct.most_instances[1] = most(loop.shuffle.unpack_instances);
  return direct;
}

bool transposes(const Step& s) {
  return s.kind == Step::Kind::transpose || std::any_of(s.body.begin(), s.body.end(), transposes);
}

}  // namespace

CopyRows rows_kernel(const Kernels& kernels, const Dim& blocks, std::int64_t length) {
  const BlockLoops loops = kernels.loops(length);
  return is_crowded(blocks, length) ? loops.crowded_rows : loops.rows;
}

Program program_of_step(Step step, std::int64_t size, std::int64_t extent) {
  Program program;
  program.size = size;
  program.extent = extent;
  program.stream_from = Tuning{}.stream_bytes;
  program.kernels = &best_kernels();
  program.instances.kind = Step::Kind::loop;
  program.instances.loop = {0, extent, size};
  program.instances.segment = std::numeric_limits<std::int32_t>::max();
  program.instances.body.push_back(std::move(step));
  program.direct = direct_rows(program.instances);
  program.direct_once = program.direct;
  return program;
}

Program compiled(const Pieces& pieces, std::int64_t extent, const CompileOptions& options) {
  Program program;
  program.size = packed_size(pieces);
  program.extent = extent;
  program.stream_from = options.stream_bytes;
  program.kernels = options.kernels;
  if (pieces.size() == 1 && !pieces.front().is_loop()) {
    program.contiguous_up_to = pieces.front().length == extent ? any_number : 1;
    program.first = pieces.front().disp;
  }
  Compiler of_many(options), of_one(options);
  program.instances = of_many.loop(pieces, {0, extent, program.size});
  const std::size_t rearranged = options.search == Search::of_many ? longest_rearranged : longest_quickly;
  if (options.strategy != Strategy::iovec && pieces.size() <= rearranged)
    program.once = of_one.loop(pieces, {1, 0, program.size});
  program.draft_of_one = (program.once ? of_one : of_many).draft_of_one();
  program.draft_of_many = of_many.draft_of_many();
  program.transposes = transposes(program.instances) || (program.once && transposes(*program.once));
  program.direct = direct_rows(program.instances);
  program.direct_once = direct_rows(program.once ? *program.once : program.instances);
  return program;
}

}  // namespace marshal::datatype
