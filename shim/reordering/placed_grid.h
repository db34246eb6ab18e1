// A grid of the program, as its processes know it at the end: who has which cell, and who would have had it in the
// order given. Local; keeps nothing of the host.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <vector>

#include "communicators/sent_messages.h"
#include "mapping/grid.h"
#include "rankmap/rank_map.h"
#include "record/traffic.h"

namespace marshal {

class PlacedGrid {
 public:
  // `members`: the process that has each cell. `given`: the one that would have it.
  PlacedGrid(mapping::Grid grid, RankMap members, RankMap given);

  const mapping::Grid& grid() const { return grid_; }
  // -1 for a process that has none.
  std::int32_t cell_of(std::int32_t lpid) const;
  // The process that would have played this one's part; itself where it has no cell.
  std::int32_t given_for(std::int32_t lpid) const;

 private:
  mapping::Grid grid_;
  RankMap members_;
  RankMap given_;
};

// Where this process and one that it sent to are: nodes in the order in force and in the order given. `grid` may be
// null: then the orders are the same.
struct Leg {
  std::int32_t from, to, given_from, given_to;
};
Leg leg_to(PeerName peer, const PlacedGrid* grid);

// Adds a leg's bytes where it crosses nodes: to those between nodes and to those that leave its node.
void add_crossing(const Leg& leg, std::uint64_t bytes, report::PlacedBytes& between_nodes,
                  report::BytesOfNodes& leaving);

// The messages that this process, which has a cell, sent to others of the grid, of those sent in the grids with these
// numbers.
report::GridTraffic traffic_in(const PlacedGrid& grid, const std::vector<SentTo>& sent,
                               std::initializer_list<GridNumber> numbers);

}  // namespace marshal
