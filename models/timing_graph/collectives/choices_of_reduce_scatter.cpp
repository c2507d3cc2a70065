#include "models/timing_graph/collectives/choices.hpp"

namespace loadshare::timing_graph::collectives {
namespace {

constexpr Choice rows[] = {
    {4, 65536, reduce_scatter_ring},
    {4, 131072, reduce_scatter_recursive_halving},
    {4, any_bytes, reduce_scatter_ring},
    {8, 8, reduce_scatter_nonoverlapping},
    {8, 262144, reduce_scatter_recursive_halving},
    {8, any_bytes, reduce_scatter_ring},
    {32, 262144, reduce_scatter_recursive_halving},
    {32, any_bytes, reduce_scatter_ring},
    {64, 64, reduce_scatter_nonoverlapping},
    {64, 524288, reduce_scatter_recursive_halving},
    {64, any_bytes, reduce_scatter_ring},
    {128, 256, reduce_scatter_nonoverlapping},
    {128, any_bytes, reduce_scatter_recursive_halving},
    {256, 256, reduce_scatter_nonoverlapping},
    {256, any_bytes, reduce_scatter_recursive_halving},
    {512, 256, reduce_scatter_nonoverlapping},
    {512, any_bytes, reduce_scatter_recursive_halving},
    {1024, 512, reduce_scatter_nonoverlapping},
    {1024, any_bytes, reduce_scatter_recursive_halving},
    {2048, 512, reduce_scatter_nonoverlapping},
    {2048, any_bytes, reduce_scatter_recursive_halving},
    {4096, 512, reduce_scatter_nonoverlapping},
    {4096, any_bytes, reduce_scatter_recursive_halving},
    {any_size, 1024, reduce_scatter_nonoverlapping},
    {any_size, any_bytes, reduce_scatter_recursive_halving},
};

}  // namespace

std::span<const Choice> choices_of_reduce_scatter() {
  return rows;
}

}  // namespace loadshare::timing_graph::collectives
