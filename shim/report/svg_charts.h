// The report's charts as SVG elements. They take their colours from the page, by the classes c0 … c3, axis and label.
// So one picture serves light, dark and print. Sizes are in units of about a CSS pixel; every text is escaped
// (base/printable_text.h).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace marshal::report {

// One line of text. `anchor` is SVG's: start, middle or end. `attributes` are written as they are, each after a space.
std::string text_element(double x, double y, std::string_view anchor, std::string_view text,
                         std::string_view attributes = {});

struct Bar {
  std::string label;
  double value = 0;  // bars with 0 or less are drawn as nothing
  std::string text;  // beside the bar: the value with its unit
  int series = 0;    // colour class
};
// Horizontal bars with one scale that starts at 0.
std::string bar_chart(const std::vector<Bar>& bars, std::string_view title);

// A bar for each rank, or for as many ranks as follow each other: parts of the whole, from 0 to 1.
struct RankBar {
  std::uint64_t number = 0;
  double mean = 0, most = 0;
};
std::string rank_chart(const std::vector<RankBar>& bars, std::uint64_t ranks_a_bar, std::string_view title);

// Groups of horizontal bars of bytes on a logarithmic scale that starts at 1 byte: one group a row, one bar a series.
struct BarGroup {
  std::string label;
  std::vector<double> bytes;  // < 0: not available
};
std::string byte_groups_chart(const std::vector<BarGroup>& groups, const std::vector<std::string>& series,
                              std::string_view title);

// Bytes a process against the number of ranks, both logarithmic. Values are asked for between `from` and `to`.
struct Curve {
  std::string label;
  double fixed = 0, per_rank = 0;  // bytes = fixed + per_rank * ranks
};
std::string growth_chart(const std::vector<Curve>& curves, std::uint64_t from, std::uint64_t to,
                         std::string_view title);

// Which bytes of a layout hold data: blocks as (displacement, length) between the least and the greatest.
std::string layout_picture(const std::vector<std::pair<std::int64_t, std::uint64_t>>& blocks, std::string_view title);

}  // namespace marshal::report
