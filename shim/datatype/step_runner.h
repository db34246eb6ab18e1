// Runs the steps of a program. Both directions are one template: only the roles of source and destination change. Only
// for execute.cc and execute_range.cc.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "datatype/program.h"

namespace marshal::datatype {

template <bool unpacks>
struct Direction {
  static constexpr std::size_t index = unpacks ? 1 : 0;  // in most_instances
  using User = std::conditional_t<unpacks, std::byte*, const std::byte*>;
  using Packed = std::conditional_t<unpacks, const std::byte*, std::byte*>;

  template <class OfUser, class OfPacked>
  static auto to(OfUser user, OfPacked packed) {
    if constexpr (unpacks)
      return user;
    else
      return packed;
  }
  template <class OfUser, class OfPacked>
  static auto from(OfUser user, OfPacked packed) {
    return Direction<!unpacks>::to(user, packed);
  }

  static Rows rows(const Dim& d) { return {d.count, to(d.user, d.packed), from(d.user, d.packed)}; }
  static void copy_rows(CopyRows f, User user, Packed packed, const Rows& inner, const Rows& outer,
                        std::int64_t length) {
    f(to(user, packed), from(user, packed), inner, outer, length);
  }
  static void transpose(Transpose f, User user, Packed packed, const Dim& i, const Dim& j) {
    if constexpr (unpacks)
      f(user, j.user, packed, i.packed, j.count, i.count);
    else
      f(packed, i.packed, user, j.user, i.count, j.count);
  }
  static std::int64_t instances(const ShufflePair& pair) {
    return unpacks ? pair.unpack_instances : pair.pack_instances;
  }
  static void shuffle(const Kernels& k, const ShufflePair& pair, User user, Packed packed, const Dim& units) {
    k.shuffled(to(user, packed), from(user, packed), (unpacks ? pair.unpack : pair.pack).view(), rows(units));
  }
  // So many blocks, `packed` being where the first of them is.
  static void list(const Step& s, User user, Packed packed, std::int64_t first, std::int64_t count) {
    (unpacks ? s.scatter : s.gather)(to(user, packed), from(user, packed), s.offsets.data() + first, count, s.length);
  }
  static void ragged(const Kernels& k, User user, Packed packed, const Ragged& blocks) {
    (unpacks ? k.scatter_ragged : k.gather_ragged)(to(user, packed), from(user, packed), blocks);
  }
  static void fields(const Step& s, User user, Packed packed, const Dim& repeats) {
    const auto copy = unpacks ? s.fields_kernel.scatter : s.fields_kernel.gather;
    copy(to(user, packed), from(user, packed), s.field_places, rows(repeats));
  }
  static void pairs(CopyPairs f, User user, Packed packed, const std::int32_t* user_offsets,
                    const std::int32_t* packed_offsets, std::int64_t count, std::int64_t length) {
    f(to(user, packed), from(user, packed), to(user_offsets, packed_offsets), from(user_offsets, packed_offsets), count,
      length);
  }
  static void copy(const Kernels& k, User user, Packed packed, std::int64_t length) {
    k.copy(to(user, packed), from(user, packed), length);
  }
};
using Pack = Direction<false>;
using Unpack = Direction<true>;

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
      case Step::Kind::list: {
        const auto count = static_cast<std::int64_t>(s.offsets.size());
        return each(repeats, user, packed, [&](User u, Packed p) { Way::list(s, u, p, 0, count); });
      }
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

  // All index tuples of dims[0 .. count), outermost first.
  template <class Body>
  static void nest(const Dim* dims, std::size_t count, User user, Packed packed, const Body& body) {
    if (count == 0) return body(user, packed);
    for (std::int64_t i = 0; i < dims->count; ++i)
      nest(dims + 1, count - 1, user + i * dims->user, packed + i * dims->packed, body);
  }

 private:
  template <class Body>
  static void each(const Dim& repeats, User user, Packed packed, Body body) {
    for (std::int64_t i = 0; i < repeats.count; ++i) body(user + i * repeats.user, packed + i * repeats.packed);
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

}  // namespace marshal::datatype
