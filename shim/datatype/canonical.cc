// joined() and repeated(): the order in which the steps of folding.h are applied.
#include <algorithm>

#include "datatype/folding.h"
#include "datatype/layout.h"

namespace marshal::datatype {
namespace {

// Bodies up to this many pieces are examined by writing out a few iterations; longer ones (lists) only at their ends.
constexpr std::size_t short_body = 48;

Pieces copies(const Pieces& pieces, std::int64_t count, std::int64_t stride) {
  Pieces all;
  all.reserve(pieces.size() * static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) append_shifted(all, pieces, i * stride);
  return joined(std::move(all));
}

Piece loop(const Pieces& body, std::int64_t count, std::int64_t stride) {
  if (body.size() == 1 && !body.front().is_loop())
    return Piece{body.front().disp, body.front().length, count, stride, {}};
  return Piece{body.front().disp, 0, count, stride, shifted(body, -body.front().disp)};
}

// The number of the only loop that an added iteration makes longer, if it otherwise just moves the pieces behind it.
bool grows_at(const Pieces& less, const Pieces& more, std::int64_t stride, std::size_t& at) {
  if (less.size() != more.size()) return false;
  bool found = false;
  for (std::size_t i = 0; i < less.size(); ++i) {
    Piece expected = less[i];
    if (found) expected.disp += stride;
    if (expected == more[i]) continue;
    if (found || !expected.is_loop() || expected.stride == 0 || stride % expected.stride != 0) return false;
    expected.count += stride / expected.stride;
    if (!(expected == more[i])) return false;
    found = true;
    at = i;
  }
  return found;
}

bool fold_all_runs(Pieces& sequence) {
  bool changed = false;
  int deepest = 0;
  for (const auto& p : sequence) deepest = std::max(deepest, depth(p));
  for (int level = 0; level <= deepest; ++level) {
    changed |= fold_runs(sequence, level);
    for (const auto& p : sequence) deepest = std::max(deepest, depth(p));
  }
  return changed;
}

bool has_sequences(const Piece& piece) {
  return piece.body.size() > 1 || (piece.body.size() == 1 && has_sequences(piece.body.front()));
}

// The ends of a piece, loops over sequences written out as far as the first or last piece that is none.
Pieces head(const Piece& piece) {
  if (!has_sequences(piece)) return {piece};
  const Pieces first = iterations(piece, 0, 1);
  Pieces all = head(first.front());
  all.insert(all.end(), first.begin() + 1, first.end());
  return all;
}
Pieces tail(const Piece& piece) {
  if (!has_sequences(piece)) return {piece};
  Pieces all = iterations(piece, piece.count - 1, 1);
  const Pieces last = tail(all.back());
  all.pop_back();
  all.insert(all.end(), last.begin(), last.end());
  return all;
}

Pieces tail_of(const Pieces& sequence) {
  if (has_sequences(sequence.back())) return tail(sequence.back());
  return Pieces(sequence.size() > 2 ? sequence.end() - 2 : sequence.begin(), sequence.end());
}

// True if a run of equal pieces reaches from the end of `left` into `right`.
bool run_across(const Pieces& left, const Pieces& right) {
  Pieces seam(left.size() > 2 ? left.end() - 2 : left.begin(), left.end());
  seam.insert(seam.end(), right.begin(), right.size() > 3 ? right.begin() + 3 : right.end());
  return seam.size() > 1 && fold_all_runs(seam);
}

// Peels a loop's first or last iteration where it joins a run beside the loop.
bool open_seams(Pieces& sequence) {
  if (std::none_of(sequence.begin(), sequence.end(), has_sequences)) return false;
  bool changed = false;
  Pieces out;
  const auto append = [&](const Pieces& pieces) { out.insert(out.end(), pieces.begin(), pieces.end()); };
  for (Piece& piece : sequence) {
    const bool open_left = !out.empty() && has_sequences(out.back()), open_right = has_sequences(piece);
    if (out.empty() || !(open_left || open_right) || !run_across(tail_of(out), head(piece))) {
      out.push_back(std::move(piece));
      continue;
    }
    changed = true;
    if (open_left) {
      const Piece left = std::move(out.back());
      out.pop_back();
      append(iterations(left, 0, left.count - 1));
      append(iterations(left, left.count - 1, 1));
    }
    if (open_right) append(iterations(piece, 0, 1));
    append(open_right ? iterations(piece, 1, piece.count - 1) : Pieces{piece});
  }
  sequence = std::move(out);
  return changed;
}

}  // namespace

Pieces joined(Pieces sequence) {
  merge_contiguous(sequence);
  if (sequence.size() < 2 || is_irregular_list(sequence)) return sequence;
  // Each round shortens the sequence or is the last; the bound is only there against oscillation.
  constexpr int most_rounds = 64;
  for (int round = 0; round < most_rounds; ++round) {
    bool changed = open_seams(sequence);
    changed |= fold_all_runs(sequence);
    changed |= extend_loops(sequence);
    changed |= fold_periods(sequence);
    if (!changed || sequence.size() < 2) break;
  }
  return sequence;
}

Pieces repeated(const Pieces& pieces, std::int64_t count, std::int64_t stride) {
  if (count <= 0 || pieces.empty()) return {};
  if (count == 1) return pieces;
  const Piece& first = pieces.front();
  const bool touching = first_byte(first) + stride == last_end(pieces.back());
  if (pieces.size() == 1 && !first.is_loop() && touching) return block(first.disp, first.length * count);
  if (count == 2) return copies(pieces, 2, stride);
  if (pieces.size() == 1 && !touching) {
    if (first.is_loop() && first.stride * first.count == stride) {
      Piece longer = first;
      longer.count *= count;
      return {longer};
    }
    if (!has_sequences(first)) return {loop(pieces, count, stride)};
  }
  if (pieces.size() <= short_body) {
    if (count <= 6) return copies(pieces, count, stride);
    const Pieces four = copies(pieces, 4, stride), five = copies(pieces, 5, stride), six = copies(pieces, 6, stride);
    std::size_t at = 0, again = 0;
    if (grows_at(four, five, stride, at) && grows_at(five, six, stride, again) && at == again) {
      Pieces all = six;
      all[at].count += (count - 6) * (stride / all[at].stride);
      for (std::size_t i = at + 1; i < all.size(); ++i) all[i].disp += (count - 6) * stride;
      return all;
    }
  }
  if (!touching) return {loop(pieces, count, stride)};
  // The end of each iteration joins the beginning of the next: take the first block out and turn the loop by it.
  auto [head, rest] = split_first(first);
  rest.insert(rest.end(), pieces.begin() + 1, pieces.end());
  Pieces body = rest;
  body.push_back(head);
  body.back().disp += stride;
  Pieces all{head, loop(joined(std::move(body)), count - 1, stride)};
  append_shifted(all, rest, (count - 1) * stride);
  return all;
}

}  // namespace marshal::datatype
