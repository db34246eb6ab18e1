// Runs programs. Both directions are one template: only the roles of source and destination change.
#include <algorithm>
#include <array>

#include "datatype/program.h"

namespace marshal::datatype {
namespace {

struct Pack {
  static constexpr int index = 0;  // in most_instances
  using User = const std::byte*;
  using Packed = std::byte*;
  static Rows rows(const Dim& d) { return {d.count, d.packed, d.user}; }
  static void copy_rows(CopyRows f, User user, Packed packed, const Rows& inner, const Rows& outer,
                        std::int64_t length) {
    f(packed, user, inner, outer, length);
  }
  static void transpose(Transpose f, User user, Packed packed, const Dim& i, const Dim& j) {
    f(packed, i.packed, user, j.user, i.count, j.count);
  }
  static std::int64_t instances(const ShufflePair& pair) { return pair.pack_instances; }
  static void shuffle(const Kernels& k, const ShufflePair& pair, User user, Packed packed, const Dim& units) {
    k.shuffled(packed, user, pair.pack.view(), rows(units));
  }
  static void list(const Step& s, User user, Packed packed) {
    s.gather(packed, user, s.offsets.data(), static_cast<std::int64_t>(s.offsets.size()), s.length);
  }
  static void ragged(const Kernels& k, User user, Packed packed, const Ragged& blocks) {
    k.gather_ragged(packed, user, blocks);
  }
  static void fields(const Step& s, User user, Packed packed, const Dim& repeats) {
    s.fields_kernel.gather(packed, user, s.field_places, rows(repeats));
  }
  static void pairs(CopyPairs f, User user, Packed packed, const std::int32_t* user_offsets,
                    const std::int32_t* packed_offsets, std::int64_t count, std::int64_t length) {
    f(packed, user, packed_offsets, user_offsets, count, length);
  }
  static void copy(const Kernels& k, User user, Packed packed, std::int64_t length) { k.copy(packed, user, length); }
};

struct Unpack {
  static constexpr int index = 1;
  using User = std::byte*;
  using Packed = const std::byte*;
  static Rows rows(const Dim& d) { return {d.count, d.user, d.packed}; }
  static void copy_rows(CopyRows f, User user, Packed packed, const Rows& inner, const Rows& outer,
                        std::int64_t length) {
    f(user, packed, inner, outer, length);
  }
  static void transpose(Transpose f, User user, Packed packed, const Dim& i, const Dim& j) {
    f(user, j.user, packed, i.packed, j.count, i.count);
  }
  static std::int64_t instances(const ShufflePair& pair) { return pair.unpack_instances; }
  static void shuffle(const Kernels& k, const ShufflePair& pair, User user, Packed packed, const Dim& units) {
    k.shuffled(user, packed, pair.unpack.view(), rows(units));
  }
  static void list(const Step& s, User user, Packed packed) {
    s.scatter(user, packed, s.offsets.data(), static_cast<std::int64_t>(s.offsets.size()), s.length);
  }
  static void ragged(const Kernels& k, User user, Packed packed, const Ragged& blocks) {
    k.scatter_ragged(user, packed, blocks);
  }
  static void fields(const Step& s, User user, Packed packed, const Dim& repeats) {
    s.fields_kernel.scatter(user, packed, s.field_places, rows(repeats));
  }
  static void pairs(CopyPairs f, User user, Packed packed, const std::int32_t* user_offsets,
                    const std::int32_t* packed_offsets, std::int64_t count, std::int64_t length) {
    f(user, packed, user_offsets, packed_offsets, count, length);
  }
  static void copy(const Kernels& k, User user, Packed packed, std::int64_t length) { k.copy(user, packed, length); }
};

template <class Way>
class Runner {
 public:
  using User = typename Way::User;
  using Packed = typename Way::Packed;

  explicit Runner(const Kernels& kernels) : kernels_(kernels) {}

  void loop(const Step& s, User user, Packed packed, std::int64_t count) const {
    std::int64_t i = 0;
    if (const std::int64_t unit = Way::instances(s.shuffle); unit > 0 && count >= least_shuffled_units * unit) {
      Way::shuffle(kernels_, s.shuffle, user, packed, {count / unit, unit * s.loop.user, unit * s.loop.packed});
      i = count / unit * unit;
    }
    for (; i < count; i += s.segment) {
      const Dim part{std::min(s.segment, count - i), s.loop.user, s.loop.packed};
      for (const Step& step : s.body) run(step, user + i * part.user, packed + i * part.packed, part);
    }
  }

