// From the bytes that a grid's processes were seen to send to each other, to a stencil that plans by them.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "mapping/grid.h"
#include "profile/profile_text.h"

namespace marshal::profile {

// The processes of a grid that sent along one displacement, and their bytes.
struct SentAlong {
  std::uint64_t processes = 0, bytes = 0;
};
// By displacement, as "0,-1".
using SentByDisplacement = std::map<std::string, SentAlong>;

// The stencil as MARSHAL_CART_STENCIL takes it: a step for each displacement and its opposite. A step's weight is the
// bytes that one pair of cells exchanges along it, scaled so that the largest weight is at most a million.
// Displacements that carry little are left out. So are those that at most half of the cells use which could, in either
// direction: a process that gathers from all others is no neighbour of theirs. Nothing if the others carry less than
// nine tenths of all bytes, `elsewhere` included: then the traffic does not follow a stencil.
std::optional<std::string> learned_stencil(const mapping::Grid& grid, const SentByDisplacement& sent_along,
                                           std::uint64_t elsewhere);

// True if the bytes are alike by displacement.
bool similar(const std::string& stencil, const std::string& other, int dimensions);

// The grids of a program that `kept` (oldest first) knows at this number of processes, with these arguments, in the one
// directory of `program`. If a grid is not known there, other runs may lend what they taught. Their traffic
// must never have changed. A lent grid has no directories, its job says who lent it, and its earlier stencils are all
// other stencils that runs of this grid had. If these are too many, nothing is lent.
std::vector<LearnedGrid> known_of_program(const std::vector<LearnedGrid>& kept, const LearnedGrid& program);

// Puts what a run in the one directory of `now` taught into the place of what was known there. Directories that were
// taught nearly the same share one grid.
void add_taught(std::vector<LearnedGrid>& kept, LearnedGrid now);

// The entry of a grid after a run that taught `now`, where `before` was known. If the traffic is as before, keep_order
// stays. It becomes true if `sent_more`: an order of Marshal's own making sent more between nodes than the order given.
// Then the bytes do not follow a stencil, and the order given is kept from now on. If the traffic is another one, the
// stencil known so far goes among the earlier ones.
LearnedGrid after_another_run(const LearnedGrid& before, LearnedGrid now, bool sent_more);

// What one run taught and another may rely on: the rules for both kinds of entry, a grid's line and a whole job's
// traffic.
//
// An Entry has `arguments` and `directories`, hashes as in program_key.h.

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
