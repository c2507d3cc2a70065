#include "models/timing_graph/collectives/choices.hpp"

namespace loadshare::timing_graph::collectives {
namespace {

constexpr Choice rows[] = {
    {4, 32, bcast_chain},
    {4, 256, bcast_binary},
    {4, 512, bcast_chain},
    {4, 1024, bcast_knomial},
    {4, 32768, bcast_linear},
    {4, 131072, bcast_binary},
    {4, 262144, bcast_chain},
    {4, 524288, bcast_linear},
    {4, 1048576, bcast_binomial},
    {4, any_bytes, bcast_binary},
    {8, 64, bcast_binary},
    {8, 128, bcast_binomial},
    {8, 2048, bcast_binary},
    {8, 8192, bcast_binomial},
    {8, 1048576, bcast_linear},
    {8, any_bytes, bcast_chain},
    {16, 8, bcast_knomial},
    {16, 64, bcast_binary},
    {16, 4096, bcast_knomial},
    {16, 16384, bcast_binary},
    {16, 32768, bcast_binomial},
    {16, any_bytes, bcast_linear},
    {32, 4096, bcast_knomial},
    {32, 1048576, bcast_binomial},
    {32, any_bytes, bcast_scatter_allgather},
    {64, 2048, bcast_binomial},
    {128, any_bytes, bcast_knomial},
    {256, 2, bcast_binomial},
    {256, 16384, bcast_binary},
    {256, 32768, bcast_linear},
    {256, 65536, bcast_binary},
    {256, any_bytes, bcast_knomial},
    {1024, 16384, bcast_knomial},
    {1024, 32768, bcast_binary},
    {1024, any_bytes, bcast_knomial},
    {2048, 524288, bcast_knomial},
    {2048, any_bytes, bcast_scatter_allgather},
    {4096, 262144, bcast_knomial},
    {4096, any_bytes, bcast_scatter_allgather},
    {any_size, 8192, bcast_knomial},
    {any_size, 16384, bcast_binary},
    {any_size, 262144, bcast_knomial},
    {any_size, any_bytes, bcast_scatter_allgather},
};

}  // namespace

std::span<const Choice> choices_of_bcast() {
  return rows;
}

}  // namespace loadshare::timing_graph::collectives
