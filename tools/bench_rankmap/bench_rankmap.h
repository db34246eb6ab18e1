// `marshal bench rankmap`: the figures of the rank map papers, reproduced.
#pragma once

#include <span>

namespace marshal::tools {

// arguments[0] is the benchmark's name, as for a program; returns the exit status.
int bench_rankmap(std::span<char* const> arguments);

}  // namespace marshal::tools
