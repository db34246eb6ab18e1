// The type map byte by byte, straight from the standard's definitions. Everything else is compared with it.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "datatype/type_tree.h"

namespace marshal::datatype::testing {

using ByteMap = std::vector<std::int64_t>;  // displacement of each packed byte

ByteMap byte_map(const Type& type);

inline void append(ByteMap& all, const ByteMap& part, std::int64_t by) {
  for (auto d : part) all.push_back(d + by);
}

struct NaiveMap {
  ByteMap operator()(const Named& t) const {
    ByteMap all;
    for (const auto& f : t.fields)
      for (std::int64_t i = 0; i < f.length; ++i) all.push_back(f.disp + i);
    return all;
  }
  ByteMap operator()(const Dup& t) const { return byte_map(t.of); }
  ByteMap operator()(const Resized& t) const { return byte_map(t.of); }
  ByteMap operator()(const Contiguous& t) const { return row(t.of, t.count); }
  ByteMap operator()(const Vector& t) const { return rows(t, t.stride * t.of.extent()); }
  ByteMap operator()(const Hvector& t) const { return rows(t, t.stride); }
  ByteMap operator()(const Indexed& t) const {
    ByteMap all;
    for (std::size_t i = 0; i < t.displacements.size(); ++i)
      append(all, row(t.of, t.blocklengths[i]), t.displacements[i] * t.of.extent());
    return all;
  }
  ByteMap operator()(const Hindexed& t) const {
    ByteMap all;
    for (std::size_t i = 0; i < t.displacements.size(); ++i)
      append(all, row(t.of, t.blocklengths[i]), t.displacements[i]);
    return all;
  }
  ByteMap operator()(const IndexedBlock& t) const {
    ByteMap all;
    for (auto d : t.displacements) append(all, row(t.of, t.blocklength), d * t.of.extent());
    return all;
  }
  ByteMap operator()(const HindexedBlock& t) const {
    ByteMap all;
    for (auto d : t.displacements) append(all, row(t.of, t.blocklength), d);
    return all;
  }
  ByteMap operator()(const Struct& t) const {
    ByteMap all;
    for (std::size_t i = 0; i < t.of.size(); ++i) append(all, row(t.of[i], t.blocklengths[i]), t.displacements[i]);
    return all;
  }
  ByteMap operator()(const Subarray& t) const {
    return elements(t.of, t.sizes, t.order,
                    [&](std::size_t d, std::int64_t i) { return i >= t.starts[d] && i < t.starts[d] + t.subsizes[d]; });
  }
  ByteMap operator()(const Darray& t) const {
    std::vector<std::int64_t> at(t.psizes.size());
    std::int64_t rank = t.rank;
    for (std::size_t d = at.size(); d-- > 0; rank /= t.psizes[d]) at[d] = rank % t.psizes[d];
    return elements(t.of, t.gsizes, t.order, [&](std::size_t d, std::int64_t i) {
      const bool defaulted = t.arguments[d] == default_argument;
      switch (t.distributions[d]) {
        case Distribution::none:
          return true;
        case Distribution::block:
          return i / (defaulted ? (t.gsizes[d] + t.psizes[d] - 1) / t.psizes[d] : t.arguments[d]) == at[d];
        case Distribution::cyclic:
          return i / (defaulted ? 1 : t.arguments[d]) % t.psizes[d] == at[d];
      }
      return false;
    });
  }

  static ByteMap row(const Type& of, std::int64_t count) {
    ByteMap all;
    const ByteMap one = byte_map(of);
    for (std::int64_t i = 0; i < count; ++i) append(all, one, i * of.extent());
    return all;
  }
  template <class V>
  static ByteMap rows(const V& t, std::int64_t stride) {
    ByteMap all;
    const ByteMap one = row(t.of, t.blocklength);
    for (std::int64_t i = 0; i < t.count; ++i) append(all, one, i * stride);
    return all;
  }
  // Elements of an array, in the order of memory, whose every index is chosen.
  template <class Chosen>
  static ByteMap elements(const Type& of, const std::vector<std::int64_t>& sizes, Order order, Chosen chosen) {
    ByteMap all;
    const ByteMap one = byte_map(of);
    const std::int64_t total = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
    for (std::int64_t e = 0; e < total; ++e) {
      std::int64_t rest = e;
      bool all_chosen = true;
      for (std::size_t k = 0; k < sizes.size(); ++k) {
        const std::size_t d = order == Order::fortran ? k : sizes.size() - 1 - k;
        all_chosen = all_chosen && chosen(d, rest % sizes[d]);
        rest /= sizes[d];
      }
      if (all_chosen) append(all, one, e * of.extent());
    }
    return all;
  }
};

inline ByteMap byte_map(const Type& type) { return std::visit(NaiveMap{}, type.node().combiner); }

}  // namespace marshal::datatype::testing
