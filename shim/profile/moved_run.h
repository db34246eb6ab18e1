// A run that gave processes other ranks, and is not known to have ended in order: it runs, or it died of that.
#pragma once

#include <string>

namespace marshal::profile {

struct MovedRun {
  // The program, as in LearnedGrid.
  std::string program{}, build{}, arguments{};
  std::string process{};  // that noted it

  // For people.
  std::string command{};  // the words behind the program's name, as far as they fit
  std::string job{};
  std::string moved{};  // when it first did, ISO 8601

  // True for runs of the same program with the same arguments: where one died, the other may.
  bool is_alike(const MovedRun& other) const {
    return program == other.program && build == other.build && arguments == other.arguments;
  }
  bool operator==(const MovedRun&) const = default;
};

inline constexpr std::size_t most_moved_runs = 64;  // in one file

}  // namespace marshal::profile
