#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>

#include "runtime/transport/mpi/group.hpp"

namespace loadshare::mpi {

/// Zeroed memory, aligned to a cache line, that all ranks of one host see: an MPI shared-memory window that
/// the host's leader owns. Making and ending it is collective over the host.
class SharedWindow {
 public:
  /// Throws Error(run_failed), on all ranks of the host, when it has no room for `bytes`.
  SharedWindow(const Communicator& host, std::size_t bytes);
  ~SharedWindow();
  SharedWindow(SharedWindow&& other) noexcept;
  SharedWindow& operator=(SharedWindow&&) = delete;

  std::span<std::byte> bytes() const { return bytes_; }

 private:
  MPI_Win window_ = MPI_WIN_NULL;
  std::span<std::byte> bytes_;
};

}  // namespace loadshare::mpi
