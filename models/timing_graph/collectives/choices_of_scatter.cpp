#include "models/timing_graph/collectives/choices.hpp"

namespace loadshare::timing_graph::collectives {
namespace {

constexpr Choice rows[] = {
    {4, 2, scatter_linear_nb},         {4, 131072, scatter_linear},
    {4, 262144, scatter_linear_nb},    {4, any_bytes, scatter_linear},
    {8, 2048, scatter_binomial},       {8, 4096, scatter_linear},
    {8, 8192, scatter_binomial},       {8, 32768, scatter_linear},
    {8, 1048576, scatter_linear_nb},   {8, any_bytes, scatter_linear},
    {16, 16384, scatter_binomial},     {16, 1048576, scatter_linear_nb},
    {16, any_bytes, scatter_linear},   {32, 16384, scatter_binomial},
    {32, 32768, scatter_linear},       {32, any_bytes, scatter_linear_nb},
    {64, 512, scatter_binomial},       {64, 8192, scatter_linear_nb},
    {64, 16384, scatter_binomial},     {64, any_bytes, scatter_linear_nb},
    {any_size, 512, scatter_binomial}, {any_size, any_bytes, scatter_linear_nb},
};

}  // namespace

std::span<const Choice> choices_of_scatter() {
  return rows;
}

}  // namespace loadshare::timing_graph::collectives
