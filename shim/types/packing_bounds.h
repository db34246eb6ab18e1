// The bounds of layouts: how fast memcpy would move the cache lines that packing touches. Measuring memcpy takes up to
// a millisecond for each size, so it waits for the report: until then only the packed share of such copies is kept.
#pragma once

#include <array>
#include <cstddef>

#include "record/record.h"

namespace marshal {

// The largest shares of packed bytes in copied ones, by the size of the copy.
struct PackedShares {
  static constexpr int classes = 9;  // 4 KiB … 1 MiB
  std::array<double, classes> largest{};

  void add(double packed, double copied);
  void merge(const PackedShares& other);
  bool operator==(const PackedShares&) const = default;
};

using LayoutRows = decltype(report::Record::datatypes);
using PackingBounds = report::BoundedTable<report::LayoutKey, PackedShares, LayoutRows::frame_limit>;

// The rate of memcpy in bytes a second for so many bytes, warm. Measured now.
double measured_copy_rate(std::size_t bytes);

// Every layout has been added to `rows` before. `copy_rate` is asked at most once for each size.
void put_bounds(const PackingBounds& bounds, double (*copy_rate)(std::size_t bytes), LayoutRows& rows);

}  // namespace marshal
