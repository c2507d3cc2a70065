#pragma once

#include <memory>

#include "base/types.hpp"

namespace loadshare {

/// Memory for matrices and messages that are streamed: aligned to 2 MiB and, where the system allows, in
/// pages of that size, so that few addresses need translating. Rows that cross cache lines cost narrow chunks
/// a quarter of their speed, small pages a few percent. Contents are indeterminate at first.
template <class T>
class PageMemory {
 public:
  PageMemory() = default;
  /// Room for `count` elements; throws std::bad_alloc.
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

/// Asks the system for large pages in [memory, memory + bytes), whoever allocated it; it may decline. The
/// content stays.
void advise_large_pages(void* memory, Index bytes);

}  // namespace loadshare
