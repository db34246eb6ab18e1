// How the ranks part after Marshal's last messages, before the host's MPI_Finalize.
//
// Over UCX's TCP, MPICH's MPI_Finalize asks all peers for an answer, and then waits for the other processes without
// giving any. A rank that comes there early gets its answer from a peer that is still in another call, and waits; when
// the peer asks in turn, nobody answers, and the job hangs. Programs hang like that without Marshal, too. So no rank
// goes there before all have received their last message.
#pragma once

#include <mpi.h>

namespace marshal {

// Collective over `all`, if the job sends over TCP with MPICH; does nothing elsewhere. Takes 5 ms.
void leave_together(MPI_Comm all);

}  // namespace marshal
