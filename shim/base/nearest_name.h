// The nearest of some names to a mistyped one, for "did you mean".
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace marshal {

// Edits (insert, delete, replace, swap of two neighbours) from a to b, letters compared without case.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The nearest name, the first of equally near ones; empty when none is within a third of its length.
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names);

}  // namespace marshal
