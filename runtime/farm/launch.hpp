#pragma once

namespace loadshare {

/// How this process was started, as the environment tells before MPI is up.
struct Launch {
  bool is_mpi = false;  ///< by mpirun, or by srun with PMIx or PMI
  int rank = 0;
  int ranks = 1;

  bool is_first() const { return rank == 0; }
};

Launch detect_launch();

}  // namespace loadshare
