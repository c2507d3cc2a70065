#include "models/timing_graph/collectives/choices.hpp"

namespace loadshare::timing_graph::collectives {
namespace {

constexpr Choice rows[] = {
    {3, 2, alltoall_pairwise},
    {3, 4, exchange_two_proc},
    {3, 16, alltoall_pairwise},
    {3, 64, exchange_two_proc},
    {3, 256, alltoall_pairwise},
    {3, 4096, exchange_two_proc},
    {3, 32768, alltoall_pairwise},
    {3, 262144, alltoall_linear},
    {3, 1048576, exchange_two_proc},
    {3, any_bytes, alltoall_pairwise},
    {8, 524288, alltoall_linear},
    {8, 1048576, alltoall_pairwise},
    {8, any_bytes, alltoall_linear},
    {16, any_bytes, alltoall_linear},
    {32, 4, alltoall_linear},
    {32, 512, alltoall_bruck},
    {32, any_bytes, alltoall_linear},
    {64, 512, alltoall_bruck},
    {64, any_bytes, alltoall_linear},
    {128, 1024, alltoall_bruck},
    {128, 262144, alltoall_linear},
    {128, any_bytes, alltoall_pairwise},
    {256, 1024, alltoall_bruck},
    {256, 262144, alltoall_linear},
    {256, any_bytes, alltoall_pairwise},
    {512, 1024, alltoall_bruck},
    {512, 32768, alltoall_linear},
    {512, any_bytes, alltoall_pairwise},
    {1024, 512, alltoall_bruck},
    {1024, 262144, alltoall_linear},
    {1024, any_bytes, alltoall_pairwise},
    {2048, 512, alltoall_bruck},
    {2048, any_bytes, alltoall_linear},
    {4096, 1024, alltoall_bruck},
    {4096, any_bytes, alltoall_linear},
    {any_size, 2048, alltoall_bruck},
    {any_size, any_bytes, alltoall_linear},
};

}  // namespace

std::span<const Choice> choices_of_alltoall() {
  return rows;
}

}  // namespace loadshare::timing_graph::collectives
