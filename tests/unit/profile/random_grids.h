// Grids that runs might have taught, for the tests of profiles.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "profile/profile_text.h"

namespace marshal::profile {

class RandomGrids {
 public:
  explicit RandomGrids(unsigned seed) : random_(seed) {}

  int number(int low, int high) { return low + static_cast<int>(random_() % static_cast<unsigned>(high - low + 1)); }

  LearnedGrid grid() {
    LearnedGrid grid;
    const int ndims = number(1, 4);
    std::vector<int> dims, periods;
    for (int d = 0; d < ndims; ++d) {
      dims.push_back(number(1, 40));
      periods.push_back(number(0, 1));
    }
    grid.grid = mapping::make_grid(dims, periods);
    grid.program = "app" + std::to_string(number(0, 3));
    grid.build = number(0, 2) == 0 ? "" : "0123456789abcdef0123456789abcdef01234567";
    grid.arguments = std::to_string(number(0, 9));
    grid.site = number(0, 3) == 0 ? "" : "app+0x" + std::to_string(number(1000, 9999));
    grid.processes = number(1, 100'000);
    grid.stencil = stencil(ndims);
    for (int i = number(0, static_cast<int>(most_earlier)); i > 0; --i) grid.earlier.push_back(stencil(ndims));
    for (int i = number(1, 3); i > 0; --i) grid.directories.push_back("0123456789abcde" + std::to_string(i));
    grid.keep_order = number(0, 1) == 1;
    grid.command = number(0, 1) == 0 ? "" : "-in a file \xc3\xa4 | with;odd*signs";
    grid.job = number(0, 3) == 0 ? "" : std::to_string(number(1, 9999));
    grid.learned = "2026-11-22T18:16:27+00:00";
    return grid;
  }
  std::vector<LearnedGrid> grids(int most) {
    std::vector<LearnedGrid> all;
    for (int i = number(0, most); i > 0; --i) all.push_back(grid());
    return all;
  }

  MovedRun moved_run() {
    return {{.program = "app" + std::to_string(number(0, 3)),
             .build = number(0, 2) == 0 ? "" : "0123456789abcdef",
             .arguments = std::to_string(number(0, 99)),
             .command = number(0, 1) == 0 ? "" : "-in a file \xc3\xa4"},
            std::to_string(number(1, 9999)),
            number(0, 3) == 0 ? "" : std::to_string(number(1, 9999)),
            "2026-11-26T18:16:27+00:00"};
  }
  Contents contents(int most) {
    Contents all{grids(most), {}};
    for (int i = number(0, most); i > 0; --i) all.moved_runs.push_back(moved_run());
    return all;
  }

  std::string stencil(int ndims) {
    std::string text;
    for (int step = number(1, 6); step > 0; --step) {
      std::string offset = std::to_string(number(1, 3));  // never the cell itself
      for (int d = 1; d < ndims; ++d) offset += "," + std::to_string(number(-2, 2));
      text += (text.empty() ? "" : ";") + offset + "*" + std::to_string(number(1, 1'000'000));
    }
    return text;
  }

 private:
  std::mt19937 random_;
};

}  // namespace marshal::profile
