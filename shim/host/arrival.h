// Finds out whether all ranks of the job run under Marshal, before they exchange anything else.
//
// A rank without Marshal takes no part and goes on with the program; it could take a message of Marshal's for one of
// the program's. The launchers' key-value stores would avoid that, but MPICH hides its store, and every launcher has
// another. So the ranks meet in nonblocking collectives on the program's communicator: no receive of the program
// matches their messages, whatever source and tag it asks for. They send to rank 0 only, until rank 0 knows that all
// are there. One case remains: a rank 0 without Marshal that starts a nonblocking collective of its own on that
// communicator before the others end the job. Such a job ends with an error anyway.
#pragma once

#include <mpi.h>

#include <chrono>

namespace marshal {

enum class Readiness : int {
  ready,
  switched_off,  // MARSHAL_DISABLE
  excluded,      // MARSHAL_EXCLUDE
  unable,        // out of memory, say
};

struct Arrival {
  bool all_ready = false;
  std::chrono::nanoseconds waited{0}, waited_cpu{0};  // for the others
};

// Collective over `everybody`, which has all processes of the job; does not throw. All get the same answer. One line a
// job names the ranks that are not ready. If ranks do not come within MARSHAL_WAIT seconds, it names them and ends the
// job.
Arrival meet_everybody(MPI_Comm everybody, Readiness own);

// True once all have met and were ready. Until then nothing is known about the other ranks.
bool all_have_met();

}  // namespace marshal
