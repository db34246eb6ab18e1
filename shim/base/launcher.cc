#include "base/launcher.h"

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace marshal {

namespace {

// As the launcher says it; null without one.
const char* rank_by_launcher() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(name)) return rank;
  return nullptr;
}

}  // namespace

bool has_launcher() { return rank_by_launcher() != nullptr; }

bool first_of_job() {
  const char* const rank = rank_by_launcher();
  return rank == nullptr || std::strcmp(rank, "0") == 0;
}

LaunchedProcesses launched_processes() {
  // Not SLURM_NTASKS: batch scripts have it, too, and may run a program alone. Open MPI sets its variables also in a
  // process that it takes for the only one.
  constexpr const char* known[][2] = {{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                                      {"PMI_SIZE", "PMI_RANK"},
                                      {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"}};
  for (const auto& [size, rank] : known) {
    const char* const count = std::getenv(size);
    const char* const own = std::getenv(rank);
    if (count != nullptr && own != nullptr && std::atoi(count) > 1)
      return {std::atoi(count), size, std::strcmp(own, "0") == 0};
  }
  return {1, nullptr, true};
}

BindingOptions binding_options() {
  if (std::getenv("MPI_LOCALNRANKS") != nullptr)
    return {"mpiexec -bind-to core", "mpiexec -bind-to core:", "mpiexec -bind-to none"};
  // Open MPI's daemons may be tasks of srun.
  const char* const by_pmix = std::getenv("PMIX_NAMESPACE");
  if (by_pmix != nullptr && std::strncmp(by_pmix, "slurm.", 6) != 0)
    return {"mpirun --map-by core --bind-to core", "mpirun --bind-to core --map-by slot:PE=", "mpirun --bind-to none"};
  if (std::getenv("SLURM_STEP_ID") != nullptr && std::getenv("SLURM_PROCID") != nullptr)
    return {"srun --cpu-bind=cores", "srun --cpu-bind=cores --cpus-per-task=", "srun --cpu-bind=none"};
  return {};
}

}  // namespace marshal
