// Facts about a run as a whole, the same in every process that knows them.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace marshal::report {

struct Job {
  std::string program{};                 // name, as in the report's file name
  std::string path{};                    // of the executable or script
  std::vector<std::string> arguments{};  // the command line of the lowest rank
  std::string job_id{}, scheduler{};     // process_facts.h
  std::string host{};                    // of the lowest rank
  std::string started{};                 // ISO 8601 with zone
  std::string marshal_version{};
  std::string mpi{};           // "Open MPI 4.1.4", one line
  std::string mpi_standard{};  // "3.1"
  std::string thread_level{};  // "MPI_THREAD_MULTIPLE"; empty: not initialised by the world model
  std::string messages{};      // who packs datatypes in messages: "engine", or why the host does; empty: unknown
  std::uint64_t ranks = 0;     // of the job, whether recorded or not
  std::uint64_t nodes = 0;     // 0: not available
  std::uint64_t ranks_per_node_min = 0, ranks_per_node_max = 0;
  std::uint64_t project_ranks = 0;                // MARSHAL_PROJECT
  std::map<std::string, std::string> settings{};  // variable -> "value (source)", those not at their default

  auto operator<=>(const Job&) const = default;
};

}  // namespace marshal::report
