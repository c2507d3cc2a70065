#include "runtime/farm/workload.hpp"

#include "runtime/transport/shared_input.hpp"

namespace loadshare {

std::span<const std::byte> Work::shared_piece(std::size_t piece) {
  return shared_.acquire(piece, waited_s_);
}

bool Work::is_cancelled() const {
  // Others of this host may have heard it first, and then shared_piece() waits no more.
  return signals_.is_unwanted() || over_.load(std::memory_order_relaxed) != 0 || shared_.is_over();
}

}  // namespace loadshare
