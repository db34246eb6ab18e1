#include "datatype/folding.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <tuple>

namespace marshal::datatype {

std::int64_t first_byte(const Piece& piece) {
  return piece.disp + (piece.body.empty() ? 0 : first_byte(piece.body.front()));
}

std::int64_t last_end(const Piece& piece) {
  return piece.disp + (piece.count - 1) * piece.stride +
         (piece.body.empty() ? piece.length : last_end(piece.body.back()));
}

int depth(const Piece& piece) {
  if (!piece.is_loop()) return 0;
  int inner = 0;
  for (const auto& p : piece.body) inner = std::max(inner, depth(p));
  return 1 + inner;
}

bool same_shape(const Piece& a, const Piece& b) {
  return a.length == b.length && a.count == b.count && a.stride == b.stride && a.body == b.body;
}

void append_shifted(Pieces& out, const Pieces& pieces, std::int64_t by) {
  for (const auto& p : pieces) {
    out.push_back(p);
    out.back().disp += by;
  }
}

namespace {

// The piece that a loop repeats, at its place in the first iteration, if it is a single one.
std::optional<Piece> unit_of(const Piece& piece) {
  if (!piece.is_loop() || piece.body.size() > 1) return std::nullopt;
  if (piece.body.empty()) return Piece{piece.disp, piece.length, 1, 0, {}};
  Piece unit = piece.body.front();
  unit.disp += piece.disp;
  return unit;
}

// The loop of `count` iterations of a piece; a plain block is kept in the loop itself.
Piece loop_over(Piece unit, std::int64_t count, std::int64_t stride) {
  if (!unit.is_loop()) return Piece{unit.disp, unit.length, count, stride, {}};
  Piece loop{unit.disp, 0, count, stride, {}};
  unit.disp = 0;
  loop.body.push_back(std::move(unit));
  return loop;
}

}  // namespace

Pieces iterations(const Piece& loop, std::int64_t from, std::int64_t count) {
  Pieces out;
  if (count <= 0) return out;
  const std::int64_t disp = loop.disp + from * loop.stride;
  if (count > 2) {
    out.push_back(loop);
    out.back().disp = disp;
    out.back().count = count;
    return out;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    if (loop.body.empty())
      out.push_back(Piece{disp + i * loop.stride, loop.length, 1, 0, {}});
    else
      append_shifted(out, loop.body, disp + i * loop.stride);
  }
  return out;
}

std::pair<Piece, Pieces> split_first(const Piece& piece) {
  if (!piece.is_loop()) return {piece, {}};
  Pieces rest;
  Piece first{piece.disp, piece.length, 1, 0, {}};
  if (!piece.body.empty()) {
    Pieces inner;
    std::tie(first, inner) = split_first(piece.body.front());
    first.disp += piece.disp;
    append_shifted(rest, inner, piece.disp);
    append_shifted(rest, Pieces(piece.body.begin() + 1, piece.body.end()), piece.disp);
  }
  append_shifted(rest, iterations(piece, 1, piece.count - 1), 0);
  return {first, std::move(rest)};
}

std::pair<Pieces, Piece> split_last(const Piece& piece) {
  if (!piece.is_loop()) return {{}, piece};
  Pieces rest = iterations(piece, 0, piece.count - 1);
  const std::int64_t disp = piece.disp + (piece.count - 1) * piece.stride;
  Piece last{disp, piece.length, 1, 0, {}};
  if (!piece.body.empty()) {
    append_shifted(rest, Pieces(piece.body.begin(), piece.body.end() - 1), disp);
    Pieces inner;
    std::tie(inner, last) = split_last(piece.body.back());
    last.disp += disp;
    append_shifted(rest, inner, disp);
  }
  return {std::move(rest), last};
}

namespace {

// True if no block is empty and no two touch, as in most sequences: then there is nothing to merge.
bool is_merged(const Pieces& sequence) {
  std::int64_t end = std::numeric_limits<std::int64_t>::min();
  for (const Piece& piece : sequence) {
    const bool block = !piece.is_loop() && piece.body.empty();  // as all of a list: the short way
    if (block ? piece.length == 0 || piece.disp == end : piece.length == 0 && piece.body.empty()) return false;
    if (!block && first_byte(piece) == end) return false;
    end = block ? piece.disp + piece.length : last_end(piece);
  }
  return true;
}

}  // namespace

void merge_contiguous(Pieces& sequence) {
  if (sequence.size() <= most_pieces && is_merged(sequence)) return;
  Pieces out;
  out.reserve(sequence.size());
  for (auto& piece : sequence) {
    if (piece.length == 0 && piece.body.empty()) continue;
    if (out.empty() || last_end(out.back()) != first_byte(piece)) {
      out.push_back(std::move(piece));
    } else if (!piece.is_loop() && !out.back().is_loop()) {
      out.back().length += piece.length;
    } else {
      auto [rest, last] = split_last(out.back());
      auto [first, tail] = split_first(piece);
      out.pop_back();
      last.length += first.length;
      append_shifted(out, rest, 0);
      out.push_back(std::move(last));
      append_shifted(out, tail, 0);
    }
    if (out.size() > most_pieces) throw LayoutTooLarge();
  }
  sequence = std::move(out);
}

namespace {

// Reads a sequence from the left, where loops can be cut after their first iteration.
class Reader {
 public:
  explicit Reader(Pieces& sequence) : pieces_(sequence) {}

