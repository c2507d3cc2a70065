#include "models/timing_graph/collectives/choices.hpp"

namespace loadshare::timing_graph::collectives {
namespace {

constexpr Choice rows[] = {
    {4, 131072, reduce_scatter_recursive_halving},
    {4, any_bytes, reduce_scatter_nonoverlapping},
    {8, 1048576, reduce_scatter_recursive_halving},
    {8, any_bytes, reduce_scatter_nonoverlapping},
    {16, 4, reduce_scatter_nonoverlapping},
    {16, 524288, reduce_scatter_recursive_halving},
    {16, 4194304, reduce_scatter_nonoverlapping},
    {16, any_bytes, reduce_scatter_recursive_halving},
    {32, 32, reduce_scatter_nonoverlapping},
    {32, 524288, reduce_scatter_recursive_halving},
    {32, 2097152, reduce_scatter_nonoverlapping},
    {32, any_bytes, reduce_scatter_recursive_halving},
    {any_size, 4, reduce_scatter_recursive_halving},
    {any_size, 16, reduce_scatter_nonoverlapping},
    {any_size, 65536, reduce_scatter_recursive_halving},
    {any_size, 262144, reduce_scatter_nonoverlapping},
    {any_size, any_bytes, reduce_scatter_recursive_halving},
};

}  // namespace

std::span<const Choice> choices_of_reduce_scatter_block() {
  return rows;
}

}  // namespace loadshare::timing_graph::collectives
