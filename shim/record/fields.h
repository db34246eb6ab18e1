// A record's members, listed once for writing, reading and merging.
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

// Behind the members of a struct: those that a report has, in its order and under their own names.
#define MARSHAL_FIELDS(...) MARSHAL_NAMED_FIELDS(#__VA_ARGS__, __VA_ARGS__)
// The same under other names: "one, two".
#define MARSHAL_NAMED_FIELDS(names, ...)                 \
  static constexpr std::string_view field_names = names; \
  auto fields() { return std::tie(__VA_ARGS__); }        \
  auto fields() const { return std::tie(__VA_ARGS__); }

namespace marshal::report {

// Calls visit(name, member) for each field.
template <typename T, typename Visit>
void each_field(T& object, Visit&& visit) {
  std::string_view names = T::field_names;
  const auto next_name = [&names] {
    const std::string_view name = names.substr(0, names.find(','));
    names.remove_prefix(std::min(names.size(), name.size() + 2));
    return name;
  };
  std::apply([&](auto&... member) { (visit(next_name(), member), ...); }, object.fields());
}

// One of two texts, independently of their order: the filled-in one; of two, the first in lexicographic order.
inline const std::string& preferred(const std::string& a, const std::string& b) {
  if (a.empty()) return b;
  if (b.empty()) return a;
  return b < a ? b : a;
}

inline void merge_field(std::uint64_t& into, std::uint64_t from) { into += from; }
inline void merge_field(std::string& into, const std::string& from) { into = preferred(into, from); }
inline void merge_field(std::set<std::string>& into, const std::set<std::string>& from) {
  into.insert(from.begin(), from.end());
}
template <typename T>
requires requires(T& into) { into.merge(into); }
void merge_field(T& into, const T& from) { into.merge(from); }
template <typename Key, typename Value>
void merge_field(std::map<Key, Value>& into, const std::map<Key, Value>& from) {
  for (const auto& [key, value] : from) merge_field(into[key], value);
}

// Numbers and tables are added up, and of texts one is kept.
template <typename T>
void merge_fields(T& into, const T& from) {
  const auto merge_all = [&](auto&... member) {
    std::apply([&](const auto&... other) { (merge_field(member, other), ...); }, from.fields());
  };
  std::apply(merge_all, into.fields());
}

// The smallest summary of a number over processes that can be merged in any order with the same result: count, sum,
// least and most. Integers only, so that no order of merging can change a digit.
struct Spread {
  std::uint64_t samples = 0;
  std::uint64_t sum = 0;
  std::uint64_t min = 0;  // 0 while there is no sample
  std::uint64_t max = 0;

  void add(std::uint64_t value) { merge({1, value, value, value}); }
  void merge(const Spread& other) {
    if (other.samples == 0) return;
    min = samples == 0 ? other.min : std::min(min, other.min);
    max = std::max(max, other.max);
    samples += other.samples;
    sum += other.sum;
  }
  double mean() const { return samples == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(samples); }

  MARSHAL_FIELDS(samples, sum, min, max);
  auto operator<=>(const Spread&) const = default;
};

}  // namespace marshal::report
