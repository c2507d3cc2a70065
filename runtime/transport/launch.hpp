#pragma once

namespace loadshare {

/// How this process was started, according to its environment, before MPI is up.
struct Launch {
  bool is_mpi = false;  ///< by mpirun, or by srun with PMIx or PMI
  int rank = 0;
  int ranks = 1;
  /// The variable that contains the number of ranks, and the launchers that set it; null: there is none.
  const char* ranks_variable = nullptr;
  const char* launchers = nullptr;
  /// One of several tasks of a Slurm step that MPI does not connect: each would be a run of its own.
  bool is_stray_task = false;

  bool is_first() const { return rank == 0; }
};

Launch detect_launch();

}  // namespace loadshare
