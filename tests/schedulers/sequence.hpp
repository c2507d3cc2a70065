#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"

namespace loadshare::test {

using Sizes = std::vector<Index>;

/// The sizes that a built-in scheduler deals to the workers in turn, none ever reporting back.
Sizes sequence(std::string_view spec, const LoopFacts& loop);

/// `51 13x2 1` is 51 13 13 1.
Sizes read_sizes(const std::string& text);

/// What this scheduler would give the worker of so many iterations.
inline Index next_size(ChunkScheduler& scheduler, WorkerId worker, Index remaining) {
  return scheduler.next({worker, 0, remaining, 0, 1}).size;
}

/// The text of the UsageError that making this scheduler throws; empty when it throws none.
std::string error_of(std::string_view spec, const LoopFacts& loop = {100, 4});

}  // namespace loadshare::test
