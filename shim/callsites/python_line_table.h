// The lines of a Python function, as its code object has them (co_linetable of Python 3.11 and later).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace marshal {

// The line of the instruction at `offset` bytes. `first`: the function's own line, which it is also where the table
// says nothing. Any bytes are a table. Source: CPython, Objects/locations.md.
std::int64_t python_line(std::span<const std::byte> table, std::int64_t first, std::int64_t offset);

}  // namespace marshal
