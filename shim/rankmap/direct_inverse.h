// The ranks of a map by their processes, in plain arrays, for the time of one call that asks for many of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "rankmap/rank_map.h"
#include "rankmap/scratch_array.h"

namespace marshal {

// It is faster to build and to ask than the forms that tables keep: no bits to unpack, no chain to follow. It can be
// made from any map. It takes four bytes for each lpid between the lowest and the highest of each process group.
class DirectInverse {
 public:
  explicit DirectInverse(const RankMap& map);
  DirectInverse(const DirectInverse&) = delete;
  DirectInverse& operator=(const DirectInverse&) = delete;

  // Fails for maps of many process groups, and for lpids that lie far apart: translate those one by one.
  bool made() const { return parts_ > 0; }

  // Turns lpids of one process group into ranks, in place; `absent` for those that have none. Only if made().
  void to_ranks(std::int32_t group, std::int32_t absent, std::span<std::int32_t> lpids) const;
  // The same of lpids of several groups.
  void to_ranks(std::span<const std::int32_t> groups, std::int32_t absent, std::span<std::int32_t> lpids) const;

 private:
  // The ranks of the lpids from `first` on of one process group, -1 where there is none.
  struct Part {
    std::int32_t group;
    std::int32_t first;
    std::span<std::int32_t> ranks;

    std::int32_t operator()(std::int32_t lpid) const {
      const auto above = static_cast<std::uint32_t>(lpid) - static_cast<std::uint32_t>(first);
      return above < ranks.size() ? ranks[above] : -1;
    }
  };
  const Part* part_of(std::int32_t group) const;

  std::size_t parts_ = 0;
  std::array<Part, 8> part_;
  ScratchArray<std::int32_t, 1024> ranks_;
};

}  // namespace marshal
