// The steps of canonicalisation, on sequences of pieces in pack order. Each changes the description, never the layout.
#pragma once

#include <utility>

#include "datatype/layout.h"

namespace marshal::datatype {

std::int64_t first_byte(const Piece& piece);      // of the first block in pack order
std::int64_t last_end(const Piece& piece);        // one past the last block in pack order
int depth(const Piece& piece);                    // of loops: 0 for a block
bool same_shape(const Piece& a, const Piece& b);  // equal except for the displacement

// `iterations` iterations of the loop from number `from` on, written out if they are one or two.
Pieces iterations(const Piece& loop, std::int64_t from, std::int64_t count);

// The first or last block in pack order, and what remains.
std::pair<Piece, Pieces> split_first(const Piece& piece);
std::pair<Pieces, Piece> split_last(const Piece& piece);

// Appends the pieces, moved by so many bytes.
void append_shifted(Pieces& out, const Pieces& pieces, std::int64_t by);

// Joins blocks that follow each other without a gap, cutting them out of loops where needed.
void merge_contiguous(Pieces& sequence);

// Three or more pieces of the same shape, of `level` nested loops, at a constant stride become a loop.
bool fold_runs(Pieces& sequence, int level);

// Repeated sequences of pieces become a loop, of the shortest period for which there is one: three times or more, or
// eight times where the sequence is longer than longest_short_period.
bool fold_periods(Pieces& sequence);

// Neighbours that continue a loop over a sequence join it.
bool extend_loops(Pieces& sequence);

// True for a list of blocks without loops that does not repeat itself: stretches from eight places occur only once.
// Depends on lengths and distances only. False for lists that are short anyway.
bool is_irregular_list(const Pieces& sequence);

}  // namespace marshal::datatype
