// Rows of a record's table in the order for readers: heaviest first, equal ones by key.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace marshal::report {

template <typename Table, typename Weight>
auto heaviest_first(const Table& table, Weight&& weight) {
  std::vector<std::pair<const typename Table::Entry::first_type*, const typename Table::Entry::second_type*>> rows;
  table.each([&](const auto& key, const auto& row) { rows.emplace_back(&key, &row); });
  std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
    const auto wa = weight(*a.second), wb = weight(*b.second);
    return wa != wb ? wa > wb : *a.first < *b.first;
  });
  return rows;
}

}  // namespace marshal::report
