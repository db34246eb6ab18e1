// The traffic of one grid of a program, as runs taught it: how many bytes go along each displacement.
#pragma once

#include <string>
#include <vector>

#include "mapping/grid.h"

namespace marshal::profile {

struct LearnedGrid {
  // Which grid it is about.
  std::string program;    // its name
  std::string build;      // its build-id, in hexadecimal digits; empty where it has none
  std::string arguments;  // a hash of the words behind the program's name: other input has other traffic
  std::string site;       // where the grid was made: module and offset; empty: not recorded
  int processes = 0;      // of the job
  mapping::Grid grid;
  // Hashes of the directories whose runs taught it, newest first: input files of one name differ between directories.
  std::vector<std::string> directories;

  std::string stencil;  // as MARSHAL_CART_STENCIL takes it: "0,1*64;0,-1*64;1,0*1;-1,0*1"
  // Stencils of earlier runs that were another one, newest first: the traffic changes from run to run.
  std::vector<std::string> earlier;
  bool keep_order = false;  // an order made for this stencil sent more between nodes than the order given

  // For people.
  std::string command;  // the words behind the program's name, as far as they fit
  std::string job;      // that taught the stencil
  std::string learned;  // when that began, ISO 8601

  // True for the same grid of the same program with the same arguments, in whatever directory.
  bool same_grid(const LearnedGrid& other) const;
  bool operator==(const LearnedGrid&) const = default;
};

inline constexpr std::size_t most_grids = 256;             // in one file
inline constexpr std::size_t most_steps = 64;              // of a stencil, both directions
inline constexpr std::int64_t largest_weight = 1'000'000;  // of a step, so that sums over the largest grid fit
inline constexpr std::size_t most_earlier = 3, most_directories = 16, most_dimensions = 16;

}  // namespace marshal::profile
