// The profile of a program: the traffic of its grids, as runs taught it, and the runs that moved ranks. As text it is
// lines, so that it can be read and sent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "mapping/grid.h"
#include "profile/program_key.h"

namespace marshal::profile {

// How many bytes go along each displacement of one grid.
struct LearnedGrid : Program {
  std::string site{};  // where the grid was made: module and offset; empty: not recorded
  int processes = 0;   // of the job
  mapping::Grid grid{};
  // Hashes of the directories whose runs taught it, newest first: input files of one name differ between directories.
  std::vector<std::string> directories{};

  std::string stencil{};  // as MARSHAL_CART_STENCIL takes it: "0,1*64;0,-1*64;1,0*1;-1,0*1"
  // Stencils of earlier runs that were another one, newest first: the traffic changes from run to run.
  std::vector<std::string> earlier{};
  bool keep_order = false;  // an order made for this stencil sent more between nodes than the order given

  // For people.
  std::string job{};      // that taught the stencil
  std::string learned{};  // when that began, ISO 8601

  // True for the same grid of the same program with the same arguments, in whatever directory.
  bool same_grid(const LearnedGrid& other) const {
    return is_alike(other) && std::tie(site, processes, grid) == std::tie(other.site, other.processes, other.grid);
  }
  bool operator==(const LearnedGrid&) const = default;
};

// A run that gave processes other ranks, and is not known to have ended in order: it runs, or it died of that. Where
// one died, another of the same program with the same arguments may.
struct MovedRun : Program {
  std::string process{};  // that noted it

  // For people.
  std::string job{};
  std::string moved{};  // when it first did, ISO 8601
  bool operator==(const MovedRun&) const = default;
};

inline constexpr std::size_t most_grids = 256, most_moved_runs = 64;  // in one file
inline constexpr std::size_t most_steps = 64;                         // of a stencil, both directions
inline constexpr std::int64_t largest_weight = 1'000'000;  // of a step, so that sums over the largest grid fit
inline constexpr std::size_t most_earlier = 3, most_directories = 16, most_dimensions = 16;

struct Contents {
  std::vector<LearnedGrid> grids{};    // oldest first
  std::vector<MovedRun> moved_runs{};  // the same; no two are alike
  bool operator==(const Contents&) const = default;
};

// Lines, with a first one that names the format. Names lose the characters that would break a line, and long names are
// cut.
std::string to_text(const Contents& contents);
// Nothing, and why in `why_not`, for what is no such text: nothing of it is trusted then. A text of an older Marshal
// has nothing in it that could be used.
std::optional<Contents> from_text(std::string_view text, std::string& why_not);

// The text of a field as a profile keeps it.
std::string as_kept(std::string_view text);

}  // namespace marshal::profile
