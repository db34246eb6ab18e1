#include "exchange/choice.h"

#include <algorithm>
#include <bit>

namespace marshal::exchange {
namespace {

// Calls of a row of the other way. Its first calls are not timed, and the last ones bring votes.
constexpr std::uint64_t row_by_nodes = 8, row_by_host = 6;
// Calls before the host's times are renewed, where the others go by nodes.
constexpr std::uint64_t between_rows_by_host = 256;
// Where the host is faster, rows by nodes begin ever more seldom, up to once in so many calls.
constexpr std::uint64_t first_row = 24, least_gap = 64, gap_growth = 4, most_gap = 2048;
// Calls by nodes of which nobody knows what they gain, before the host counts as faster.
constexpr std::uint64_t most_blind = 16;

}  // namespace

std::size_t Choice::number_of(std::int64_t bytes) {
  return std::min<std::size_t>(static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes))),
                               classes - 1);
}

std::int64_t Choice::Times::median() const {
  if (count < least) return 0;
  std::array<std::int64_t, kept> sorted = ns;
  const auto there = static_cast<std::ptrdiff_t>(std::min<std::uint64_t>(count, kept));
  std::nth_element(sorted.begin(), sorted.begin() + there / 2, sorted.begin() + there);
  return sorted[static_cast<std::size_t>(there / 2)];
}

Choice::Choice() : next_row_(first_row), gap_(least_gap) {}

bool Choice::next_goes_by_nodes() {  // AGREEMENT: whether an exchange goes by nodes
  ++calls_;
  if (left_in_row_ > 0) {
    --left_in_row_;
    if (left_in_row_ == 0) end_row();
  } else if (calls_ >= next_row_) {
    left_in_row_ = is_by_nodes_ ? row_by_host : row_by_nodes;
    blind_ = 0;
  }
  const bool by_nodes = is_by_nodes_ != (left_in_row_ > 0);
  in_row_ = by_nodes == last_by_nodes_ ? in_row_ + 1 : 0;
  last_by_nodes_ = by_nodes;
  return by_nodes;
}

// Where a row by nodes told too little, the host goes on.
void Choice::end_row() {
  left_in_row_ = 0;
  if (!is_by_nodes_) gap_ = std::min(gap_growth * gap_, most_gap);
  next_row_ = calls_ + (is_by_nodes_ ? between_rows_by_host : gap_);
}

void Choice::decide(std::int64_t votes) {
  const bool is_blind = votes == 0;
  blind_ = is_blind ? blind_ + 1 : 0;
  if (is_blind && blind_ < most_blind) return;
  const bool was = is_by_nodes_;
  is_by_nodes_ = votes < 0;
  if (is_by_nodes_ == was && left_in_row_ == 0) return;  // it goes on
  // The next row brings new times. Times of a row that was too short to decide are kept.
  if (!is_by_nodes_)
    for (Class& of : of_bytes_) of.by_nodes = {};
  if (is_by_nodes_ != was) gap_ = least_gap / gap_growth;  // end_row() makes it longer
  end_row();
}

void Choice::note(std::int64_t bytes, std::int64_t ns) {
  const std::size_t number = number_of(bytes);
  Class& of = of_bytes_[number];
  (last_by_nodes_ ? of.by_nodes : of.host).note(ns);
  last_[noted_++ % recent] = static_cast<std::uint8_t>(number);
}

std::int64_t Choice::vote() const {
  std::array<std::int64_t, classes> costs{};
  std::array<bool, classes> is_known{};
  std::int64_t sum = 0, known = 0;
  const std::uint64_t there = std::min<std::uint64_t>(noted_, recent);
  if (there == 0) return 0;
  for (std::size_t number = 0; number < classes; ++number) {
    const std::int64_t host = of_bytes_[number].host.median(), by_nodes = of_bytes_[number].by_nodes.median();
    is_known[number] = host != 0 && by_nodes != 0;
    if (is_known[number]) costs[number] = by_nodes + by_nodes * 3 / 100 - host;
  }
  for (std::uint64_t i = 0; i < there; ++i) {
    sum += costs[last_[i]];
    known += is_known[last_[i]] ? 1 : 0;
  }
  return known == 0 || 2 * known < static_cast<std::int64_t>(there) ? 0 : sum / known;
}

}  // namespace marshal::exchange
