// Whether all ranks of the job run under Marshal: found out before anything else is said between them.
//
// A rank without Marshal takes no part in this and goes on with the program; what it is sent, it could take for a
// message of the program's. The launchers' key-value stores would be out of its way, but MPICH keeps its own to itself
// and every launcher has another. So the ranks meet in nonblocking collectives on the program's communicator, whose
// messages no receive of the program matches, whatever source and tag it asks for, and send nothing but to rank 0 until
// rank 0 knows that all are there. What is left: a rank 0 without Marshal whose own first nonblocking collective on
// that communicator comes before the others end the job. That job ends with an error in every case.
#pragma once

#include <mpi.h>

#include <chrono>

namespace marshal {

enum class Standing : int {
  ready,
  switched_off,  // MARSHAL_DISABLE
  unable,        // out of memory, say
};

struct Arrival {
  bool all_ready = false;
  std::chrono::nanoseconds waited{0}, waited_cpu{0};  // for the others
};

// Collective over `everybody`, which has all processes of the job; does not throw. The same answer on all. Says once a
// job which ranks are not ready. Where ranks do not come within MARSHAL_WAIT seconds it names them and ends the job.
Arrival meet_everybody(MPI_Comm everybody, Standing own);

// Whether they have met, and were all ready. Before that nothing is known of the other ranks of a communicator.
bool all_have_met();

}  // namespace marshal
