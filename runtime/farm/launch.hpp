#pragma once

namespace loadshare {

/// How this process was started, as the environment tells before MPI is up.
struct Launch {
  bool is_mpi = false;  ///< by mpirun, or by srun with PMIx or PMI
  int rank = 0;
  int ranks = 1;
  /// One of several tasks of a Slurm step that MPI knows nothing of: each would be a run of its own.
  bool is_stray_task = false;

  bool is_first() const { return rank == 0; }
};

Launch detect_launch();

}  // namespace loadshare
