// Hashes that are the same in every process and on every machine, for BoundedTable's keys.
#pragma once

#include <xxhash.h>

#include <cstdint>
#include <string_view>

namespace marshal::report {

inline std::uint64_t hash_of(std::string_view text) { return XXH3_64bits(text.data(), text.size()); }

}  // namespace marshal::report
