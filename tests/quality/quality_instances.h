// The lines of tests/quality/instances.txt as mapping problems.
#pragma once

#include <cstdint>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "mapping/problem.h"

namespace marshal::mapping {

struct QualityInstance {
  std::string line;  // as written
  Problem problem;
};

inline std::vector<std::int64_t> numbers_of(std::string text, char separator) {
  std::vector<std::int64_t> numbers;
  for (char& c : text) c = c == separator ? ' ' : c;
  std::istringstream in(text);
  for (std::int64_t n; in >> n;) numbers.push_back(n);
  return numbers;
}

// "48", "24,24,48", or "24..48#7": random sizes by a generator of its own (minimal standard), so that they never
// change.
inline std::vector<std::int32_t> node_sizes_of(const std::string& text, std::int64_t cells) {
  std::vector<std::int32_t> sizes;
  const auto dots = text.find("..");
  std::int64_t sum = 0;
  if (dots != std::string::npos) {
    const std::int64_t low = std::stoll(text), high = std::stoll(text.substr(dots + 2));
    std::uint64_t state = std::stoull(text.substr(text.find('#') + 1));
    while (sum < cells) {
      state = state * 48271 % 2147483647;
      sizes.push_back(static_cast<std::int32_t>(low + static_cast<std::int64_t>(state) % (high - low + 1)));
      sum += sizes.back();
    }
  } else {
    const auto given = numbers_of(text, ',');
    for (std::size_t k = 0; sum < cells; ++k) {
      sizes.push_back(static_cast<std::int32_t>(given[k % given.size()]));
      sum += sizes.back();
    }
  }
  sizes.back() -= static_cast<std::int32_t>(sum - cells);
  return sizes;
}

inline QualityInstance quality_instance(const std::string& line) {
  std::istringstream in(line);
  std::string dims_text, sizes_text, weights_text, periods_text, stencil_text;
  if (!(in >> dims_text >> sizes_text >> weights_text >> periods_text >> stencil_text))
    throw std::invalid_argument("not an instance: " + line);
  std::vector<int> dims;
  for (const std::int64_t d : numbers_of(dims_text, 'x')) dims.push_back(static_cast<int>(d));
  const std::vector<int> periods(dims.size(), periods_text == "1" ? 1 : 0);
  Grid grid = make_grid(dims, periods);
  const auto weights = weights_text == "-" ? std::vector<std::int64_t>{} : numbers_of(weights_text, ',');
  Stencil stencil = parse_stencil(stencil_text, grid.ndims(), weights);
  std::vector<std::int32_t> node_of_rank;
  std::int32_t node = 0;
  for (const std::int32_t size : node_sizes_of(sizes_text, grid.cells())) {
    node_of_rank.insert(node_of_rank.end(), static_cast<std::size_t>(size), node);
    ++node;
  }
  return {dims_text + " " + sizes_text + " " + weights_text + " " + periods_text + " " + stencil_text,
          make_problem(std::move(grid), std::move(stencil), node_of_rank)};
}

}  // namespace marshal::mapping
