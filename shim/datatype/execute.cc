// Runs programs.
#include <algorithm>
#include <array>

#include "datatype/program.h"
#include "datatype/step_runner.h"

namespace marshal::datatype {
namespace {

// Packs a message that is larger than the caches, a few kilobytes at a time. Each part is packed into memory that stays
// in the first-level cache, and from there written past the caches: the lines of the destination need not be read.
// Steps that cannot be cut are packed as always.
class Streaming {
 public:
  explicit Streaming(const Kernels& kernels) : kernels_(kernels), runner_(kernels) {}

  void loop(const Step& s, const std::byte* user, std::byte* packed, std::int64_t count) {
    const Dim& dim = s.loop;
    if (std::any_of(s.body.begin(), s.body.end(), [](const Step& step) { return step.repeats_inside; }))
      return runner_.loop(s, user, packed, count);  // its iterations are one thing
    if (dim.packed <= stage_bytes) {
      in_stages(count, dim, user, packed,
                [&](const std::byte* u, std::int64_t n) { runner_.loop(s, u, stage_.data(), n); });
      return;
    }
    for (std::int64_t i = 0; i < count; ++i)
      for (const Step& step : s.body) run(step, user + i * dim.user, packed + i * dim.packed);
  }

 private:
  static constexpr std::int64_t stage_bytes = 4096;

  void run(const Step& s, const std::byte* user, std::byte* packed) {
    if (s.kind == Step::Kind::loop) return loop(s, user + s.user, packed + s.packed, s.loop.count);
    if (s.kind == Step::Kind::rows) return rows(s, 0, user + s.user, packed + s.packed);
    if (s.kind == Step::Kind::list && s.length <= stage_bytes) return list(s, user + s.user, packed + s.packed);
    runner_.run(s, user, packed, {1, 0, 0});
  }

  void rows(const Step& s, std::size_t d, const std::byte* user, std::byte* packed) {
    if (d == s.dim_count) return kernels_.stream(packed, user, s.length);
    const Dim& dim = s.dims[d];
    if (dim.packed <= stage_bytes) {
      in_stages(dim.count, dim, user, packed,
                [&](const std::byte* u, std::int64_t n) { some_rows(s, d, n, u, stage_.data()); });
      return;
    }
    for (std::int64_t i = 0; i < dim.count; ++i) rows(s, d + 1, user + i * dim.user, packed + i * dim.packed);
  }

  static void some_rows(const Step& s, std::size_t d, std::int64_t count, const std::byte* user, std::byte* to) {
    const Rows outer{count, s.dims[d].packed, s.dims[d].user};
    constexpr Rows once{1, 0, 0};
    if (d + 1 == s.dim_count) return s.rows(to, user, outer, once, s.length);
    if (d + 2 == s.dim_count) return s.rows(to, user, Pack::rows(s.dims[d + 1]), outer, s.length);
    for (std::int64_t i = 0; i < count; ++i)
      some_rows(s, d + 1, s.dims[d + 1].count, user + i * outer.from, to + i * outer.to);
  }

  void list(const Step& s, const std::byte* user, std::byte* packed) {
    const std::int32_t* offsets = s.offsets.data();
    in_stages(static_cast<std::int64_t>(s.offsets.size()), {0, 0, s.length}, user, packed,
              [&](const std::byte* u, std::int64_t n) {
                s.gather(stage_.data(), u, offsets, n, s.length);
                offsets += n;
              });
  }

  template <class Fill>
  void in_stages(std::int64_t count, const Dim& dim, const std::byte* user, std::byte* packed, Fill fill) {
    const std::int64_t most = stage_bytes / dim.packed;
    for (std::int64_t i = 0; i < count; i += most) {
      const std::int64_t n = std::min(most, count - i);
      fill(user + i * dim.user, n);
      kernels_.stream(packed + i * dim.packed, stage_.data(), n * dim.packed);
    }
  }

  const Kernels& kernels_;
  Runner<Pack> runner_;
  alignas(64) std::array<std::byte, stage_bytes> stage_;
};

[[gnu::noinline]] void stream(const Program& program, std::int64_t count, const std::byte* user, std::byte* packed) {
  Streaming(*program.kernels).loop(program.loop_for(count), user, packed, count);
}

// A separate function, so that a pack that is one call of a kernel saves no registers for it.
template <class Way>
[[gnu::noinline]] void interpret(const Program& program, std::int64_t count, typename Way::User user,
                                 typename Way::Packed packed) {
  const Runner<Way> runner(*program.kernels);
  const Step& loop = program.loop_for(count);
  if (loop.body.size() == 1 && count <= loop.segment && Way::instances(loop.shuffle) == 0)
    return runner.run(loop.body.front(), user, packed, {count, loop.loop.user, loop.loop.packed});
  runner.loop(loop, user, packed, count);
}

template <class Way>
inline void run(const Program& program, std::int64_t count, typename Way::User user, typename Way::Packed packed) {
  if (program.is_contiguous(count))
    return Way::copy(*program.kernels, user + program.first, packed, count * program.size);
  const DirectRows& direct = count == 1 ? program.direct_once : program.direct;
  if (direct.rows == nullptr || count > direct.most_instances[Way::index])
    return interpret<Way>(program, count, user, packed);
  Rows inner = Way::rows(direct.inner), outer = Way::rows(direct.outer);
  (direct.instances_inside ? inner : outer).count *= count;
  Way::copy_rows(direct.rows, user + direct.user, packed, inner, outer, direct.length);
}

}  // namespace

void run_pack(const Program& program, std::int64_t count, const std::byte* user, std::byte* packed) {
  if (count * program.size >= program.stream_from && !program.is_contiguous(count)) [[unlikely]]
    return stream(program, count, user, packed);
  run<Pack>(program, count, user, packed);
}

void run_unpack(const Program& program, std::int64_t count, std::byte* user, const std::byte* packed) {
  run<Unpack>(program, count, user, packed);
}

}  // namespace marshal::datatype
