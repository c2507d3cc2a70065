#include "base/error.hpp"
#include "runtime/transport/mpi/mpi_transport.hpp"

// What stands in for the rest of this folder where LOADSHARE_MPI is off.
namespace loadshare {
namespace {

[[noreturn]] void refuse_ranks() {
  throw UsageError("cannot be one of several ranks", "this program was built without MPI",
                   "start it without mpirun or srun; its workers are then threads");
}

}  // namespace

std::unique_ptr<Transport> make_mpi_transport(const MpiOptions&) {
  refuse_ranks();
}

std::vector<std::string> differing_texts(const std::string&) {
  refuse_ranks();
}

std::string mpi_library() {
  return {};
}

bool is_mpi_running() {
  return false;
}
void leave_mpi_orderly(int) {}
void abort_mpi(int) {}

}  // namespace loadshare
