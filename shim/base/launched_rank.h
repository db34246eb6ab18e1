// Which process of the job this is, before MPI can be asked.
#pragma once

namespace marshal {

// As launchers tell in the environment; true where none does. For lines that one process is to say for all.
bool first_of_job();

}  // namespace marshal
