#include "models/timing_graph/collectives/choices.hpp"

namespace loadshare::timing_graph::collectives {
namespace {

constexpr Choice rows[] = {
    {4, any_bytes, alltoallv_pairwise},    {64, any_bytes, alltoallv_linear},
    {128, any_bytes, alltoallv_pairwise},  {256, any_bytes, alltoallv_linear},
    {1024, any_bytes, alltoallv_pairwise}, {any_size, any_bytes, alltoallv_linear},
};

}  // namespace

std::span<const Choice> choices_of_alltoallv() {
  return rows;
}

}  // namespace loadshare::timing_graph::collectives
