// The parting of the ranks after Marshal's last messages, before the host's MPI_Finalize.
//
// Over UCX's TCP, MPICH's MPI_Finalize asks all peers for an answer, and then waits for the other processes without
// giving any. A rank that comes there early gets its answer from a peer that is still in another call, and waits; when
// the peer asks in turn, nobody answers, and the job hangs. Programs hang like that without Marshal, too. So no rank
// goes there before all have received their last message.
//
// No message can tell that all have received their last message: a rank that waited for it would answer meanwhile. Only
// MPICH's process manager could tell, and MPICH hides its functions. So all wait for some time after the last message.
// Rank 0 measures it: several times the time in which all meet on this machine as it is, from 2 to 200 ms.
#pragma once

#include <mpi.h>

namespace marshal {

// Collective over `all`, if the job sends over TCP with MPICH, as all have agreed; does nothing elsewhere.
void leave_together(MPI_Comm all);

}  // namespace marshal
