// A table of at most `Limit` rows. All further rows are added up in one more, `others`.
//
// Keys alone decide which rows stay, never the order of arrival: those with the least hash, a fair sample that is the
// same on every process. A key that is among the Limit least of all was among them in every part, so its row is
// complete. Every other key ends in `others`, wherever it came from. So merging is associative and commutative; with
// the rule "largest first" it would not be.
//
// Key needs <=> and std::uint64_t hash_of(const Key&) by argument-dependent lookup (std::string: see below); Row needs
// void merge(const Row&), associative and commutative itself.
#pragma once

#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace marshal::report {

// Keys have hashes that are the same in every process and on every machine.
inline std::uint64_t hash_of(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

template <typename Key, typename Row, std::size_t Limit>
class BoundedTable {
 public:
  static constexpr std::size_t frame_limit = Limit;

  // The row of a key, made if need be; `others` when the table is full of keys with a lesser hash. The reference holds
  // until the next call.
  Row& operator[](const Key& key);

  // True if keys of this hash get no row of their own, but are added to `others`.
  bool is_full_for(std::uint64_t hash) const { return rows_.size() == Limit && rows_.rbegin()->first.first < hash; }

  void merge(const BoundedTable& other);

  // All rows, `others` apart, as (key, row) in the order of the keys' hashes.
  template <typename Visit>
  void each(Visit&& visit) const {
    for (const auto& [place, row] : rows_) visit(place.second, row);
  }
  template <typename Visit>
  void each(Visit&& visit) {
    for (auto& [place, row] : rows_) visit(place.second, row);
  }
  // The same in the order for readers: heaviest first, equal ones by key.
  template <typename Weight>
  std::vector<std::pair<const Key*, const Row*>> heaviest_first(Weight&& weight) const {
    std::vector<std::pair<const Key*, const Row*>> rows;
    each([&](const Key& key, const Row& row) { rows.emplace_back(&key, &row); });
    std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
      const auto wa = weight(*a.second), wb = weight(*b.second);
      return wa != wb ? wa > wb : *a.first < *b.first;
    });
    return rows;
  }
  std::size_t size() const { return rows_.size(); }
  bool empty() const { return rows_.empty() && !overflowed_; }
  const Row* find(const Key& key) const {
    const auto at = rows_.find(HashedKey{hash_of(key), key});
    return at == rows_.end() ? nullptr : &at->second;
  }
  // True if `others` has anything in it.
  bool overflowed() const { return overflowed_; }
  const Row& others() const { return others_; }
  // All rows and `others`, added up.
  Row sum() const {
    Row all = others_;
    for (const auto& [place, row] : rows_) all.merge(row);
    return all;
  }
  void fold(const Row& row);

  bool operator==(const BoundedTable&) const = default;

 private:
  using HashedKey = std::pair<std::uint64_t, Key>;
  std::map<HashedKey, Row> rows_;
  bool overflowed_ = false;
  Row others_{};
};

template <typename Key, typename Row, std::size_t Limit>
Row& BoundedTable<Key, Row, Limit>::operator[](const Key& key) {
  const HashedKey place{hash_of(key), key};
  if (rows_.size() == Limit && rows_.rbegin()->first < place) {
    overflowed_ = true;
    return others_;
  }
  const auto [at, fresh] = rows_.try_emplace(place);
  if (fresh && rows_.size() > Limit) {
    const auto last = std::prev(rows_.end());
    fold(last->second);
    rows_.erase(last);
  }
  return at->second;
}

template <typename Key, typename Row, std::size_t Limit>
void BoundedTable<Key, Row, Limit>::merge(const BoundedTable& other) {
  for (const auto& [place, row] : other.rows_) (*this)[place.second].merge(row);
  if (other.overflowed_) fold(other.others_);
}

template <typename Key, typename Row, std::size_t Limit>
void BoundedTable<Key, Row, Limit>::fold(const Row& row) {
  overflowed_ = true;
  others_.merge(row);
}

}  // namespace marshal::report
