#pragma once

#include <cstdint>
#include <vector>

#include "models/timing_graph/collectives/table.hpp"
#include "models/timing_graph/op_list.hpp"
#include "models/timing_graph/rank_group.hpp"

namespace loadshare::timing_graph {

/// A collective call of one process, which the others have yet to join.
struct CollectiveUse {
  std::size_t position = 0;  ///< so many of the process's own ops come before it
  const collectives::Kind* kind = nullptr;
  std::uint32_t origin = 0;
  RankGroup group;
  std::int32_t root = 0;
  std::vector<double> bytes;  ///< one number, or one for each member
};

/// What one process has done so far, while its steps are gone through.
struct ProcessRun {
  std::int32_t rank = 0;
  std::int32_t process_count = 1;
  OpBudget* budget = nullptr;
  OpList list;
  std::vector<std::vector<std::uint32_t>> open_requests;  ///< by name
  std::vector<CollectiveUse> collectives;
};

}  // namespace loadshare::timing_graph
