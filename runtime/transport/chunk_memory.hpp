#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>

namespace loadshare {

/// Room for one chunk's input or result after the other. It begins on a cache line, as the memory of those
/// workers does that compute in place: vector loads that cross lines take up to half as long again, and
/// whether they do would otherwise be up to malloc, from run to run.
class ChunkMemory {
 public:
  static constexpr std::size_t alignment = 64;  // of a cache line, in bytes

  /// Its first `bytes`, zeroed where they are new. What it held is gone when it has to grow.
  std::span<std::byte> fit(std::size_t bytes);

 private:
  struct Release {
    void operator()(std::byte* memory) const { ::operator delete[](memory, std::align_val_t{alignment}); }
  };
  std::unique_ptr<std::byte[], Release> memory_;
  std::size_t size_ = 0;
};

}  // namespace loadshare
