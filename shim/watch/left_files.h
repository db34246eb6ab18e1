// Files that a run left which did not reach the end of MPI_Finalize: it was killed, or ended by itself.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "watch/running_file.h"

namespace marshal::watch {

// Endings of files of node 0: of any, and of a run that a later one has named.
inline constexpr std::string_view running_ending = ".node0.running", told_mark = "-over",
                                  told_ending = "-over.node0.running";

// True if nobody writes it any more: its thread's process, of this machine and this namespace of process numbers, is no
// more, and nothing was written for three times as long as would have been. `now` in seconds since 1970.
bool is_over(const Head& file, std::string_view own_host, std::uint64_t now) noexcept;

// In the folder of `stem`: the newest file of a run of this program that is over. Its files become
// STEM-over.nodeN.running, and those of all other such runs are removed. So each run is found once, and one is kept.
// False if there is none; `file` and `its_stem` are of the one that was found.
bool take_left_file(std::string_view stem, std::string_view program, std::string_view own_host, std::uint64_t own_run,
                    std::uint64_t now, Head& file, std::array<char, 4096>& its_stem) noexcept;

}  // namespace marshal::watch
