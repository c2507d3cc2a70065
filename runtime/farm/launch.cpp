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
  if (!rank) return {};
  const std::optional<int> ranks = first_number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"});
  return {true, *rank, ranks.value_or(1)};
}

}  // namespace loadshare
