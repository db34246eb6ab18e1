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
#include <string_view>
#include <vector>

#include "record/arrival_samples.h"
#include "record/bounded_table.h"
#include "record/call_site.h"
#include "record/core_use.h"
#include "record/datatype_layout.h"
#include "record/exchanges.h"
#include "record/fields.h"
#include "record/grid.h"
#include "record/object_site.h"
#include "record/rank_set.h"
#include "record/times.h"
#include "record/traffic.h"

namespace marshal::report {

inline constexpr int version_of_schema = 6;

// An order of the ranks that `marshal launch` asked the launcher for.
struct AskedOrder {
  std::uint64_t ranks = 0;                         // 0: none was asked for
  std::uint64_t elsewhere = 0;                     // of these, on other nodes than asked for
  std::uint64_t bytes_given = 0, bytes_asked = 0;  // between nodes in either order, predicted from the run measured
  std::string measured{};                          // that run: "job 4711, 2026-11-22T18:16:27+00:00"
  MARSHAL_FIELDS(ranks, elsewhere, bytes_given, bytes_asked, measured);
  auto operator<=>(const AskedOrder&) const = default;
};

// Facts about a run as a whole, the same in every process that knows them.
struct Job {
  std::string program{};                 // name, as in the report's file name
  std::string path{};                    // of the executable or script
  std::vector<std::string> arguments{};  // the command line of the lowest rank
  std::string job_id{}, scheduler{};     // process_facts.h
  std::string host{};                    // of the lowest rank
  std::string user{};                    // process_facts.h, as the process that writes the report knows it
  std::string started{};                 // ISO 8601 with zone
  std::string marshal_version{};
  std::string mpi{};           // "Open MPI 4.1.4", one line
  std::string mpi_standard{};  // "3.1"
  std::string thread_level{};  // "MPI_THREAD_MULTIPLE"; empty: not initialised by the world model
  std::string messages{};      // who packs datatypes in messages (in_pipeline, at_calls…); empty: unknown
  std::uint64_t ranks = 0;     // of the job, whether recorded or not
  std::uint64_t nodes = 0;     // 0: not available
  std::uint64_t ranks_per_node_min = 0, ranks_per_node_max = 0;
  std::uint64_t project_ranks = 0;       // that memory is extrapolated to
  std::uint64_t communicator_limit = 0;  // that the MPI library has for a process; 0: not known
  AskedOrder order{};
  std::map<std::string, std::string> settings{};  // variable -> "value (source)", those not at their default

