// From the bytes that a grid's processes were seen to send to each other, to a stencil that plans by them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mapping/grid.h"
#include "profile/profile_text.h"

namespace marshal::profile {

// The processes of a grid that sent along one displacement, and their bytes.
struct SentAlong {
  std::uint64_t processes = 0, bytes = 0;
};
// By displacement, as "0,-1".
using SentByDisplacement = std::map<std::string, SentAlong>;

// The stencil as MARSHAL_CART_STENCIL takes it: a step for each displacement and its opposite. A step's weight is the
// bytes that one pair of cells exchanges along it, scaled so that the largest weight is at most a million.
// Displacements that carry little are left out. So are those that at most half of the cells use which could, in either
// direction: a process that gathers from all others is no neighbour of theirs. Nothing if the others carry less than
// nine tenths of all bytes, `elsewhere` included: then the traffic does not follow a stencil.
std::optional<std::string> learned_stencil(const mapping::Grid& grid, const SentByDisplacement& sent_along,
                                           std::uint64_t elsewhere);

// True if the bytes are alike by displacement (lending.h).
bool similar(const std::string& stencil, const std::string& other, int dimensions);

// The grids of a program that `kept` (oldest first) knows at this number of processes, with these arguments, in the one
// directory of `program`. If a grid is not known there, other runs may lend what they taught (lending.h). Their traffic
// must never have changed. A lent grid has no directories, its job says who lent it, and its earlier stencils are all
// other stencils that runs of this grid had. If these are too many, nothing is lent.
std::vector<LearnedGrid> known_of_program(const std::vector<LearnedGrid>& kept, const LearnedGrid& program);

// Puts what a run in the one directory of `now` taught into the place of what was known there. Directories that were
// taught nearly the same share one grid.
void add_taught(std::vector<LearnedGrid>& kept, LearnedGrid now);

// The entry of a grid after a run that taught `now`, where `before` was known. If the traffic is as before, keep_order
// stays. It becomes true if `sent_more`: an order of Marshal's own making sent more between nodes than the order given.
// Then the bytes do not follow a stencil, and the order given is kept from now on. If the traffic is another one, the
// stencil known so far goes among the earlier ones.
LearnedGrid after_another_run(const LearnedGrid& before, LearnedGrid now, bool sent_more);

}  // namespace marshal::profile
