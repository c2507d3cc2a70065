#include "runtime/transport/mpi/shared_window.hpp"

#include <exception>
#include <utility>

#include "runtime/transport/host_memory.hpp"
#include "runtime/transport/mpi/check.hpp"

namespace loadshare::mpi {

SharedWindow::SharedWindow(const Communicator& host, std::size_t bytes) {
  if (bytes == 0) return;
  const bool is_owner = host.rank() == 0;
  void* base = nullptr;
  const auto own = static_cast<MPI_Aint>(is_owner ? bytes : 0);
  check(MPI_Win_allocate_shared(own, 1, MPI_INFO_NULL, host.get(), &base, &window_), "MPI_Win_allocate_shared");
  MPI_Aint size = 0;
  int unit = 0;
  check(MPI_Win_shared_query(window_, 0, &size, &unit, &base), "MPI_Win_shared_query");
  bytes_ = {static_cast<std::byte*>(base), bytes};
  // The window's memory is a fresh file of zeros; the owner makes its pages, then the others map them.
  if (is_owner) populate(bytes_);
  check(MPI_Barrier(host.get()), "MPI_Barrier");
  if (!is_owner) populate(bytes_);
}

// Freeing is collective: with an error on its way out the others may be elsewhere, and the process ends anyway.
SharedWindow::~SharedWindow() {
  if (window_ != MPI_WIN_NULL && std::uncaught_exceptions() == 0) MPI_Win_free(&window_);
}

SharedWindow::SharedWindow(SharedWindow&& other) noexcept
    : window_(std::exchange(other.window_, MPI_WIN_NULL)), bytes_(std::exchange(other.bytes_, {})) {}

}  // namespace loadshare::mpi
