// The files of a benchmark on a host: its MPI program, and Marshal's library to start it under.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/mpi_family.h"

namespace marshal::tools {

struct InstalledBenchmark {
  std::string program, library;
};

// `program`: as mpi_program has it. Nothing, and a line on stderr that begins with `command`, if one is missing.
std::optional<InstalledBenchmark> installed_benchmark(std::string_view command, const std::string& program,
                                                      MpiFamily family);

}  // namespace marshal::tools
