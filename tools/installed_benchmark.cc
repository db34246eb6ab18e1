#include "tools/installed_benchmark.h"

#include "base/message.h"
#include "tools/mpi_program.h"
#include "tools/preload_library.h"

namespace marshal::tools {

std::optional<InstalledBenchmark> installed_benchmark(std::string_view command, const std::string& program,
                                                      MpiFamily family) {
  InstalledBenchmark found{mpi_program(program, family), preload_library(library_directories())};
  if (!found.program.empty() && !found.library.empty()) return found;
  say(Level::error, "{}: the {} of Marshal for {} is not installed", command,
      found.program.empty() ? "benchmark" : "library", family_name(family));
  return std::nullopt;
}

}  // namespace marshal::tools
