#include "datatype/type_tree.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <type_traits>

namespace marshal::datatype {
namespace {

// Collects the bounds of copies of types at displacements.
class Hull {
 public:
  void add(const Bounds& of, std::int64_t disp) {
    if (of.empty) return;
    const bool first = bounds_.empty;
    bounds_.empty = false;
    extend(bounds_.lb, bounds_.lb_set, of.lb + disp, of.lb_set, first, [](auto a, auto b) { return std::min(a, b); });
    extend(bounds_.ub, bounds_.ub_set, of.ub + disp, of.ub_set, first, [](auto a, auto b) { return std::max(a, b); });
    bounds_.alignment = std::max(bounds_.alignment, of.alignment);
    if (of.size == 0) return;
    bounds_.true_lb = has_data_ ? std::min(bounds_.true_lb, of.true_lb + disp) : of.true_lb + disp;
    bounds_.true_ub = has_data_ ? std::max(bounds_.true_ub, of.true_ub + disp) : of.true_ub + disp;
    has_data_ = true;
  }

  // `count` copies, of which the outermost, which decide, are at these displacements.
  void add_copies(const Bounds& of, std::int64_t least, std::int64_t most, std::int64_t count) {
    if (count <= 0) return;
    add(of, least);
    add(of, most);
    bounds_.size += of.size * count;
  }

  // The same, `stride` bytes apart.
  void add_row(const Bounds& of, std::int64_t disp, std::int64_t count, std::int64_t stride) {
    add_copies(of, disp, disp + (count - 1) * stride, count);
  }

  Bounds bounds() const { return bounds_; }

 private:
  template <class Pick>
  static void extend(std::int64_t& bound, bool& set, std::int64_t value, bool value_set, bool first, Pick pick) {
    if (first || (value_set && !set)) {
      bound = value;
      set = value_set;
    } else if (value_set == set) {
      bound = pick(bound, value);
    }
  }

  Bounds bounds_;
  bool has_data_ = false;
};

Bounds rows(std::int64_t count, std::int64_t blocklength, std::int64_t stride, const Bounds& of) {
  Hull row, all;
  row.add_row(of, 0, blocklength, of.extent());
  all.add_row(row.bounds(), 0, count, stride);
  return all.bounds();
}

// Bounds that do not depend on the data: the whole array of subarray and darray, and resized.
Bounds with_bounds(Bounds b, std::int64_t lb, std::int64_t ub) {
  b.lb = lb;
  b.ub = ub;
  b.lb_set = b.ub_set = true;
  b.empty = false;
  return b;
}

struct BoundsOf {
  Bounds operator()(const Named& t) const {
    Hull hull;
    for (const auto& f : t.fields) {
      Bounds field;
      field.ub = field.true_ub = field.size = f.length;
      field.empty = false;
      hull.add_row(field, f.disp, 1, 0);
    }
    Bounds b = hull.bounds();
    b.lb = 0;
    b.ub = t.extent;
    b.alignment = t.alignment;
    b.empty = false;
    return b;
  }
  Bounds operator()(const Dup& t) const { return t.of.bounds(); }
  Bounds operator()(const Contiguous& t) const { return rows(1, t.count, 0, t.of.bounds()); }
  Bounds operator()(const Vector& t) const {
    return rows(t.count, t.blocklength, t.stride * t.of.extent(), t.of.bounds());
  }
  Bounds operator()(const Hvector& t) const { return rows(t.count, t.blocklength, t.stride, t.of.bounds()); }
  Bounds operator()(const Indexed& t) const {
    return list(t.displacements, t.of.extent(), t.of.bounds(), [&](std::size_t i) { return t.blocklengths[i]; });
  }
  Bounds operator()(const Hindexed& t) const {
    return list(t.displacements, 1, t.of.bounds(), [&](std::size_t i) { return t.blocklengths[i]; });
  }
  Bounds operator()(const IndexedBlock& t) const {
    return list(t.displacements, t.of.extent(), t.of.bounds(), [&](std::size_t) { return t.blocklength; });
  }
  Bounds operator()(const HindexedBlock& t) const {
    return list(t.displacements, 1, t.of.bounds(), [&](std::size_t) { return t.blocklength; });
  }
  Bounds operator()(const Struct& t) const {
    Hull hull;
    for (std::size_t i = 0; i < t.of.size(); ++i) {
      const Bounds& of = t.of[i].bounds();
      hull.add_row(of, t.displacements[i], t.blocklengths[i], of.extent());
    }
    Bounds b = hull.bounds();
    if (!b.ub_set && b.extent() % b.alignment != 0) b.ub += b.alignment - b.extent() % b.alignment;
    return b;
  }
  Bounds operator()(const Subarray& t) const { return part_of_array(t); }
  Bounds operator()(const Darray& t) const { return part_of_array(t); }
  Bounds operator()(const Resized& t) const { return with_bounds(t.of.bounds(), t.lb, t.lb + t.extent); }

