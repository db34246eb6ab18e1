// The exchanges of a program's communicators by nodes: MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw of small blocks.
//
// A communicator's calls are the host's until there were many. Then its processes agree whether they can do without the
// host, and each call goes by nodes or by the host as their times say (choice.h). Each of the three functions has times
// of its own: programs exchange the lengths of blocks by one, and the blocks by another.
//
// Not for MPI_Allgather and MPI_Allgatherv, where the hosts send few messages already (doc/PERFORMANCE.md).
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <optional>

#include "base/relaxed.h"
#include "communicators/communicator.h"
#include "exchange/blocks.h"
#include "record/exchanges.h"

namespace marshal::exchange {

namespace detail {
inline constinit Relaxed<bool> on;
}

// From MPI_Init to MPI_Finalize, where nodes have several processes and MARSHAL_EXCHANGE lets it. Agreed.
[[gnu::always_inline]] inline bool is_on() { return detail::on; }

// In MPI_Init, on the settings in force, where no process had a session before: its threads may be at work already.
// `own`: Marshal's duplicate of the job's communicator.
void begin(MPI_Comm own);
// Before that is freed.
void end();

// This process's, so far.
report::Exchanges exchanges();

enum class Exchange : std::uint8_t { alltoall, alltoallv, alltoallw };

class Kept;
class Choice;

// One call of the program on a communicator, which no other thread uses for a collective call meanwhile.
class Turn {
 public:
  // Counts the call. Collective over the communicator, now and then.
  Turn(Exchange which, MPI_Comm comm);
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  // Alike on all processes.
  bool goes_by_nodes() const { return by_nodes_; }
  // Collective over the communicator. Null: all processes make the host's call now. Else an MPI error code; the
  // program's handler has heard of none.
  std::optional<int> run(const Arguments& send, const Arguments& receive, bool may_take_part, bool by_engine);
  // The call has ended with success, by either way.
  void end(const Arguments& send, bool may_take_part);
  // It has ended with an error, by either way.
  void fail(int code, const Arguments& send, const Arguments& receive);

 private:
  MPI_Comm comm_;
  std::uint64_t number_ = 0;  // of the communicator
  Kept* kept_ = nullptr;
  Choice* choice_ = nullptr;
  bool by_nodes_ = false, fell_back_ = false, has_blocks_ = false, is_noted_ = false;
  std::chrono::steady_clock::time_point began_;
};

}  // namespace marshal::exchange
