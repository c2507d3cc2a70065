#include "models/timing_graph/collectives/choices.hpp"

namespace loadshare::timing_graph::collectives {
namespace {

constexpr Choice rows[] = {
    {4, 2, gather_linear_sync},
    {4, 4, gather_linear},
    {4, 32768, gather_binomial},
    {4, 65536, gather_linear},
    {4, 131072, gather_binomial},
    {4, any_bytes, gather_linear_sync},
    {8, 1024, gather_binomial},
    {8, 8192, gather_linear},
    {8, 32768, gather_binomial},
    {8, 262144, gather_linear},
    {8, any_bytes, gather_linear_sync},
    {256, any_bytes, gather_binomial},
    {512, 2048, gather_binomial},
    {512, 8192, gather_linear},
    {any_size, any_bytes, gather_binomial},
};

}  // namespace

std::span<const Choice> choices_of_gather() {
  return rows;
}

}  // namespace loadshare::timing_graph::collectives
