// The run as this process knows it, and the record of that. The report is made from it.
#pragma once

#include <mpi.h>
#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>

#include "base/cpu_time.h"
#include "job/job.h"
#include "record/record.h"

namespace marshal {

inline std::uint64_t since(std::chrono::steady_clock::time_point then) {
  return nanoseconds(std::chrono::steady_clock::now() - then);
}

struct RunFacts {
  std::chrono::steady_clock::time_point began;
  std::uint64_t begin_ns = 0;                          // Marshal's time in MPI_Init
  std::uint64_t waited_ns = 0;                         // the part of it that was waiting for the other processes
  std::chrono::nanoseconds begin_cpu{}, waited_cpu{};  // the same as CPU time
  report::Job job;                                     // what has been noted of it

  void note_start();         // only the first call does anything
  void note_surroundings();  // the batch system and the host
  void note_thread_level();  // after MPI_Init
};

// The record of this process alone. Does not communicate.
report::Record own_record(const RunFacts& facts);

namespace job {

enum class Stage { before, begun, ended };

struct Run {
  std::atomic<Stage> stage{Stage::before};
  std::mutex changing;
  MPI_Comm own{};  // the private duplicate; comm_null without one
  bool has_own = false;
  pid_t process = 0;
  std::uint64_t number = 0;  // of this run, the same in all processes; 0: they have not met
  std::string stem;          // of its files of where all stand (watch_meeting.h), with its number
  RunFacts facts;
  AddToRecord add;
};
Run& run();

}  // namespace job
}  // namespace marshal
