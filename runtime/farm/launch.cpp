#include "runtime/farm/launch.hpp"

#include <cstdlib>
#include <initializer_list>
#include <optional>

namespace loadshare {

namespace {

std::optional<int> first_number(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const char* text = std::getenv(name)) return std::atoi(text);
  return std::nullopt;
}

}  // namespace

Launch detect_launch() {
  // A batch script's own process has SLURM_* too, so these alone mean nothing: what counts is a process
  // manager that MPI_Init can talk to.
  const std::optional<int> rank = first_number({"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"});
  const std::optional<int> tasks = first_number({"SLURM_STEP_NUM_TASKS"});
  Launch launch;
  if (!rank) {
    launch.is_stray_task = tasks.value_or(1) > 1;
    if (launch.is_stray_task) launch.rank = first_number({"SLURM_PROCID"}).value_or(0);
    return launch;
  }
  launch.is_mpi = true;
  launch.rank = *rank;
  launch.ranks = first_number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}).value_or(tasks.value_or(1));
  return launch;
}

}  // namespace loadshare
