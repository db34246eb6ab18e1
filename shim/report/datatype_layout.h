// Derived datatypes by layout: equal canonical forms are one row, however the types were built.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "report/call_site.h"

namespace marshal::report {

struct LayoutKey {
  std::string form{};      // the canonical form as text: "64 x 8 B every 128 B"
  std::uint64_t hash = 0;  // of the full form, where the text is shortened

  auto operator<=>(const LayoutKey&) const = default;
};
std::uint64_t hash_of(const LayoutKey& key);

// One direction of copying.
struct PackWork {
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;                    // packed bytes
  std::uint64_t ns = 0;                       // 0 with calls: not timed
  std::uint64_t touched_bytes = 0;            // cache lines touched times their size
  std::uint64_t host_bytes = 0, host_ns = 0;  // the same work by the host, where it was measured

  void merge(const PackWork& other);
  auto operator<=>(const PackWork&) const = default;
};

struct DatatypeLayout {
  std::uint64_t size = 0;  // packed bytes of one instance
  std::int64_t lower_bound = 0, extent = 0;
  std::uint64_t blocks = 0;  // contiguous pieces of one instance
  std::uint64_t commits = 0, freed = 0;
  std::map<std::string, std::uint64_t> built_by{};  // combiner of the outermost constructor -> commits
  std::map<std::string, std::uint64_t> plans{};     // kernel or engine -> calls
  std::uint64_t segment = 0;                        // instances; 0: not segmented
  PackWork pack{}, unpack{}, messages{};
  std::uint64_t touched_bound_bytes_per_s = 0;  // the most that touching these lines allows; 0: not measured
  std::vector<std::pair<std::int64_t, std::uint64_t>>
      picture{};         // (displacement, length), the first kMostPictureBlocks
  CallSite site{};       // of a first commit: of several, the least
  std::string symbol{};  // of that site

  void merge(const DatatypeLayout& other);
  auto operator<=>(const DatatypeLayout&) const = default;
};
inline constexpr std::size_t kMostPictureBlocks = 64;

}  // namespace marshal::report