  template <class Array>
  static Bounds part_of_array(const Array& array) {
    Bounds b = array.of.bounds();
    std::int64_t apart = array.of.extent();
    for (const OwnedIndices& own : owned_indices(array)) {
      Hull block, hull;
      block.add_row(b, 0, own.length, apart);
      hull.add_row(block.bounds(), own.first * apart, own.blocks, own.stride * apart);
      hull.add_row(b, own.tail_first * apart, own.tail, apart);
      b = hull.bounds();
      apart *= own.size;
    }
    return with_bounds(b, 0, apart);
  }

  template <class Length>
  static Bounds list(const std::vector<std::int64_t>& displacements, std::int64_t unit, const Bounds& of, Length len) {
    const std::int64_t extent = of.extent();
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = std::numeric_limits<std::int64_t>::min();
    std::int64_t copies = 0;
    for (std::size_t i = 0; i < displacements.size(); ++i) {
      const std::int64_t length = len(i);
      if (length <= 0) continue;
      const std::int64_t first = displacements[i] * unit, last = first + (length - 1) * extent;
      least = std::min({least, first, last});
      most = std::max({most, first, last});
      copies += length;
    }
    Hull hull;
    hull.add_copies(of, least, most, copies);
    return hull.bounds();
  }
};

OwnedIndices owned_in_dimension(std::int64_t size, Distribution distribution, std::int64_t argument, std::int64_t psize,
                                std::int64_t coordinate) {
  if (distribution == Distribution::none) return {size, 0, 1, size, 0};
  if (distribution == Distribution::block) {
    const std::int64_t block = argument == default_argument ? (size + psize - 1) / psize : argument;
    const std::int64_t first = coordinate * block;
    const std::int64_t length = std::clamp<std::int64_t>(size - first, 0, block);
    return {size, first, length > 0 ? 1 : 0, length, 0};
  }
  const std::int64_t block = argument == default_argument ? 1 : argument;
  const std::int64_t first = coordinate * block;
  const std::int64_t cycle = psize * block;
  const std::int64_t rest = std::max<std::int64_t>(size - first, 0);
  const std::int64_t full = rest / cycle + (rest % cycle >= block ? 1 : 0);
  const std::int64_t tail = rest % cycle < block ? rest % cycle : 0;
  return {size, first, full, block, cycle, first + full * cycle, tail};
}

std::vector<OwnedIndices> fastest_first(std::vector<OwnedIndices> owned, Order order) {
  if (order == Order::c) std::reverse(owned.begin(), owned.end());
  return owned;
}

}  // namespace

std::vector<OwnedIndices> owned_indices(const Subarray& t) {
  std::vector<OwnedIndices> owned;
  for (std::size_t d = 0; d < t.sizes.size(); ++d) owned.push_back({t.sizes[d], t.starts[d], 1, t.subsizes[d], 0});
  return fastest_first(std::move(owned), t.order);
}

// In the grid of processes the last dimension varies fastest, whatever the order of the array.
std::vector<OwnedIndices> owned_indices(const Darray& t) {
  std::vector<OwnedIndices> owned(t.gsizes.size());
  std::int64_t rank = t.rank;
  for (std::size_t d = owned.size(); d-- > 0; rank /= t.psizes[d])
    owned[d] = owned_in_dimension(t.gsizes[d], t.distributions[d], t.arguments[d], t.psizes[d], rank % t.psizes[d]);
  return fastest_first(std::move(owned), t.order);
}

Bounds bounds_of(const Combiner& combiner) { return std::visit(BoundsOf{}, combiner); }

bool has_part_without_data(const Type& type) {
  if (type.size() == 0) return true;
  return std::visit(
      [](const auto& t) {
        if constexpr (std::is_same_v<std::decay_t<decltype(t)>, Named>) {
          return false;
        } else if constexpr (std::is_same_v<std::decay_t<decltype(t)>, Struct>) {
          return std::any_of(t.of.begin(), t.of.end(), has_part_without_data);
        } else {
          return has_part_without_data(t.of);
        }
      },
      type.node().combiner);
}

namespace {

// The number that of() gives for all predefined types in the tree; 0 where they differ.
template <class Number, class Of>
Number common_to_elements(const Type& type, const Of& of) {
  return std::visit(
      [&](const auto& t) -> Number {
        using Combiner = std::decay_t<decltype(t)>;
        if constexpr (std::is_same_v<Combiner, Named>) {
          return of(type, t);
        } else if constexpr (std::is_same_v<Combiner, Struct>) {
          Number common = 0;  // each part is asked once: structs may be nested deeply
          for (const Type& part : t.of) {
            const Number here = common_to_elements<Number>(part, of);
            if (here == 0 || (common != 0 && here != common)) return 0;
            common = here;
          }
          return common;
        } else {
          return common_to_elements<Number>(t.of, of);
        }
      },
      type.node().combiner);
}

}  // namespace

std::int64_t element_size(const Type& type) {
  return common_to_elements<std::int64_t>(type, [](const Type& element, const Named&) { return element.size(); });
}

std::uint64_t only_element(const Type& type) {
  return common_to_elements<std::uint64_t>(type, [](const Type&, const Named& element) { return element.id; });
}

}  // namespace marshal::datatype
