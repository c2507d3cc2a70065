#include "runtime/transport/launch.hpp"

#include <array>
#include <cstdlib>
#include <optional>

namespace loadshare {
namespace {

struct LauncherVariables {
  const char* rank;
  const char* ranks;
  const char* launchers;
};

/// The first launcher whose rank variable is set has started this process. A process that one launcher starts
/// within a rank of another inherits the other's variables, so the launchers that Open MPI knows come first.
constexpr std::array launcher_variables{
    LauncherVariables{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun"},
    LauncherVariables{"PMIX_RANK", "SLURM_STEP_NUM_TASKS", "srun"},
    LauncherVariables{"PMI_RANK", "PMI_SIZE", "the mpiexec of MPICH or Intel MPI and srun --mpi=pmi2"},
    LauncherVariables{"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE", "MVAPICH2's mpirun_rsh"}};

std::optional<int> number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::optional(std::atoi(text)) : std::nullopt;
}

}  // namespace

Launch detect_launch() {
  Launch launch;
  for (const LauncherVariables& variables : launcher_variables) {
    const std::optional<int> rank = number_in(variables.rank);
    if (!rank) continue;
    launch.is_mpi = true;
    launch.rank = *rank;
    const std::optional<int> ranks = number_in(variables.ranks);
    if (!ranks) return launch;
    launch.ranks = *ranks;
    launch.ranks_variable = variables.ranks;
    launch.launchers = variables.launchers;
    return launch;
  }
  // A batch script's own process has SLURM_* too, so most of them prove nothing: only srun sets this one.
  launch.is_stray_task = number_in("SLURM_STEP_NUM_TASKS").value_or(1) > 1;
  if (launch.is_stray_task) launch.rank = number_in("SLURM_PROCID").value_or(0);
  return launch;
}

}  // namespace loadshare
