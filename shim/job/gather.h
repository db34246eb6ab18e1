// Reduces the processes' records to one.
#pragma once

#include <mpi.h>

#include <chrono>
#include <cstdint>
#include <vector>

#include "record/record.h"

namespace marshal {

struct Gathered {
  report::Record record;
  std::chrono::nanoseconds waited{};      // for others to send
  std::chrono::nanoseconds waited_cpu{};  // CPU time in that wait: hosts poll
};

// Merges the records of all processes of `communicator` along a binomial tree: log2(P) steps, and memory for two
// records however many processes there are. The result is right on rank 0. Collective. A part that arrives damaged is
// left out with a warning in the record.
Gathered gather(report::Record own, MPI_Comm communicator);
// The message of a process: its record, and the samples of arrivals behind it.
std::vector<std::uint8_t> message_of(const report::Record& record);

}  // namespace marshal