  bool empty() const { return rest_.empty() && at_ == pieces_.size(); }
  const Piece& front() const { return rest_.empty() ? pieces_[at_] : rest_.front(); }
  Piece take() {
    if (rest_.empty()) return std::move(pieces_[at_++]);
    Piece p = std::move(rest_.front());
    rest_.erase(rest_.begin());
    return p;
  }
  // Drops the first iteration of the loop in front, which is over a single piece.
  void drop_first_iteration() {
    const Piece loop = take();
    Pieces left = iterations(loop, 1, loop.count - 1);
    rest_.insert(rest_.begin(), std::make_move_iterator(left.begin()), std::make_move_iterator(left.end()));
  }
  // Displacements of the next two pieces if both have this shape, alone or as iterations of a loop.
  bool next_two(const Piece& shape, std::int64_t (&disp)[2]) const {
    int found = 0;
    for (std::size_t i = 0; found < 2; ++i) {
      const bool pending = i < rest_.size();
      const std::size_t j = at_ + (pending ? 0 : i - rest_.size());
      if (!pending && j >= pieces_.size()) return false;
      const Piece& p = pending ? rest_[i] : pieces_[j];
      if (same_shape(p, shape)) {
        disp[found++] = p.disp;
      } else if (is_loop_over(p, shape)) {
        disp[found++] = p.disp;
        if (found < 2) disp[found++] = p.disp + p.stride;
      } else {
        return false;
      }
    }
    return true;
  }
  static bool is_loop_over(const Piece& loop, const Piece& shape) {
    if (!loop.is_loop()) return false;
    if (loop.body.empty()) return !shape.is_loop() && loop.length == shape.length;
    return loop.body.size() == 1 && same_shape(loop.body.front(), shape);
  }

