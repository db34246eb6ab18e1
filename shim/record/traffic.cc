#include "record/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "record/units.h"

namespace marshal::report {

PlacedBytes busiest(const BytesOfNodes& leaving) {
  PlacedBytes most;
  for (const auto& [node, bytes] : leaving) {
    most.in_force = std::max(most.in_force, bytes.in_force);
    most.given = std::max(most.given, bytes.given);
  }
  return most;
}

std::vector<CollectiveRow> collective_rows(const Traffic& traffic) {
  std::vector<CollectiveRow> rows;
  for (const auto& [call, count] : traffic.collectives) {
    CallsAndBytes left = count.all;
    const std::size_t first = rows.size();
    for (const auto& [kind, sum] : count.kinds) {
      const auto [processes, up_to] = kind;
      if (rows.size() == first || rows.back().processes != processes)
        rows.push_back({call, processes, {}, up_to, up_to});
      rows.back().all.merge(sum);
      rows.back().most_bytes = up_to;
      left.calls -= std::min(left.calls, sum.calls);
      left.bytes -= std::min(left.bytes, sum.bytes);
    }
    if (left.calls != 0) rows.push_back({call, 0, left, 0, 0});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const CollectiveRow& a, const CollectiveRow& b) {
    return std::pair(a.all.bytes, a.all.calls) > std::pair(b.all.bytes, b.all.calls);
  });
  return rows;
}

std::uint64_t bytes_in_parts(const Traffic& traffic, std::uint64_t job_processes) {
  std::uint64_t bytes = 0;
  for (const auto& [call, count] : traffic.collectives)
    for (const auto& [kind, sum] : count.kinds)
      if (kind.first > 1 && kind.first < job_processes) bytes += sum.bytes;
  return bytes;
}

std::string collectives_text(const Traffic& traffic) {
  constexpr std::size_t most = 6;
  const std::vector<CollectiveRow> rows = collective_rows(traffic);
  std::string text;
  for (std::size_t i = 0; i < std::min(most, rows.size()); ++i) {
    text += (i == 0 ? "" : "; ") + rows[i].call;
    if (rows[i].processes != 0)
      text += fmt::format(" on {} {}", rows[i].processes, rows[i].processes == 1 ? "process" : "processes");
    text += fmt::format(" {} {}, {}", count_text(rows[i].all.calls), rows[i].all.calls == 1 ? "call" : "calls",
                        bytes_text(rows[i].all.bytes));
  }
  if (rows.size() > most) text += fmt::format("; {} others", rows.size() - most);
  return text;
}

void CollectiveCount::add(const Kind& kind, const CallsAndBytes& more) {
  all.merge(more);
  if (kind.first != 0) kinds[kind].merge(more);
  keep_least();
}

void CollectiveCount::merge(const CollectiveCount& other) {
  merge_fields(*this, other);
  keep_least();
}

// Kinds alone decide which of them stay, so that the order of merging changes nothing.
void CollectiveCount::keep_least() {
  while (kinds.size() > most_kinds) kinds.erase(std::prev(kinds.end()));
}

void Traffic::merge(const Traffic& other) {
  const std::uint64_t most_nodes = std::max(nodes_a_row, other.nodes_a_row);
  merge_fields(*this, other);
  nodes_a_row = most_nodes;
}

void GridTraffic::merge(const GridTraffic& other) {
  merge_fields(*this, other);
  keep_least();
}

void GridTraffic::add(const std::string& displacement, bool is_near, const SentAlong& more) {
  (is_near ? near : far)[displacement].merge(more);
  keep_least();
}

// Names alone decide which displacements stay, so that the order of merging changes nothing.
void GridTraffic::keep_least() {
  for (auto* const table : {&near, &far})
    while (table->size() > (table == &near ? most_near : most_far)) {
      const auto last = std::prev(table->end());
      elsewhere += last->second.bytes;
      table->erase(last);
    }
}

}  // namespace marshal::report
