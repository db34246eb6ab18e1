// What one run taught and another may rely on: the rules for both kinds of entry, a grid's line and a whole job's
// traffic.
//
// An Entry has `arguments` and `directories`, hashes as in program_key.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace marshal::profile {

// True if the shares of the keys differ by a tenth in all at most. Bytes: pairs of a key and a double, keys ascending.
template <class Bytes>
bool alike(const Bytes& one, const Bytes& other) {
  double all_one = 0, all_other = 0, difference = 0;
  for (const auto& [key, bytes] : one) all_one += bytes;
  for (const auto& [key, bytes] : other) all_other += bytes;
  if (all_one == 0 || all_other == 0) return all_one == all_other;
  for (auto a = one.begin(), b = other.begin(); a != one.end() || b != other.end();) {
    const bool has_a = a != one.end() && (b == other.end() || a->first <= b->first);
    const bool has_b = b != other.end() && (a == one.end() || b->first <= a->first);
    difference += std::abs((has_a ? a->second / all_one : 0) - (has_b ? b->second / all_other : 0));
    if (has_a) ++a;
    if (has_b) ++b;
  }
  return difference <= 0.1;
}

template <class Entry>
bool was_taught_by(const Entry& entry, const std::string& arguments, const std::string& directory) {
  return entry.arguments == arguments && std::ranges::find(entry.directories, directory) != entry.directories.end();
}

template <class Entry>
struct Lender {
  const Entry* entry = nullptr;  // null: nobody lends
  std::string_view who;          // " in other directories"
};
// Who lends to a run with these arguments in a new directory, among what the program's other runs `taught` (oldest
// first): runs in at least two directories with these arguments, else runs with at least two different arguments. All
// of these must agree(newest, other), the newest with itself, too.
template <class Entry, class Agree>
Lender<Entry> find_lender(std::span<const Entry> taught, const std::string& arguments, Agree agree) {
  const Entry* newest_with_these = nullptr;
  std::size_t directories = 0;
  bool are_different = false;
  for (const Entry& entry : taught) {
    are_different |= entry.arguments != taught.back().arguments;
    if (entry.arguments != arguments) continue;
    newest_with_these = &entry;
    directories += entry.directories.size();
  }
  const bool by_these = directories > 1;
  if (!by_these && !are_different) return {};
  const Entry& newest = by_these ? *newest_with_these : taught.back();
  const bool all_agree = std::ranges::all_of(
      taught, [&](const Entry& entry) { return (by_these && entry.arguments != arguments) || agree(newest, entry); });
  if (!all_agree) return {};
  return {&newest, by_these ? " in other directories" : " with other arguments"};
}

}  // namespace marshal::profile
