#include "runtime/transport/chunk_memory.hpp"

namespace loadshare {

std::span<std::byte> ChunkMemory::fit(std::size_t bytes) {
  if (size_ < bytes) {
    memory_.reset(new (std::align_val_t{alignment}) std::byte[bytes]());
    size_ = bytes;
  }
  return {memory_.get(), bytes};
}

}  // namespace loadshare
