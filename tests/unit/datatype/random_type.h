// Random type trees of every combiner: nested, negative, overlapping, empty.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "datatype/type_tree.h"

namespace marshal::datatype::testing {

class RandomType {
 public:
  explicit RandomType(std::uint64_t seed) : random_(seed) {}

  std::int64_t number(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }

  // At most `bytes` of data, nested at most `depth` deep.
  Type operator()(int depth, std::int64_t bytes) {
    Type type = tree(depth);
    while (type.size() > bytes) type = tree(depth);
    return type;
  }

 private:
  Type named() {
    switch (number(0, 6)) {
      case 0:
        return basic(1);
      case 1:
        return basic(2);
      case 2:
      case 3:
        return basic(4);
      case 4:
        return Named{{{0, 8}, {8, 4}}, 16, 8};  // double_int
      default:
        return basic(8);
    }
  }
  std::int64_t count() { return number(0, 9) == 0 ? number(0, 1) : number(1, 5); }
  std::vector<std::int64_t> numbers(std::size_t n, std::int64_t least, std::int64_t most) {
    std::vector<std::int64_t> all(n);
    for (auto& x : all) x = number(least, most);
    return all;
  }
  std::int64_t spread(const Type& t) { return 2 * t.extent() + 8; }

  Type tree(int depth) {
    if (depth == 0) return named();
    const Type of = tree(depth - 1);
    const std::int64_t wide = std::max<std::int64_t>(spread(of), 8);
    const auto n = static_cast<std::size_t>(count());
    switch (number(0, 11)) {
      case 0:
        return Dup{of};
      case 1:
        return Contiguous{count(), of};
      case 2:
        return Vector{count() * (number(0, 3) ? 1 : 3), number(0, 3), number(-6, 8), of};
      case 3:
        return Hvector{count(), number(0, 3), number(-wide, 3 * wide), of};
      case 4:
        return Indexed{numbers(n, 0, 3), numbers(n, -4, 12), of};
      case 5:
        return Hindexed{numbers(n, 0, 3), numbers(n, -wide, 4 * wide), of};
      case 6:
        return IndexedBlock{number(0, 3), numbers(n, -4, 12), of};
      case 7:
        return HindexedBlock{number(0, 3), numbers(n, -wide, 4 * wide), of};
      case 8: {
        std::vector<Type> all;
        for (std::size_t i = 0; i < n; ++i) all.push_back(i ? tree(static_cast<int>(number(0, depth - 1))) : of);
        return Struct{numbers(n, 0, 3), numbers(n, -16, 8 * wide), std::move(all)};
      }
      case 9:
        return subarray(of);
      case 10:
        return darray(of);
      default:
        return Resized{number(-8, 8), number(-2, 3) * 8 + of.extent(), of};
    }
  }

  Type subarray(const Type& of) {
    Subarray t{{}, {}, {}, number(0, 1) ? Order::c : Order::fortran, of};
    const auto dims = number(1, 3);
    for (int d = 0; d < dims; ++d) {
      t.sizes.push_back(number(1, 6));
      t.subsizes.push_back(number(1, t.sizes.back()));
      t.starts.push_back(number(0, t.sizes.back() - t.subsizes.back()));
    }
    return t;
  }

  Type darray(const Type& of) {
    Darray t{1, 0, {}, {}, {}, {}, number(0, 1) ? Order::c : Order::fortran, of};
    const auto dims = number(1, 3);
    for (int d = 0; d < dims; ++d) {
      const std::int64_t g = number(1, 12);
      std::int64_t p = number(1, 3), arg = default_argument;
      auto kind = static_cast<Distribution>(number(0, 2));
      if (kind == Distribution::none) p = 1;
      if (kind == Distribution::block && number(0, 1)) arg = (g + p - 1) / p + number(0, 2);
      if (kind == Distribution::cyclic && number(0, 1)) arg = number(1, 3);
      t.gsizes.push_back(g);
      t.psizes.push_back(p);
      t.distributions.push_back(kind);
      t.arguments.push_back(arg);
      t.size *= p;
    }
    t.rank = number(0, t.size - 1);
    return t;
  }

  std::mt19937_64 random_;
};

}  // namespace marshal::datatype::testing
