// The report's measures of an order of the processes of a topology.
#pragma once

#include "mapping/metrics.h"
#include "report/record.h"

namespace marshal {

// Without a prediction, which only grids have.
report::GridMetrics metrics_of(const mapping::Metrics& metrics);

}  // namespace marshal