  void run(const Step& s, User user, Packed packed, const Dim& repeats) const {
    user += s.user;
    packed += s.packed;
    switch (s.kind) {
      case Step::Kind::rows:
        return rows(s, user, packed, repeats);
      case Step::Kind::transpose:
        return transpose(s, user, packed, repeats);
      case Step::Kind::fields:
        return Way::fields(s, user, packed, repeats);
      case Step::Kind::list:
        return each(repeats, user, packed, [&](User u, Packed p) { Way::list(s, u, p); });
      case Step::Kind::ragged: {
        const Ragged blocks{s.offsets.data(), s.lengths.data(), static_cast<std::int64_t>(s.offsets.size())};
        return each(repeats, user, packed, [&](User u, Packed p) { Way::ragged(kernels_, u, p, blocks); });
      }
      case Step::Kind::bins:
        return each(repeats, user, packed, [&](User u, Packed p) {
          for (const Step::Bin& bin : s.bins)
            Way::pairs(bin.copy, u, p, s.offsets.data() + bin.first, s.packed_offsets.data() + bin.first,
                       static_cast<std::int64_t>(bin.count), bin.length);
        });
      case Step::Kind::loop:
        return each(repeats, user, packed, [&](User u, Packed p) { loop(s, u, p, s.loop.count); });
    }
  }

 private:
  template <class Body>
  static void each(const Dim& repeats, User user, Packed packed, Body body) {
    for (std::int64_t i = 0; i < repeats.count; ++i) body(user + i * repeats.user, packed + i * repeats.packed);
  }

  // All index tuples of dims[0 .. count), outermost first.
  template <class Body>
  static void nest(const Dim* dims, std::size_t count, User user, Packed packed, const Body& body) {
    if (count == 0) return body(user, packed);
    for (std::int64_t i = 0; i < dims->count; ++i)
      nest(dims + 1, count - 1, user + i * dims->user, packed + i * dims->packed, body);
  }

  void rows(const Step& s, User user, Packed packed, const Dim& repeats) const {
    constexpr Rows once{1, 0, 0};
    if (s.dim_count == 0) return Way::copy_rows(s.rows, user, packed, Way::rows(repeats), once, s.length);
    if (repeats.count == 1 && s.dim_count == 1)
      return Way::copy_rows(s.rows, user, packed, Way::rows(s.dims[0]), once, s.length);
    Dim dims[Step::most_dims + 1];
    std::size_t n = 0;
    if (!s.repeats_inside && repeats.count > 1) dims[n++] = repeats;
    for (std::size_t d = 0; d < s.dim_count; ++d) dims[n++] = s.dims[d];
    if (s.repeats_inside && repeats.count > 1) dims[n++] = repeats;
    const Rows inner = Way::rows(dims[n - 1]), outer = Way::rows(dims[n - 2]);
    nest(dims, n - 2, user, packed, [&](User u, Packed p) { Way::copy_rows(s.rows, u, p, inner, outer, s.length); });
  }

  void transpose(const Step& s, User user, Packed packed, const Dim& repeats) const {
    const Dim& j = s.dims[s.dim_count - 1];
    if (s.repeats_inside) {
      nest(s.dims.data(), s.dim_count - 1, user, packed,
           [&](User u, Packed p) { Way::transpose(s.transpose, u, p, repeats, j); });
      return;
    }
    const Dim& i = s.dims[s.dim_count - 2];
    each(repeats, user, packed, [&](User user_at, Packed packed_at) {
      nest(s.dims.data(), s.dim_count - 2, user_at, packed_at,
           [&](User u, Packed p) { Way::transpose(s.transpose, u, p, i, j); });
    });
  }

  const Kernels& kernels_;
};

// Packs a message larger than the caches a few kilobytes at a time, into memory that stays in the first-level cache and
// from there past the caches: the lines of the destination need not be read. What cannot be cut is packed as always.
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

// Apart, so that what is one call of a kernel saves no registers for it.
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
