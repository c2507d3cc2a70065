#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"

namespace loadshare::test {

using Sizes = std::vector<Index>;

/// Returns the sizes that a built-in scheduler gives to the workers in turn, without any reports.
Sizes sequence(std::string_view spec, const LoopFacts& loop);

/// `51 13x2 1` is 51 13 13 1.
Sizes read_sizes(const std::string& text);

/// Returns the size that this scheduler gives to the worker.
inline Index next_size(ChunkScheduler& scheduler, WorkerId worker, Index remaining) {
  return scheduler.next({worker, 0, remaining, 0, 1}).size;
}

/// Returns the text of the UsageError that making this scheduler throws, or an empty text.
std::string error_of(std::string_view spec, const LoopFacts& loop = {100, 4});

}  // namespace loadshare::test
