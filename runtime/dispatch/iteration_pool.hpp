#pragma once

#include <algorithm>
#include <vector>

#include "schedulers/types.hpp"

namespace loadshare {

/// The iterations nobody has: those never given away, and the ranges that came back from lost workers.
class IterationPool {
 public:
  explicit IterationPool(Index iterations) : fresh_{0, iterations}, remaining_(iterations) {}

  Index remaining() const { return remaining_; }

  /// Cuts off up to `size` >= 1 iterations; fewer where a returned range is shorter. Returned ranges go
  /// first: they have waited longest. The pool must not be empty.
  Chunk take(Index size) {
    Chunk& range = returned_.empty() ? fresh_ : returned_.back();
    const Chunk cut{range.first, std::min(size, range.size)};
    range = {cut.end(), range.size - cut.size};
    remaining_ -= cut.size;
    if (!returned_.empty() && returned_.back().size == 0) returned_.pop_back();
    return cut;
  }

  void give_back(Chunk chunk) {
    returned_.push_back(chunk);
    remaining_ += chunk.size;
  }

 private:
  Chunk fresh_;
  Index remaining_;
  std::vector<Chunk> returned_;  // none of them empty
};

}  // namespace loadshare
