#pragma once

#include <compare>
#include <cstdint>

namespace loadshare::timing_graph {

/// The ranks first, first + stride ... last.
struct RankGroup {
  std::int32_t first = 0;
  std::int32_t last = 0;
  std::int32_t stride = 1;

  auto operator<=>(const RankGroup&) const = default;
  int size() const { return (last - first) / stride + 1; }
  bool contains(std::int32_t rank) const {
    return rank >= first && rank <= last && (rank - first) % stride == 0;
  }
  std::int32_t rank_of(int member) const { return first + member * stride; }
  int member_of(std::int32_t rank) const { return (rank - first) / stride; }
};

}  // namespace loadshare::timing_graph
