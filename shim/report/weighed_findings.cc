#include "report/weighed_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/units.h"

namespace marshal::report {
namespace {

// The sum over all processes; 0: not measured.
double wall_ns(const Record& record) { return real(record.own.wall_ns.sum); }

}  // namespace

double part_of_run(double ns, const Record& record) {
  return wall_ns(record) > 0 ? std::min(1.0, ns / wall_ns(record)) : 0;
}

std::string of_the_run(double ns, const Record& record) {
  return wall_ns(record) > 0 ? fmt::format(", {} of the run", percent_text(part_of_run(ns, record))) : "";
}

std::string of_the_longer_run(double ns, const Record& record) {
  const double wall = wall_ns(record);
  return wall > 0 ? fmt::format(", {} of what the run would have taken", percent_text(ns / (wall + ns))) : "";
}

std::string at(const std::string& symbol, const CallSite& site) {
  const std::string place = name_or_place(symbol, site);
  return place.empty() ? "" : fmt::format(" ({})", place);
}

std::string between_nodes_text(const PlacedBytes& between, const BytesOfNodes& leaving) {
  const PlacedBytes most = busiest(leaving);
  std::string text = fmt::format("Measured: {} between nodes, {} from the busiest", bytes_text(between.in_force),
                                 bytes_text(most.in_force));
  if (between.in_force != between.given || most.in_force != most.given)
    text += fmt::format("; in the order given {}, {}", bytes_text(between.given), bytes_text(most.given));
  return text + ".";
}

}  // namespace marshal::report
