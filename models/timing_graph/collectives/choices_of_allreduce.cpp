#include "models/timing_graph/collectives/choices.hpp"

namespace loadshare::timing_graph::collectives {
namespace {

constexpr Choice rows[] = {
    {4, 8, allreduce_ring},
    {4, 4096, allreduce_recursive_doubling},
    {4, 8192, allreduce_ring},
    {4, 16384, allreduce_recursive_doubling},
    {4, 262144, allreduce_ring},
    {4, any_bytes, allreduce_rabenseifner},
    {8, 16, allreduce_ring},
    {8, 8192, allreduce_recursive_doubling},
    {8, any_bytes, allreduce_rabenseifner},
    {16, 8192, allreduce_recursive_doubling},
    {16, any_bytes, allreduce_rabenseifner},
    {32, 64, allreduce_ring},
    {32, 4096, allreduce_recursive_doubling},
    {32, any_bytes, allreduce_rabenseifner},
    {64, 128, allreduce_ring},
    {64, any_bytes, allreduce_rabenseifner},
    {128, 262144, allreduce_recursive_doubling},
    {128, any_bytes, allreduce_rabenseifner},
    {256, 131072, allreduce_nonoverlapping},
    {256, 262144, allreduce_recursive_doubling},
    {256, any_bytes, allreduce_rabenseifner},
    {512, 4096, allreduce_nonoverlapping},
    {512, any_bytes, allreduce_rabenseifner},
    {2048, 2048, allreduce_nonoverlapping},
    {2048, 16384, allreduce_recursive_doubling},
    {2048, any_bytes, allreduce_rabenseifner},
    {4096, 2048, allreduce_nonoverlapping},
    {4096, 4096, allreduce_ring},
    {4096, 16384, allreduce_recursive_doubling},
    {4096, any_bytes, allreduce_rabenseifner},
    {any_size, 2048, allreduce_nonoverlapping},
    {any_size, 16384, allreduce_ring},
    {any_size, 32768, allreduce_recursive_doubling},
    {any_size, any_bytes, allreduce_rabenseifner},
};

}  // namespace

std::span<const Choice> choices_of_allreduce() {
  return rows;
}

}  // namespace loadshare::timing_graph::collectives
