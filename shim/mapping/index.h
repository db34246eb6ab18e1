// The place of a cell, a rank or a node in an array.
#pragma once

#include <cstddef>
#include <cstdint>

namespace marshal::mapping {

constexpr std::size_t at(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace marshal::mapping
