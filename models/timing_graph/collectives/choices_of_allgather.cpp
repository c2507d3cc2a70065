#include "models/timing_graph/collectives/choices.hpp"

namespace loadshare::timing_graph::collectives {
namespace {

constexpr Choice rows[] = {
    {3, any_bytes, exchange_two_proc},
    {32, any_bytes, allgather_recursive_doubling},
    {64, 1024, allgather_recursive_doubling},
    {64, 65536, allgather_neighbor},
    {64, any_bytes, allgather_ring},
    {128, 512, allgather_recursive_doubling},
    {128, 65536, allgather_neighbor},
    {128, any_bytes, allgather_ring},
    {256, 512, allgather_recursive_doubling},
    {256, 131072, allgather_neighbor},
    {256, 524288, allgather_ring},
    {256, 1048576, allgather_neighbor},
    {256, any_bytes, allgather_ring},
    {512, 32, allgather_recursive_doubling},
    {512, 128, allgather_bruck},
    {512, 1024, allgather_recursive_doubling},
    {512, 131072, allgather_neighbor},
    {512, 524288, allgather_ring},
    {512, 1048576, allgather_neighbor},
    {512, any_bytes, allgather_ring},
    {1024, 64, allgather_recursive_doubling},
    {1024, 256, allgather_bruck},
    {1024, 2048, allgather_recursive_doubling},
    {1024, any_bytes, allgather_neighbor},
    {2048, 4, allgather_recursive_doubling},
    {2048, 8, allgather_bruck},
    {2048, 16, allgather_recursive_doubling},
    {2048, 32, allgather_bruck},
    {2048, 256, allgather_recursive_doubling},
    {2048, 512, allgather_bruck},
    {2048, 4096, allgather_recursive_doubling},
    {2048, any_bytes, allgather_neighbor},
    {4096, 32, allgather_bruck},
    {4096, 128, allgather_recursive_doubling},
    {4096, 512, allgather_bruck},
    {4096, 4096, allgather_recursive_doubling},
    {4096, any_bytes, allgather_neighbor},
    {any_size, 2, allgather_recursive_doubling},
    {any_size, 8, allgather_bruck},
    {any_size, 16, allgather_recursive_doubling},
    {any_size, 512, allgather_bruck},
    {any_size, 4096, allgather_recursive_doubling},
    {any_size, any_bytes, allgather_neighbor},
};

}  // namespace

std::span<const Choice> choices_of_allgather() {
  return rows;
}

}  // namespace loadshare::timing_graph::collectives
