// The record of a run: of one process, or merged, of all. Plain values without MPI.
//
// merge() is associative and commutative, bit for bit, and the result is bounded: at most most_words… rows a table
// whatever the number of processes, the rest added up in `others`. So a record can be reduced over any tree of
// processes, and partial records can be merged later by `marshal report`. Numbers are integers in bytes and
// nanoseconds.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "report/bounded_table.h"
#include "report/call_site.h"
#include "report/communicator_site.h"
#include "report/datatype_layout.h"
#include "report/grid.h"
#include "report/job.h"
#include "report/rank_set.h"
#include "report/spread.h"
#include "report/traffic.h"

namespace marshal::report {

inline constexpr int version_of_schema = 2;

struct CallCount {
  std::uint64_t calls = 0;      // sum over processes
  std::uint64_t processes = 0;  // that made any
  void merge(const CallCount& other) {
    calls += other.calls;
    processes += other.processes;
  }
  auto operator<=>(const CallCount&) const = default;
};

struct Warning {
  std::uint64_t count = 0;
  std::uint64_t first_rank = UINT64_MAX;
  void merge(const Warning& other) {
    count += other.count;
    first_rank = first_rank < other.first_rank ? first_rank : other.first_rank;
  }
  auto operator<=>(const Warning&) const = default;
};

// A hardware counter (MARSHAL_PAPI) around one kind of work, or why there is none.
struct Counter {
  std::uint64_t packing = 0, translation = 0;
  std::uint64_t processes = 0;
  std::string unavailable;
  void merge(const Counter& other);
  auto operator<=>(const Counter&) const = default;
};

// Marshal's own counts: one sample a process.
struct OwnCost {
  Spread wall_ns;               // from entering init to finalize (or to the end of a process without it)
  Spread init_ns, finalize_ns;  // of Marshal, not of the host, and without waited_ns
  Spread waited_ns;             // in init, until the other processes came
  Spread inside_ns;             // in wrappers, where they are timed
  Spread init_cpu_ns, inside_cpu_ns, finalize_cpu_ns;  // CPU time in these: without waiting for a core
  Spread map_bytes;                                    // rank maps and tables alive when the record was taken
  Spread map_bytes_peak;
  Spread tables_shared;  // communicators that found their lookup table kept already
  Spread translations;   // ranks translated
  Spread process_groups;
  void merge(const OwnCost& other);
  // Marshal's part of the time of all processes together, with gathering and writing the report. In wall time it
  // includes waiting for cores and other processes, in CPU time it does not. Nothing if it was not measured.
  std::optional<double> share() const;
  std::optional<double> cpu_share() const;
  auto operator<=>(const OwnCost&) const = default;
};

inline constexpr std::size_t most_sites = 256, most_grids = 64, most_layouts = 128, most_calls = 512,
                             most_warnings = 64, most_counters = 32;

struct Record {
  Job job;                         // as the lowest recorded rank knows it
  RankSet ranks;                   // whose records are in here
  RankSet partial;                 // of these, those that ended without MPI_Finalize
  std::set<std::string> bindings;  // "C", "Fortran mpif.h", "Fortran mpi_f08"
  OwnCost own;
  Traffic traffic;
  BoundedTable<std::string, CallCount, most_calls> calls;  // by MPI name
  BoundedTable<CallSite, CommunicatorSite, most_sites> communicators;
  BoundedTable<GridKey, Grid, most_grids> grids;
  BoundedTable<LayoutKey, DatatypeLayout, most_layouts> datatypes;
  BoundedTable<std::string, Warning, most_warnings> warnings;  // by text: without rank or address in it
  BoundedTable<std::string, Counter, most_counters> counters;  // by PAPI event name

  void warn(const std::string& text) { warnings[text].merge({1, ranks.lowest()}); }
  bool operator==(const Record&) const = default;
};

// Puts `from` into `into`. Ranks must not be in both (a rank's numbers would count twice): see RankSet::overlaps.
void merge(Record& into, const Record& from);

}  // namespace marshal::report
