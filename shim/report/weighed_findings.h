// The common parts of the findings on single subjects; findings.cc chooses among the findings.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/finding.h"
#include "report/record.h"
#include "report/units.h"

namespace marshal::report {

struct Weighed {
  Finding finding;
  double weight = 0;  // the part of the run that it is about, 0 to 1
};

// Each adds what there is to say of its subject. They are in time_findings.cc, traffic_findings.cc, grid_findings.cc,
// packing_findings.cc and communicator_findings.cc.
void add_time_findings(const Record& record, std::vector<Weighed>& all);
void add_traffic_findings(const Record& record, std::vector<Weighed>& all);
void add_grid_findings(const Record& record, std::vector<Weighed>& all);
void add_datatype_findings(const Record& record, std::vector<Weighed>& all);
void add_message_findings(const Record& record, std::vector<Weighed>& all);
void add_communicator_findings(const Record& record, std::vector<Weighed>& all);

// What no order of the ranks can gain more than: the time in calls that move data between processes or wait for that,
// of all threads, mean of a process. Nothing if it was not measured.
std::optional<double> seconds_in_messages(const Record& record);

// `ns` is the sum over all processes, and so is the time of the run. 0 and empty where that was not measured.
double part_of_run(double ns, const Record& record);
std::string of_the_run(double ns, const Record& record);  // ", 3.2 % of the run"
// The part of saved time in the run without that saving: ", 3.1 % of what the run would have taken".
std::string of_the_longer_run(double ns, const Record& record);

std::string at(const std::string& symbol, const CallSite& site);  // " (place in the program)", or empty
// "Measured: 5.24 MiB between nodes, 1.31 MiB from the busiest; in the order given 0.94 MiB, 0.24 MiB."
std::string between_nodes_text(const PlacedBytes& between, const BytesOfNodes& leaving);

}  // namespace marshal::report
