// From the bytes that a grid's processes were seen to send to each other, to a stencil that plans by them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "mapping/grid.h"
#include "profile/learned_grid.h"

namespace marshal::profile {

// Bytes of all processes by displacement, as "0,-1".
using BytesByDisplacement = std::map<std::string, std::uint64_t>;

// A step for each displacement and its opposite, with the bytes that one pair of cells exchanges along it as weight, in
// units of which the largest has at most a million: as MARSHAL_CART_STENCIL takes it. Displacements that carry little
// are left out. Nothing where what is left is less than nine tenths of all bytes, `elsewhere` included: such traffic is
// not that of a stencil.
std::optional<std::string> learned_stencil(const mapping::Grid& grid, const BytesByDisplacement& bytes,
                                           std::uint64_t elsewhere);

// True if the shares of the displacements differ by a tenth in all at most.
bool similar(const std::string& stencil, const std::string& other, int dimensions);

// What `kept`, oldest first, knows of the grids of a program at this number of processes, with these arguments, in the
// one directory of `program`. Of a grid that is not known so, others may lend what they taught: at least two
// directories with these arguments, else runs of at least two different arguments; all nearly the same, and always so.
// Its directories are none then, its job says who lent it, and earlier stencils are those that any other run of this
// grid had. Where these are too many nothing is lent.
std::vector<LearnedGrid> known_of_program(const std::vector<LearnedGrid>& kept, const LearnedGrid& program);

// Puts what a run in the one directory of `now` taught into the place of what was known there. Directories that were
// taught nearly the same share one grid.
void add_taught(std::vector<LearnedGrid>& kept, LearnedGrid now);

// What is kept of a grid after a run that taught `now`, where `before` was known of it. Traffic as before keeps what is
// known of its order: if this run had an order of Marshal's own making and that `sent_more` between nodes than the
// order given, its bytes are not those of a stencil, and the order given is kept from now on. Other traffic puts the
// stencil known so far among the earlier ones.
LearnedGrid after_another_run(const LearnedGrid& before, LearnedGrid now, bool sent_more);

}  // namespace marshal::profile
