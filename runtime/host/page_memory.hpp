#pragma once

#include <memory>

#include "base/types.hpp"

namespace loadshare {

/// Memory for matrices and messages, aligned to 2 MiB and, if the system allows it, in pages of that size.
/// Large pages need fewer address translations; small ones cost a few percent of speed. Rows that cross cache
/// lines cost narrow chunks a quarter of theirs. The initial contents are indeterminate.
template <class T>
class PageMemory {
 public:
  PageMemory() = default;
  /// Allocates `count` elements. Throws std::bad_alloc.
  explicit PageMemory(Index count);

  T* data() { return memory_.get(); }
  const T* data() const { return memory_.get(); }
  Index size() const { return size_; }

 private:
  struct Release {
    void operator()(T* memory) const;
  };

  std::unique_ptr<T, Release> memory_;
  Index size_ = 0;
};

/// Asks the system for large pages in [memory, memory + bytes), which any allocator may have provided. The
/// system may refuse. The contents are kept.
void advise_large_pages(void* memory, Index bytes);

}  // namespace loadshare
