#include "runtime/transport/mpi/shared_window.hpp"

#include <cstring>
#include <exception>
#include <memory>
#include <utility>

#include "runtime/transport/host_memory.hpp"
#include "runtime/transport/mpi/check.hpp"

namespace loadshare::mpi {

namespace {
constexpr std::size_t line = 64;
}

SharedWindow::SharedWindow(const Communicator& host, std::size_t bytes) {
  if (bytes == 0) return;
  const bool is_owner = host.rank() == 0;
  void* base = nullptr;
  const auto own = static_cast<MPI_Aint>(is_owner ? bytes + line : 0);
  check(MPI_Win_allocate_shared(own, 1, MPI_INFO_NULL, host.get(), &base, &window_),
        "MPI_Win_allocate_shared");
  MPI_Aint size = 0;
  int unit = 0;
  check(MPI_Win_shared_query(window_, 0, &size, &unit, &base), "MPI_Win_shared_query");
  // All ranks map whole pages, so that the distance to the next cache line is the same for each.
  std::size_t room = bytes + line;
  bytes_ = {static_cast<std::byte*>(std::align(line, bytes, base, room)), bytes};
  // A window of one rank is plain memory, which Open MPI does not clear.
  if (is_owner) std::memset(bytes_.data(), 0, bytes);
  check(MPI_Barrier(host.get()), "MPI_Barrier");
  if (!is_owner) populate(bytes_);
}

// Freeing is collective: with an error on its way out the others may be elsewhere, and the process ends
// anyway.
SharedWindow::~SharedWindow() {
  if (window_ != MPI_WIN_NULL && std::uncaught_exceptions() == 0) MPI_Win_free(&window_);
}

SharedWindow::SharedWindow(SharedWindow&& other) noexcept
    : window_(std::exchange(other.window_, MPI_WIN_NULL)), bytes_(std::exchange(other.bytes_, {})) {}

}  // namespace loadshare::mpi
