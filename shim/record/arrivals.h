// Samples of collective calls tell who came last, and for how long the others waited.
//
// The calls are those that no process leaves before the last one has entered: they end together. A process waited from
// its entry to that of the last one.
#pragma once

namespace marshal::report {

struct Record;

// Puts into the times of the record what its samples tell. A place has samples alone where clocks of nodes may be too
// far apart, or its samples are too few or not like its calls.
void judge_arrivals(Record& record);

}  // namespace marshal::report
