// The messages that this process sent, for the report.
#pragma once

#include "reordering/placed_grid.h"
#include "report/record.h"

namespace marshal {

// `moved`: the grid whose processes were moved, which tells what the order given would have sent; null: none was.
void put_traffic_into(report::Record& record, const std::vector<SentTo>& sent, const PlacedGrid* moved);

}  // namespace marshal