 private:
  Pieces& pieces_;
  std::size_t at_ = 0;
  Pieces rest_;  // of a loop that was cut: at most two pieces
};

}  // namespace

bool fold_runs(Pieces& sequence, int level) {
  if (sequence.size() < 2) return false;
  bool changed = false;
  Pieces out;
  out.reserve(sequence.size());
  Reader in(sequence);
  while (!in.empty()) {
    Piece piece = in.take();
    Piece unit = piece;
    std::int64_t count = 0, stride = 0;
    if (const auto inner = unit_of(piece); inner && depth(*inner) == level) {
      unit = *inner;
      count = piece.count;
      stride = piece.stride;
    } else if (std::int64_t next[2];
               depth(piece) == level && in.next_two(piece, next) && next[1] - next[0] == next[0] - piece.disp) {
      count = 1;
      stride = next[0] - piece.disp;
    } else {
      out.push_back(std::move(piece));
      continue;
    }
    const std::int64_t before = count;
    while (!in.empty() && in.front().disp == unit.disp + count * stride) {
      const Piece& next = in.front();
      if (same_shape(next, unit)) {
        ++count;
        in.take();
      } else if (Reader::is_loop_over(next, unit)) {
        if (next.stride == stride) {
          count += next.count;
          in.take();
        } else {
          ++count;
          in.drop_first_iteration();
        }
      } else {
        break;
      }
    }
    changed |= count != before;
    out.push_back(loop_over(std::move(unit), count, stride));
  }
  sequence = std::move(out);
  return changed;
}

bool extend_loops(Pieces& sequence) {
  bool changed = false;
  Pieces out;
  out.reserve(sequence.size());
  std::size_t i = 0;
  while (i < sequence.size()) {
    Piece loop = std::move(sequence[i++]);
    const std::size_t period = loop.body.size();
    if (!loop.is_loop() || period < 2) {
      out.push_back(std::move(loop));
      continue;
    }
    while (i < sequence.size() && sequence[i].stride == loop.stride && sequence[i].body == loop.body &&
           sequence[i].disp == loop.disp + loop.count * loop.stride) {
      loop.count += sequence[i++].count;
      changed = true;
    }
    // Pieces on the left that are the end of an iteration before the first: the loop begins with them.
    std::size_t turned = 0;
    while (!out.empty() && same_shape(out.back(), loop.body.back()) &&
           out.back().disp == loop.disp + loop.body.back().disp - loop.stride) {
      std::rotate(loop.body.begin(), loop.body.end() - 1, loop.body.end());
      loop.body.front().disp -= loop.stride;
      loop.disp += loop.body.front().disp;
      const std::int64_t back = loop.body.front().disp;
      for (auto& p : loop.body) p.disp -= back;
      out.pop_back();
      if (++turned == period) {
        ++loop.count;
        turned = 0;
      }
      changed = true;
    }
    // `after`: pieces that the turning left over at the right end. They come before the pieces that follow the loop.
    Pieces after;
    append_shifted(after, Pieces(loop.body.begin(), loop.body.begin() + static_cast<std::ptrdiff_t>(turned)),
                   loop.disp + loop.count * loop.stride);
    std::size_t matched = after.size();
    while (i + period - matched <= sequence.size()) {
      bool whole = true;
      const std::int64_t disp = loop.disp + loop.count * loop.stride;
      for (std::size_t k = matched; k < period && whole; ++k) {
        const Piece& next = sequence[i + k - matched];
        whole = same_shape(next, loop.body[k]) && next.disp == disp + loop.body[k].disp;
      }
      if (!whole) break;
      i += period - matched;
      matched = 0;
      after.clear();
      ++loop.count;
      changed = true;
    }
    out.push_back(std::move(loop));
    append_shifted(out, after, 0);
  }
  sequence = std::move(out);
  return changed;
}

namespace {

std::uint64_t mixed(std::uint64_t hash, std::int64_t value) {
  hash = (hash ^ static_cast<std::uint64_t>(value)) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 29);
}

std::uint64_t shape_hash(const Piece& piece) {
  std::uint64_t hash = mixed(mixed(mixed(1, piece.length), piece.count), piece.stride);
  for (const auto& p : piece.body) hash = mixed(mixed(hash, p.disp), static_cast<std::int64_t>(shape_hash(p)));
  return hash;
}

// The shape of each piece but the last, and how far it is to the next. If a sequence is repeated, so are these.
std::vector<std::uint64_t> steps_of(const Pieces& sequence) {
  std::vector<std::uint64_t> steps;
  steps.reserve(sequence.size());
  for (std::size_t i = 0; i + 1 < sequence.size(); ++i)
    steps.push_back(mixed(shape_hash(sequence[i]), sequence[i + 1].disp - sequence[i].disp));
  return steps;
}

// A long sequence must repeat more often to be worth a loop: a list of blocks copies it as fast.
std::size_t least_repeats(std::size_t period) { return period <= longest_short_period ? 3 : 8; }

// True if `needed` steps in a row equal the steps one period further on: a sequence that is repeated often enough has
// that many. Looks at every `needed`-th step, and at its neighbours only if it is equal. So all periods together take
// about as long as making the steps.
bool may_repeat(const std::vector<std::uint64_t>& steps, std::size_t period) {
  if (steps.size() < period) return false;
  const std::size_t end = steps.size() - period, needed = (least_repeats(period) - 1) * period - 1;
  const auto equal = [&](std::size_t i) { return steps[i] == steps[i + period]; };
  for (std::size_t i = needed - 1; i < end; i += needed) {
    if (!equal(i)) continue;
    std::size_t low = i, high = i + 1;
    while (low > 0 && i - low < needed && equal(low - 1)) --low;
    while (high < end && high - low < needed && equal(high)) ++high;
    if (high - low >= needed) return true;
    i = high;
  }
  return false;
}

}  // namespace

bool fold_periods(Pieces& sequence) {
  const std::vector<std::uint64_t> steps = steps_of(sequence);
  for (std::size_t period = 2; sequence.size() >= least_repeats(period) * period; ++period) {
    if (!may_repeat(steps, period)) continue;
    const std::size_t n = sequence.size();
    Pieces out;
    std::size_t done = 0, equal = 0;  // `equal` pieces before i repeat what is one period further on
    std::int64_t shift = 0;
    const auto emit = [&](std::size_t i) {
      const std::size_t times = (equal + period) / period;
      if (times < least_repeats(period)) return;
      const std::size_t from = i - equal;
      std::move(sequence.begin() + static_cast<std::ptrdiff_t>(done),
                sequence.begin() + static_cast<std::ptrdiff_t>(from), std::back_inserter(out));
      Piece loop{sequence[from].disp, 0, static_cast<std::int64_t>(times), shift, {}};
      for (std::size_t k = 0; k < period; ++k) {
        loop.body.push_back(std::move(sequence[from + k]));
        loop.body.back().disp -= loop.disp;
      }
      out.push_back(std::move(loop));
      done = from + times * period;
    };
    for (std::size_t i = 0; i + period < n; ++i) {
      const std::int64_t here = sequence[i + period].disp - sequence[i].disp;
      if ((equal == 0 || here == shift) && same_shape(sequence[i], sequence[i + period])) {
        shift = here;
        ++equal;
        continue;
      }
      const std::size_t before = done;
      emit(i);
      equal = 0;
      if (done != before) {
        i = std::max(i, done) - 1;
      } else if (i >= done && same_shape(sequence[i], sequence[i + period])) {
        shift = here;
        equal = 1;
      }
    }
    if (n > period) emit(n - period);
    if (out.empty()) continue;
    std::move(sequence.begin() + static_cast<std::ptrdiff_t>(done), sequence.end(), std::back_inserter(out));
    sequence = std::move(out);
    return true;
  }
  return false;
}

}  // namespace marshal::datatype
