// The neighbours of each cell: a list of steps, each an offset in every dimension and a weight (how much one exchange
// along it carries, in any unit). Weights are integers so that sums are exact and equal on every machine.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace marshal::mapping {

struct Step {
  std::vector<int> offset;  // one a dimension, never all zero
  std::int64_t weight = 1;  // > 0
};

struct Stencil {
  std::vector<Step> steps;
  std::string name = "star";
};

// "0,-1", as offsets are written in a stencil.
std::string text_of(std::span<const int> offset);

std::vector<int> opposite_of(std::vector<int> offset);

// One step each way in each dimension: what MPI_Cart_shift(…, 1) and the neighbourhood collectives use. `weights` is
// empty (all 1) or holds one weight a dimension.
Stencil star_stencil(int ndims, std::span<const std::int64_t> weights = {});

// All 3^ndims - 1 cells around. A step over several dimensions carries an edge or a corner: the least of their weights.
Stencil box_stencil(int ndims, std::span<const std::int64_t> weights = {});

// "Nearest neighbour with hops" (process-to-node mapping): the star, and 2 … reach steps each way in the first
// dimension only.
Stencil hops_stencil(int ndims, int reach, std::span<const std::int64_t> weights = {});

// "star", "box", "hops:N", or offsets separated by semicolons, each with an optional weight: "0,1; 0,-1; 2,0*3".
// Throws std::invalid_argument, with a message for the user.
Stencil parse_stencil(std::string_view text, int ndims, std::span<const std::int64_t> weights = {});

// Each step as a stencil of its own, of weight 1, together with its opposite step if the stencil has it. An assignment
// that is no worse by each of these stencils is no worse whatever the weights are.
std::vector<Stencil> one_by_one(const Stencil& stencil);

// "8,1": one positive integer a dimension. Throws std::invalid_argument.
std::vector<std::int64_t> parse_weights(std::string_view text, int ndims);

// True if every step has its opposite with the same weight.
bool symmetric(const Stencil& stencil);

}  // namespace marshal::mapping
