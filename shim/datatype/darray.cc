#include "datatype/darray.h"

#include <algorithm>
#include <cstddef>

namespace marshal::datatype {

OwnedIndices owned_indices(std::int64_t gsize, Distribution distribution, std::int64_t argument, std::int64_t psize,
                           std::int64_t coordinate) {
  if (distribution == Distribution::none) return {0, 1, gsize, 0, 0, 0};
  if (distribution == Distribution::block) {
    const std::int64_t block = argument == default_argument ? (gsize + psize - 1) / psize : argument;
    const std::int64_t first = coordinate * block;
    const std::int64_t length = std::clamp<std::int64_t>(gsize - first, 0, block);
    return {first, length > 0 ? 1 : 0, length, 0, 0, 0};
  }
  const std::int64_t block = argument == default_argument ? 1 : argument;
  const std::int64_t first = coordinate * block;
  const std::int64_t cycle = psize * block;
  const std::int64_t rest = std::max<std::int64_t>(gsize - first, 0);
  const std::int64_t full = rest / cycle + (rest % cycle >= block ? 1 : 0);
  const std::int64_t tail = rest % cycle < block ? rest % cycle : 0;
  return {first, full, block, cycle, first + full * cycle, tail};
}

std::vector<std::int64_t> grid_coordinates(std::int64_t rank, const std::vector<std::int64_t>& psizes) {
  std::vector<std::int64_t> coordinates(psizes.size());
  for (std::size_t d = psizes.size(); d-- > 0;) {
    coordinates[d] = rank % psizes[d];
    rank /= psizes[d];
  }
  return coordinates;
}

}  // namespace marshal::datatype
