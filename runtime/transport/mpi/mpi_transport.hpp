#pragma once

#include <memory>
#include <string>
#include <vector>

#include "runtime/transport/transport.hpp"

namespace loadshare {

struct MpiOptions {
  MasterMode master = MasterMode::works;  ///< a single rank works in any case
  int master_rank = 0;
  int ranks_per_host = 0;   ///< for tests: pretend that every so many ranks are a host; 0: as they are
  double patience_s = 600;  ///< how long a loop waits for ranks that have not answered since the last one
};

/// Workers are MPI ranks. Those on the master's host share memory with it; others get messages. Collective.
/// Throws UsageError when there is no such master rank, or as differing_texts does.
std::unique_ptr<Transport> make_mpi_transport(const MpiOptions& options);

/// Returns every rank's text, by rank; empty if all are the same. For the options of a transport, on which
/// all ranks must agree first. Starts MPI. Collective. Throws UsageError if MPI connects fewer processes than
/// their launcher has started, as happens with another MPI's launcher.
std::vector<std::string> differing_texts(const std::string& text);

/// The MPI that this program is linked to, as "Open MPI v4.1.4"; empty: none.
std::string mpi_library();

/// Whether MPI has been started, and not ended.
bool is_mpi_running();

/// Ends this process's part in MPI, with all ranks doing the same. Where a farm's ranks have not all answered
/// since its last run, the master ends all of them, with `exit_code`. Does nothing where MPI was never
/// started.
void leave_mpi_orderly(int exit_code);
/// Ends all ranks at once.
void abort_mpi(int exit_code);

}  // namespace loadshare
