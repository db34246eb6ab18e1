#include "mapping/stencil.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "base/split_text.h"

namespace marshal::mapping {
namespace {

constexpr std::int64_t largest_given_weight = 1'000'000'000;
constexpr int largest_reach = 1'000'000;
constexpr int largest_box = 8;  // 3^8 - 1 = 6560 steps

std::int64_t weight_of(std::span<const std::int64_t> weights, int dim) {
  return weights.empty() ? 1 : weights[static_cast<std::size_t>(dim)];
}

std::int64_t parse_integer(std::string_view text, std::int64_t low, std::int64_t high, std::string_view what) {
  std::int64_t value = 0;
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  if (!read_number(text, value) || value < low || value > high)
    throw std::invalid_argument(fmt::format("{}: expected an integer from {} to {}, not '{}'", what, low, high, text));
  return value;
}

Step parse_step(std::string_view text, int ndims) {
  Step step;
  const auto star = text.find('*');
  if (star != std::string_view::npos)
    step.weight = parse_integer(trimmed(text.substr(star + 1)), 1, largest_given_weight, "stencil weight");
  const auto coordinates = split(text.substr(0, star), ',');
  if (coordinates.size() != static_cast<std::size_t>(ndims))
    throw std::invalid_argument(fmt::format("stencil offset '{}' has {} coordinates, but the grid has {} dimensions",
                                            text, coordinates.size(), ndims));
  for (const auto coordinate : coordinates)
    step.offset.push_back(static_cast<int>(parse_integer(coordinate, -largest_reach, largest_reach, "stencil offset")));
  if (std::all_of(step.offset.begin(), step.offset.end(), [](int o) { return o == 0; }))
    throw std::invalid_argument(fmt::format("stencil offset '{}' is the cell itself", text));
  return step;
}

void add_both_ways(Stencil& stencil, int ndims, int dim, int hop, std::int64_t weight) {
  for (const int sign : {-1, 1}) {
    Step step{std::vector<int>(static_cast<std::size_t>(ndims)), weight};
    step.offset[static_cast<std::size_t>(dim)] = sign * hop;
    stencil.steps.push_back(std::move(step));
  }
}

}  // namespace

std::string text_of(std::span<const int> offset) { return fmt::format("{}", fmt::join(offset, ",")); }

std::vector<int> opposite_of(std::vector<int> offset) {
  for (int& o : offset) o = -o;
  return offset;
}

Stencil star_stencil(int ndims, std::span<const std::int64_t> weights) {
  Stencil stencil;
  for (int d = 0; d < ndims; ++d) add_both_ways(stencil, ndims, d, 1, weight_of(weights, d));
  return stencil;
}

Stencil hops_stencil(int ndims, int reach, std::span<const std::int64_t> weights) {
  Stencil stencil = star_stencil(ndims, weights);
  stencil.name = fmt::format("hops:{}", reach);
  for (int hop = 2; ndims > 0 && hop <= reach; ++hop) add_both_ways(stencil, ndims, 0, hop, weight_of(weights, 0));
  return stencil;
}

Stencil box_stencil(int ndims, std::span<const std::int64_t> weights) {
  if (ndims > largest_box)
    throw std::invalid_argument(fmt::format("the box stencil is for at most {} dimensions", largest_box));
  Stencil stencil;
  stencil.name = "box";
  int points = 1;
  for (int d = 0; d < ndims; ++d) points *= 3;
  for (int point = 0; point < points; ++point) {
    Step step{std::vector<int>(static_cast<std::size_t>(ndims)), largest_given_weight};
    int rest = point;
    bool moves = false;
    for (int d = ndims; d-- > 0; rest /= 3) {
      const int offset = rest % 3 - 1;
      step.offset[static_cast<std::size_t>(d)] = offset;
      if (offset != 0) {
        step.weight = std::min(step.weight, weight_of(weights, d));
        moves = true;
      }
    }
    if (moves) stencil.steps.push_back(std::move(step));
  }
  return stencil;
}

Stencil parse_stencil(std::string_view text, int ndims, std::span<const std::int64_t> weights) {
  text = trimmed(text);
  if (text.empty() || text == "star") return star_stencil(ndims, weights);
  if (text == "box") return box_stencil(ndims, weights);
  if (text.starts_with("hops:"))
    return hops_stencil(ndims, static_cast<int>(parse_integer(text.substr(5), 1, 1000, "hops")), weights);
  if (text.find_first_not_of("0123456789+-,;* \t\n") != std::string_view::npos)
    throw std::invalid_argument(
        fmt::format("unknown stencil '{}': star, box, hops:N, or offsets like \"0,1; 0,-1; 2,0*3\"", text));
  Stencil stencil;
  stencil.name = "offsets";
  for (const auto part : split(text, ';')) {
    if (part.empty()) continue;
    stencil.steps.push_back(parse_step(part, ndims));
  }
  if (!weights.empty())
    throw std::invalid_argument(
        "weights a dimension do not go with a list of offsets: write each offset's own, as in 0,1*8");
  return stencil;
}

std::vector<Stencil> one_by_one(const Stencil& stencil) {
  std::vector<Stencil> all;
  for (const Step& step : stencil.steps) {
    const std::vector<int> opposite = opposite_of(step.offset);
    const auto is_there = [&](const Stencil& one) {
      return one.steps.front().offset == opposite || one.steps.front().offset == step.offset;
    };
    if (std::any_of(all.begin(), all.end(), is_there)) continue;
    Stencil one{{{step.offset, 1}}, "one step"};
    const auto goes_back = [&](const Step& other) { return other.offset == opposite; };
    if (std::any_of(stencil.steps.begin(), stencil.steps.end(), goes_back)) one.steps.push_back({opposite, 1});
    all.push_back(std::move(one));
  }
  return all;
}

std::vector<std::int64_t> parse_weights(std::string_view text, int ndims) {
  std::vector<std::int64_t> weights;
  if (trimmed(text).empty()) return weights;
  for (const auto part : split(text, ',')) weights.push_back(parse_integer(part, 1, largest_given_weight, "weights"));
  if (weights.size() != static_cast<std::size_t>(ndims))
    throw std::invalid_argument(fmt::format("{} weights for a grid of {} dimensions", weights.size(), ndims));
  return weights;
}

bool symmetric(const Stencil& stencil) {
  std::multiset<std::pair<std::vector<int>, std::int64_t>> forth, back;
  for (const Step& step : stencil.steps) {
    forth.emplace(step.offset, step.weight);
    back.emplace(opposite_of(step.offset), step.weight);
  }
  return forth == back;
}

}  // namespace marshal::mapping
