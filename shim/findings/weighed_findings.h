// The common parts of the findings on single subjects; findings.cc chooses among the findings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "findings/findings.h"
#include "record/record.h"
#include "record/units.h"

namespace marshal::report {

struct Weighed {
  Finding finding;
  double weight = 0;  // the part of the run that it is about, 0 to 1
};

// A finding is such a function in a file of its own: the test on the record, and the sentences. It is declared here,
// and registered by one line of findings.cc.
using AddFindings = void(const Record& record, std::vector<Weighed>& all);
AddFindings add_missing_ranks, add_spawned, add_own_cost, add_time_findings, add_traffic_findings, add_grid_findings,
    add_datatype_findings, add_message_findings, add_file_findings, add_leak_findings, add_communicator_findings;

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
