#pragma once

#include <mpi.h>

#include <cstddef>
#include <exception>
#include <vector>

#include "runtime/transport/mpi/check.hpp"

namespace loadshare::tool {

/// What buffered sends copy their messages into. A process has one at a time.
class AttachedBuffer final {
 public:
  explicit AttachedBuffer(std::size_t bytes) : bytes_(bytes) {
    mpi::check(MPI_Buffer_attach(bytes_.data(), static_cast<int>(bytes_.size())), "MPI_Buffer_attach");
  }
  AttachedBuffer(const AttachedBuffer&) = delete;
  AttachedBuffer& operator=(const AttachedBuffer&) = delete;
  ~AttachedBuffer() {
    // Detaching waits for what is still under way, and where an error is, nobody may come for it.
    void* data = nullptr;
    int size = 0;
    if (std::uncaught_exceptions() == 0) MPI_Buffer_detach(&data, &size);
  }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace loadshare::tool
