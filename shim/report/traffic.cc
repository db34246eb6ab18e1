#include "report/traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "report/prefer.h"
#include "report/units.h"

namespace marshal::report {
namespace {

template <class Table>
void merge_rows(Table& into, const Table& from) {
  for (const auto& [key, row] : from) into[key].merge(row);
}

}  // namespace

PlacedBytes busiest(const BytesOfNodes& leaving) {
  PlacedBytes most;
  for (const auto& [node, bytes] : leaving) {
    most.in_force = std::max(most.in_force, bytes.in_force);
    most.given = std::max(most.given, bytes.given);
  }
  return most;
}

std::string collectives_text(const Traffic& traffic) {
  constexpr std::size_t most = 6;
  std::vector<std::pair<std::string, CollectiveCount>> rows(traffic.collectives.begin(), traffic.collectives.end());
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return std::pair(a.second.bytes, a.second.calls) > std::pair(b.second.bytes, b.second.calls);
  });
  std::string text;
  for (std::size_t i = 0; i < std::min(most, rows.size()); ++i)
    text += fmt::format("{}{} {} {}, {}", i == 0 ? "" : "; ", rows[i].first, count_text(rows[i].second.calls),
                        rows[i].second.calls == 1 ? "call" : "calls",
                        bytes_text(static_cast<double>(rows[i].second.bytes)));
  if (rows.size() > most) text += fmt::format("; {} others", rows.size() - most);
  return text;
}

void Traffic::merge(const Traffic& other) {
  processes += other.processes;
  messages += other.messages;
  bytes += other.bytes;
  between_nodes.merge(other.between_nodes);
  merge_rows(leaving, other.leaving);
  foreign_messages += other.foreign_messages;
  foreign_bytes += other.foreign_bytes;
  lost_messages += other.lost_messages;
  merge_rows(collectives, other.collectives);
  file = preferred(file, other.file);
  profile = preferred(profile, other.profile);
  nodes_a_row = std::max(nodes_a_row, other.nodes_a_row);
  merge_rows(heat, other.heat);
}

void GridTraffic::merge(const GridTraffic& other) {
  processes += other.processes;
  messages += other.messages;
  bytes += other.bytes;
  between_nodes.merge(other.between_nodes);
  merge_rows(leaving, other.leaving);
  for (const auto& [displacement, sent] : other.near) near[displacement] += sent;
  for (const auto& [displacement, sent] : other.far) far[displacement] += sent;
  elsewhere += other.elsewhere;
  keep_least();
}

void GridTraffic::add(const std::string& displacement, bool is_near, std::uint64_t more) {
  (is_near ? near : far)[displacement] += more;
  keep_least();
}

// Names alone decide which displacements stay, so that the order of merging changes nothing.
void GridTraffic::keep_least() {
  for (auto* const table : {&near, &far})
    while (table->size() > (table == &near ? most_near : most_far)) {
      const auto last = std::prev(table->end());
      elsewhere += last->second;
      table->erase(last);
    }
}

}  // namespace marshal::report
