#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "apps/loadshare/processor_load.hpp"
#include "apps/loadshare/rank_places.hpp"

namespace loadshare::tool {

/// What a run would find on this host, as far as it can be seen from here. Numbers only: what they mean is
/// for diagnose() to say.
struct Surroundings {
  std::string host;
  int machine_cpus = 1;             ///< processors of the machine (hardware threads)
  std::vector<int> allowed_cpus;    ///< where this process may run
  int physical_cores = 0;           ///< cores behind the usable processors; 0: not known
  std::optional<double> cpu_quota;  ///< processors' worth of time that the cgroup grants
  RankEnvironment ranks;            ///< what mpirun or srun told this process
  std::vector<RankPlace> places;    ///< this host's ranks, as far as seen; empty without mpirun
  std::optional<std::string>
      blas_variable;         ///< the one that OpenBLAS obeys, where one is set: "OMP_NUM_THREADS"
  std::string blas_threads;  ///< its value
  std::optional<std::uint64_t> shared_memory_bytes;  ///< free in /dev/shm; nothing: there is none
  ProcessorLoad load;
  std::optional<std::string> governor;    ///< of the first processor's frequency
  std::optional<std::string> huge_pages;  ///< "always", "madvise" or "never"
  bool is_virtual = false;
  bool is_root = false;
  bool may_mpirun_as_root = false;  ///< both of Open MPI's variables are set
};

/// Looks around; takes about a quarter of a second, up to a second longer while ranks are still starting.
Surroundings look_around(const RankEnvironment& ranks);

}  // namespace loadshare::tool
