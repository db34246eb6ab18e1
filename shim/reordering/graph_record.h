// The report's part on the graph topologies that the program made.
#pragma once

#include "callsites/call_frames.h"
#include "reordering/graph_reordering.h"
#include "report/record.h"

namespace marshal {

// Call on the process that planned the graph, or any one where nobody did. `call`: "MPI_Graph_create", a literal.
void note_graph(const CallFrames& frames, const char* call, int processes, const PlannedGraph& plan, bool moved);

void put_graphs_into(report::Record& record);

}  // namespace marshal
