// What `marshal launch` leaves for the run that it starts: the key that it looked up, and the order of the ranks that
// it asked the launcher for. A small file in the directory of profiles, as text.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profile/own_file.h"
#include "profile/program_key.h"

namespace marshal::profile {

struct LaunchNote {
  ProgramKey key{};
  // The order; empty where none was asked for.
  std::vector<std::string> hosts{};
  std::vector<std::int32_t> asked{}, given{};      // the node of each rank, by its number among the hosts
  std::uint64_t bytes_asked = 0, bytes_given = 0;  // between nodes, if the run sends what was measured
  std::string taught_by{};                         // the run that was measured: "job 4711, 2026-11-22T18:16:27+00:00"

  bool has_order() const { return !asked.empty(); }
  bool operator==(const LaunchNote&) const = default;
};

std::string to_text(const LaunchNote& note);
// Nothing, and why in `why_not`, for what is no such text.
std::optional<LaunchNote> launch_note_from_text(std::string_view text, std::string& why_not);

// Writes a new file, and returns its path; `order`, if it is not empty, stands beside it for the launcher, under the
// same path with ".hosts". Notes of thirty days ago are removed, and of those that are older than a day all but the 500
// newest. Empty where they cannot be written; then `problem` says why in one line.
std::string write_launch_note(const std::string& directory, const LaunchNote& note, std::string_view order,
                              std::string& problem);
inline constexpr std::string_view order_ending = ".hosts";

// The notes in a directory and the orders beside them, newest first.
std::vector<ListedFile> launch_notes_in(const std::string& directory);
// Refuses files as read_profile() does: nothing, and a line in `problem`.
std::optional<LaunchNote> read_launch_note(const std::string& path, std::string& problem);

}  // namespace marshal::profile
