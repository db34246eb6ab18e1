// A run in at most 8 KiB: what `marshal jobs` reads of each of many. Plain values; pages.h writes and reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "record/fields.h"
#include "record/record.h"
#include "record/traffic.h"

namespace marshal::report {

inline constexpr int version_of_summary_schema = 1;
// The size of a summary as JSON. Texts that would not fit lose their end.
inline constexpr std::size_t most_summary_bytes = 8192;

struct SummaryFinding {
  std::string verdict{}, subject{}, what{};  // as in the report
  MARSHAL_FIELDS(verdict, subject, what);
  bool operator==(const SummaryFinding&) const = default;
};

struct Summary {
  std::string program{}, user{}, host{}, job_id{}, scheduler{}, started{}, marshal_version{}, mpi{};  // of the Job
  std::uint64_t ranks = 0, nodes = 0;                   // of the job; 0 nodes: not available
  std::uint64_t recorded_ranks = 0, partial_ranks = 0;  // how many are in here, and ended without finalize
  Spread wall_ns{};                                     // a sample a recorded process
  std::optional<double> mpi_share{}, saved_seconds{};   // see below, findings.h
  std::optional<double> own_share{}, own_cpu_share{};   // Marshal's part of the processes' time
  std::optional<std::uint64_t> messages{}, bytes{};     // sent within the job; nothing: not counted
  std::optional<PlacedBytes> between_nodes{};           // of these; nothing: not counted, or nodes unknown
  std::vector<SummaryFinding> findings{};               // most_findings at most
  std::uint64_t warnings = 0;                           // of all processes
  std::string report{};                                 // the full one beside it; empty: none was written
  std::uint64_t cut_texts = 0;                          // of the above, that lost their end

  MARSHAL_NAMED_FIELDS(
      "program, user, host, job_id, scheduler, started, marshal_version, mpi, ranks, nodes, recorded_ranks, "
      "partial_ranks, wall_ns, mpi_share, saved_seconds, own_share, own_cpu_share, messages, bytes, "
      "between_nodes_bytes, findings, warnings, report, cut_texts",
      program, user, host, job_id, scheduler, started, marshal_version, mpi, ranks, nodes, recorded_ranks,
      partial_ranks, wall_ns, mpi_share, saved_seconds, own_share, own_cpu_share, messages, bytes, between_nodes,
      findings, warnings, report, cut_texts);
  bool operator==(const Summary&) const = default;
};

// The part of the processes' time that passed in MPI, 0 to 1. Nothing where it was not measured.
std::optional<double> mpi_share(const Record& record);

// `report` is the path of the full report, or empty. Pure; thread safe.
Summary summary_of(const Record& record, const std::string& report);

// The summary with no text above `most` bytes but the report's name, a file's. A text that is cut ends with "...", and
// cut_texts counts it.
Summary with_texts_cut(const Summary& summary, std::size_t most);

}  // namespace marshal::report
