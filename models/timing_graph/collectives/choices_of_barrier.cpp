#include "models/timing_graph/collectives/choices.hpp"

namespace loadshare::timing_graph::collectives {
namespace {

constexpr Choice rows[] = {
    {4, any_bytes, barrier_recursive_doubling},
    {8, any_bytes, barrier_linear},
    {64, any_bytes, barrier_recursive_doubling},
    {256, any_bytes, barrier_bruck},
    {512, any_bytes, barrier_tree},
    {1024, any_bytes, barrier_bruck},
    {4096, any_bytes, barrier_tree},
    {any_size, any_bytes, barrier_bruck},
};

}  // namespace

std::span<const Choice> choices_of_barrier() {
  return rows;
}

}  // namespace loadshare::timing_graph::collectives
