// The processes of a node share memory in which each shows where it stands in MPI (watch/slots.h).
#pragma once

#include <string>

#include "host/joint_work.h"
#include "watch/running_file.h"

namespace marshal::job {

// The report's name without its ending, for all ranks: rank 0 says it.
std::string stem_of_run();
// After the nodes and the settings are known. Collective over the work's communicator. A process that cannot share the
// memory is not seen.
void share_slots(JointWork& all);
// The first process of each node begins to look. Once MPI has begun.
void begin_watching(const watch::Calls& calls);

}  // namespace marshal::job