  MARSHAL_FIELDS(program, path, arguments, job_id, scheduler, host, user, started, marshal_version, mpi, mpi_standard,
                 thread_level, messages, ranks, nodes, ranks_per_node_min, ranks_per_node_max, project_ranks,
                 communicator_limit, order, settings);
  auto operator<=>(const Job&) const = default;
};

inline void merge_field(Job&, const Job&) {}  // one is chosen as a whole

// The texts of Job::messages, which say who packs datatypes in messages.
inline constexpr std::string_view in_pipeline = "engine", at_calls = "calls: ";

// Why Marshal's engine packs them at the calls; empty where it does not.
constexpr std::string_view why_at_calls(std::string_view way) {
  return way.starts_with(at_calls) ? way.substr(at_calls.size()) : std::string_view{};
}

// Why they are left to the MPI library; empty where they are not, and where that is unknown.
constexpr std::string_view why_left_to_host(std::string_view way) {
  return way == in_pipeline || way.starts_with(at_calls) ? std::string_view{} : way;
}

struct CallCount {
  std::uint64_t calls = 0;      // sum over processes
  std::uint64_t processes = 0;  // that made any
  RankedSpread time_ns{};       // of the thread that began MPI; a sample for each process whose calls were timed
  std::uint64_t other_threads_ns = 0;
  MARSHAL_FIELDS(calls, processes, time_ns, other_threads_ns);
  void add(std::uint64_t of_a_process) { calls += of_a_process, ++processes; }
  void merge(const CallCount& other) { merge_fields(*this, other); }
  auto operator<=>(const CallCount&) const = default;
};

struct Warning {
  std::uint64_t count = 0;
  std::uint64_t first_rank = UINT64_MAX;
  MARSHAL_FIELDS(count, first_rank);
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
  MARSHAL_FIELDS(packing, translation, processes, unavailable);
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
  MARSHAL_FIELDS(wall_ns, init_ns, finalize_ns, waited_ns, inside_ns, init_cpu_ns, inside_cpu_ns, finalize_cpu_ns,
                 map_bytes, map_bytes_peak, tables_shared, translations, process_groups);
  void merge(const OwnCost& other) { merge_fields(*this, other); }
  // Marshal's part of the time of all processes together, with gathering and writing the report. In wall time it
  // includes waiting for cores and other processes, in CPU time it does not. Nothing if it was not measured.
  std::optional<double> share() const;
  std::optional<double> cpu_share() const;
  auto operator<=>(const OwnCost&) const = default;
};

inline constexpr std::size_t most_sites = 256, most_grids = 64, most_layouts = 128, most_calls = 512,
                             most_warnings = 64, most_counters = 32;

// These are compiled once, in record.cc. So are a record's special members: each file would take a second more.
extern template class BoundedTable<std::string, CallCount, most_calls>;
extern template class BoundedTable<CallSite, CommunicatorSite, most_sites>;
extern template class BoundedTable<CallSite, ObjectSite, most_sites>;
extern template class BoundedTable<GridKey, Grid, most_grids>;
extern template class BoundedTable<LayoutKey, DatatypeLayout, most_layouts>;
extern template class BoundedTable<std::string, Warning, most_warnings>;
extern template class BoundedTable<std::string, Counter, most_counters>;

struct Record {
  Record();
  Record(const Record&);
  Record(Record&&) noexcept;
  Record& operator=(const Record&);
  Record& operator=(Record&&) noexcept;
  ~Record();
  bool operator==(const Record&) const;

  Job job;                         // as the lowest recorded rank knows it
  RankSet ranks;                   // whose records are in here
  RankSet partial;                 // of these, those that ended without MPI_Finalize
  std::set<std::string> bindings;  // "C", "Fortran mpif.h", "Fortran mpi_f08"
  OwnCost own;
  Times times;
  ArrivalSamples arrivals;  // until all records are one: no report has them
  Traffic traffic;
  BoundedTable<std::string, CallCount, most_calls> calls;  // by MPI name
  BoundedTable<CallSite, CommunicatorSite, most_sites> communicators;
  RankedSpread communicators_at_once;  // most in use; those of the MPI library itself included, where they are known
  BoundedTable<CallSite, ObjectSite, most_sites> objects;
  BoundedTable<GridKey, Grid, most_grids> grids;
  BoundedTable<LayoutKey, DatatypeLayout, most_layouts> datatypes;
  Files files;
  Exchanges exchanges;
  CoreUses cores;
  BoundedTable<std::string, Warning, most_warnings> warnings;  // by text: without rank or address in it
  BoundedTable<std::string, Counter, most_counters> counters;  // by PAPI event name

  void warn(const std::string& text);
  MARSHAL_NAMED_FIELDS(
      "job, recorded_ranks, partial_ranks, bindings, own_cost, times, traffic, calls, communicators, "
      "communicators_at_once, objects, grids, datatypes, files, exchanges, cores, warnings, counters",
      job, ranks, partial, bindings, own, times, traffic, calls, communicators, communicators_at_once, objects, grids,
      datatypes, files, exchanges, cores, warnings, counters);
};

// Puts `from` into `into`. Ranks must not be in both (a rank's numbers would count twice): see RankSet::overlaps.
void merge(Record& into, const Record& from);

}  // namespace marshal::report
