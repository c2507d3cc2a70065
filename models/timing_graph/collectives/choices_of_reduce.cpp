#include "models/timing_graph/collectives/choices.hpp"

namespace loadshare::timing_graph::collectives {
namespace {

constexpr Choice rows[] = {
    {4, 8, reduce_linear},
    {4, 16, reduce_binary},
    {4, 32, reduce_chain},
    {4, 262144, reduce_linear},
    {4, any_bytes, reduce_chain},
    {8, 4096, reduce_binary},
    {8, 65536, reduce_chain},
    {8, 262144, reduce_binomial},
    {8, 524288, reduce_linear},
    {8, 1048576, reduce_binomial},
    {8, any_bytes, reduce_linear},
    {16, 8192, reduce_binary},
    {16, any_bytes, reduce_binomial},
    {32, 4096, reduce_binary},
    {any_size, any_bytes, reduce_binomial},
};

}  // namespace

std::span<const Choice> choices_of_reduce() {
  return rows;
}

}  // namespace loadshare::timing_graph::collectives
