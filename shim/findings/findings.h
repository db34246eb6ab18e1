// Tells the reader of a report what to do, or why there is nothing to do, in words that need no glossary.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "record/call_site.h"
#include "record/record.h"
#include "record/units.h"

namespace marshal::report {

// A report's statement on one subject: what can be gained, what was gained, or why nothing can be gained.
//
// Bytes and seconds in the evidence were measured. A number computed from assumptions is called predicted, one scaled
// from a part is called estimated.
struct Finding {
  enum class Verdict : unsigned char {
    act,      // something can be gained: `action` says how
    gained,   // something was gained: `action` says what is left
    nothing,  // nothing can be gained: `action` says why
  };
  Verdict verdict = Verdict::nothing;
  // "time", "binding", "traffic", "messages", "files", "grids", "datatypes", "communicators", "objects", "Marshal",
  // "report"
  std::string subject;
  std::string what;      // a sentence
  std::string evidence;  // sentences
  std::string action;    // a sentence with the exact setting or command, or one that begins with "Nothing to gain"
  // The most that can be gained: what the calls that this is about took, in the mean of the processes. Below 0: not
  // measured.
  double most_seconds = -1;

  bool operator==(const Finding&) const = default;
};

inline std::string verdict_name(Finding::Verdict verdict) {
  constexpr std::array<const char*, 3> names{"to do", "gained", "nothing to gain"};
  return names[static_cast<std::size_t>(verdict)];
}

inline constexpr std::size_t fewest_findings = 3, most_findings = 7;

// First what can be done, then what was gained, then the rest; within each, the largest part of the run first.
// fewest_findings to most_findings of them. Pure; thread safe.
std::vector<Finding> findings(const Record& record);

// The same for a reader who has one screen.
struct WhatToDo {
  static constexpr std::size_t most = 3;
  std::vector<Finding> findings;  // at most `most`, of those that can be done; the most seconds first
  std::string rest;               // sentences on all others, or why there is nothing to do; may be empty
};
WhatToDo what_to_do(const Record& record);

// Both at once, for who needs both: the record is looked through once.
struct BothFindings {
  std::vector<Finding> findings;
  WhatToDo what_to_do;
};
BothFindings both_findings(const Record& record);

// "12 communicators, 2 windows": all that the run made.
std::string all_made_text(const Record& record);

// "1 GiB between nodes in place of 1.5 GiB (measured)": in the order in force, and in the order given.
std::string in_place_of_given(const GridTraffic& traffic);

// True if another order of the ranks may gain a part of the run that is worth a line, as far as is known.
bool may_gain_by_order(const Record& record);

// True for a grid in the order given that the next run places by what was learned.
bool is_placed_by_next_run(const GridKey& key, const Grid& grid, const Record& record);

// True for calls in which several processes read or write a file together: the MPI library may send their data around.
bool is_collective_on_files(std::string_view call);
// True for calls outside of the run whose times are shares.
bool begins_or_ends_mpi(std::string_view call);

// The place with the most waiting of those where one process comes last to most collective calls.
struct LatePlace {
  const PlaceKey* key;
  const PlaceTime* place;
  double part_of_run;  // that the processes wait there
};
std::optional<LatePlace> place_of_late_process(const Record& record);

// Process seconds that Marshal saved, as far as that was measured: by its packing engine, where the MPI library was
// timed at the same work. Negative: it lost them. Nothing where it was not measured.
std::optional<double> saved_seconds(const Record& record);

// The objects that a program makes and does not free, by place.

// Objects of one place: communicators, windows and files, or those of a record's other table.
struct ObjectsOfPlace {
  const CallSite* site;
  const std::string* symbol;
  Spread made, alive, most_alive;
};

// The objects of all places; the place comes first that has most alive in a process.
std::vector<ObjectsOfPlace> objects_by_place(const Record& record);
// From so many objects of a place in a process on, it matters how `call` makes them: a hundred communicators, windows
// or files, a thousand others.
std::uint64_t many_of(std::string_view call);
// The places of which a process had that many left when MPI_Finalize began.
std::vector<ObjectsOfPlace> not_freed(const Record& record);

// True if a process had three quarters of the communicators in use that the MPI library lets it have.
bool is_near_limit(const Record& record);

// Tells what the program could do in place of making its communicators there; empty: nothing was seen.
std::string better_way(const Record& record, const CallSite& site, const CommunicatorSite& made);

// The common parts of the findings on single subjects; findings.cc chooses among the findings.
struct Weighed {
  Finding finding;
  double weight = 0;  // the part of the run that it is about, 0 to 1
};

// A finding is such a function in a file of its own: the test on the record, and the sentences. It is declared here,
// and registered by one line of findings.cc.
using AddFindings = void(const Record& record, std::vector<Weighed>& all);
AddFindings add_missing_ranks, add_spawned, add_own_cost, add_late_process, add_time_findings, add_binding_findings,
    add_traffic_findings, add_grid_findings, add_datatype_findings, add_message_findings, add_file_findings,
    add_leak_findings, add_communicator_findings;

// "4 processes share 2 cores": a node of the job has more processes than cores. Empty where none has.
std::string too_many_text(const Record& record);

// The most that an order of the ranks can gain, in seconds, mean of a process. It is the least of three: the time in
// calls that move data between processes or wait for that, of all threads; the run without the longest process's time
// outside MPI; and what the slowest network would take for all that was counted. Nothing if the time was not measured.
std::optional<double> most_gain_of_an_order(const Record& record);
// True if other orders of the ranks were tried, and none is known to save anything between nodes.
bool no_order_saves(const Record& record);

// The time of the run that all shares are parts of: where calls were timed, from MPI_Init to MPI_Finalize, without
// both; else the wall time. In ns, the sum over all processes; 0: not measured.
double run_ns(const Record& record);
// The mean of a process, in seconds, of a sum over all of them.
double mean_seconds(double ns_of_all, const Record& record);
// The time in a call, of all threads and processes, in ns; nothing if it was not measured.
std::optional<double> ns_in_call(const Record& record, const std::string& call);

// The time of the run that making the communicators of a place took, in ns of all processes: no more than its calls
// took, and nothing where the program left all of them out of the times.
double creation_ns(const CallSite& site, const CommunicatorSite& made, const Record& record);
// True if that is so much of the run that communicator_findings.cc has a finding on the place.
bool is_much_creation(const CallSite& site, const CommunicatorSite& made, const Record& record);

// `ns` is the sum over all processes. 0 where the time of the run was not measured.
double part_of_run(double ns, const Record& record);
// ", 3.2 % of the run". Empty where the time of the run was not measured, or the program left a part of it out: nobody
// knows how much of `ns` was then.
std::string of_the_run(double ns, const Record& record);

std::string at(const std::string& symbol, const CallSite& site);  // " at place in the program", or empty
// "1000 messages carry 100 MiB"; `kind`: " of derived datatypes", or nothing.
std::string carried_text(std::uint64_t messages, std::uint64_t bytes, std::string_view kind = {});
// "Measured: 5.24 MiB between nodes, 1.31 MiB from the busiest; in the order given 0.94 MiB, 0.24 MiB."
std::string between_nodes_text(const PlacedBytes& between, const BytesOfNodes& leaving);

}  // namespace marshal::report
