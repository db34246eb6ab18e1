// Tells the reader of a report what to do, or why there is nothing to do, in words that need no glossary.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "findings/finding.h"
#include "record/record.h"

namespace marshal::report {

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

// Process seconds that Marshal saved, as far as that was measured: by its packing engine, where the MPI library was
// timed at the same work. Negative: it lost them. Nothing where it was not measured.
std::optional<double> saved_seconds(const Record& record);

}  // namespace marshal::report
