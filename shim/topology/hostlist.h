// Slurm's notation of many host names, as in SLURM_JOB_NODELIST and topology.conf: "n[0-3,07],login". A bracket has
// numbers and ranges; a range keeps the leading zeros of its first number: n[08-10] is n08, n09, n10. A name may have
// several brackets, of which the last one counts fastest, and text behind them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace marshal::topology {

inline constexpr std::size_t most_hosts = std::size_t{1} << 20;

// The names in the order of the text; repeated ones stay. Throws std::invalid_argument, with a message for the user,
// for other texts, empty names, and more than most_hosts names.
std::vector<std::string> expand_hostlist(std::string_view text);

}  // namespace marshal::topology
