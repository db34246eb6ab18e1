// Where the run's time went: in MPI, or outside of it, which is called useful.
//
// Calls have the times of the thread that began MPI, in nanoseconds; other threads are apart. A call counts once,
// whatever the MPI library calls inside it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>

#include "record/bounded_table.h"
#include "record/call_site.h"
#include "record/fields.h"

namespace marshal::report {

// A sample a process, and which process has the most.
struct RankedSpread {
  Spread of{};
  std::uint64_t most_rank = 0;  // of equal ones the lowest

  void add(std::uint64_t value, std::uint64_t rank) { merge({{1, value, value, value}, rank}); }
  void merge(const RankedSpread& other) {
    if (other.of.samples == 0) return;
    if (of.samples == 0 || other.of.max > of.max)
      most_rank = other.most_rank;
    else if (other.of.max == of.max)
      most_rank = std::min(most_rank, other.most_rank);
    of.merge(other.of);
  }
  MARSHAL_NAMED_FIELDS("spread, most_rank", of, most_rank);
  auto operator<=>(const RankedSpread&) const = default;
};

// A part of the run, in each process: how long it was, and how much of that was in MPI.
struct TimedRun {
  Spread run_ns{};
  RankedSpread mpi_ns{};
  RankedSpread useful_ns{};  // run less MPI

  void add(std::uint64_t run, std::uint64_t mpi, std::uint64_t rank) {
    run_ns.add(run);
    mpi_ns.add(mpi, rank);
    useful_ns.add(run - std::min(run, mpi), rank);
  }
  // The efficiencies of POP, from 0 to 1; 0 where nothing was timed.
  // Source: Performance Optimisation and Productivity, "POP Standard Metrics for Parallel Performance Analysis".
  double parallel_efficiency() const { return ratio(useful_ns.of.mean(), static_cast<double>(run_ns.max)); }
  double load_balance() const { return ratio(useful_ns.of.mean(), static_cast<double>(useful_ns.of.max)); }
  double communication_efficiency() const {
    return ratio(static_cast<double>(useful_ns.of.max), static_cast<double>(run_ns.max));
  }
  // MPI's share of the time of all processes.
  double mpi_share() const { return ratio(static_cast<double>(mpi_ns.of.sum), static_cast<double>(run_ns.sum)); }
  void merge(const TimedRun& other) { merge_fields(*this, other); }

  MARSHAL_FIELDS(run_ns, mpi_ns, useful_ns);
  auto operator<=>(const TimedRun&) const = default;

 private:
  static double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }
};

// A call at a place of the program, on a communicator.
struct PlaceKey {
  CallSite site;          // its call is empty for all places that are not kept apart
  CallSite communicator;  // what made it, or its predefined name without frames; empty: the call has none

  MARSHAL_FIELDS(site, communicator);
  auto operator<=>(const PlaceKey&) const = default;
};
std::uint64_t hash_of(const PlaceKey& key);

// The process that came last to the calls of a place, and how long the others waited (arrivals.h). It is made from
// samples, when all records are one.
struct Arrivals {
  std::uint64_t samples = 0;                      // calls
  std::uint64_t waiting_ns = 0, moving_ns = 0;    // of the place's time: before the last came, and after; 0: not known
  std::uint64_t last_rank = 0, last_samples = 0;  // which came last in most of the samples, and in how many
  std::uint64_t late_ns = 0;                      // after the others, in the mean of these
  CallSite before{};                              // the timed call that it made before these
  std::string before_symbol{};

  bool are_times_known() const { return waiting_ns + moving_ns != 0; }
  MARSHAL_FIELDS(samples, waiting_ns, moving_ns, last_rank, last_samples, late_ns, before, before_symbol);
  void merge(const Arrivals& other) {
    if (*this < other) *this = other;
  }
  auto operator<=>(const Arrivals&) const = default;
};

struct PlaceTime {
  std::uint64_t calls = 0;  // of all threads; estimated for calls that are not timed each
  RankedSpread time_ns{};
  std::uint64_t other_threads_ns = 0;
  Spread processes{};  // of the communicators; a sample a process and communicator
  std::string symbol{}, communicator_symbol{};
  Arrivals arrivals{};

  MARSHAL_FIELDS(calls, time_ns, other_threads_ns, processes, symbol, communicator_symbol, arrivals);
  void merge(const PlaceTime& other) { merge_fields(*this, other); }
  auto operator<=>(const PlaceTime&) const = default;
};

// What the program calls a region by MPI_Pcontrol. Regions inside it are in its times.
struct RegionTime {
  std::uint64_t entries = 0;
  TimedRun run{};
  std::map<std::string, std::uint64_t> calls_ns{};  // by MPI name, summed over the processes

  MARSHAL_NAMED_FIELDS("entries, times, calls_ns", entries, run, calls_ns);
  void merge(const RegionTime& other) { merge_fields(*this, other); }
  auto operator<=>(const RegionTime&) const = default;
};

inline constexpr std::size_t most_places = 256, most_regions = 64, most_bars = 4096;

extern template class BoundedTable<PlaceKey, PlaceTime, most_places>;
extern template class BoundedTable<std::string, RegionTime, most_regions>;

struct Times {
  TimedRun run{};                             // a sample for each process that was timed
  Spread paused_ns{};                         // left out by the program, MPI_Pcontrol(0)
  Spread other_threads_ns{};                  // in MPI; a sample for each process that has any
  std::map<std::uint64_t, Spread> bars{};     // in MPI, ns: a bar for each rank, or as many that follow each other
  std::map<std::uint64_t, Spread> waiting{};  // in arrivals, ns: the part of a bar
  BoundedTable<PlaceKey, PlaceTime, most_places> places{};
  BoundedTable<std::string, RegionTime, most_regions> regions{};

  bool measured() const { return run.run_ns.samples != 0; }
  // How many ranks a bar stands for, in a job of so many.
  static std::uint64_t ranks_a_bar(std::uint64_t ranks) { return (ranks + most_bars - 1) / most_bars; }
  void merge(const Times& other) { merge_fields(*this, other); }

  MARSHAL_NAMED_FIELDS("run, paused_ns, other_threads_ns, rank_bars, waiting_bars, places, regions", run, paused_ns,
                       other_threads_ns, bars, waiting, places, regions);
  bool operator==(const Times&) const = default;
};

}  // namespace marshal::report
