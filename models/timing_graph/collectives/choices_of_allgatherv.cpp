#include "models/timing_graph/collectives/choices.hpp"

namespace loadshare::timing_graph::collectives {
namespace {

constexpr Choice rows[] = {
    {3, 2048, allgather_ring},
    {3, 4096, exchange_two_proc},
    {3, 8192, allgather_ring},
    {3, any_bytes, exchange_two_proc},
    {8, 256, allgatherv_default},
    {8, 4096, allgather_neighbor},
    {8, 8192, allgather_ring},
    {8, 16384, allgather_neighbor},
    {8, 262144, allgather_bruck},
    {8, any_bytes, allgather_neighbor},
    {16, 1024, allgatherv_default},
    {16, any_bytes, allgather_bruck},
    {32, 128, allgatherv_default},
    {32, 262144, allgather_bruck},
    {32, any_bytes, allgather_ring},
    {64, 256, allgatherv_default},
    {64, 8192, allgather_bruck},
    {64, any_bytes, allgather_ring},
    {128, 256, allgatherv_default},
    {128, 4096, allgather_bruck},
    {128, any_bytes, allgather_ring},
    {256, 1024, allgather_bruck},
    {256, 65536, allgather_neighbor},
    {256, any_bytes, allgather_ring},
    {512, 1024, allgather_bruck},
    {512, any_bytes, allgather_ring},
    {1024, 512, allgather_bruck},
    {1024, 1024, allgatherv_default},
    {1024, 4096, allgather_bruck},
    {1024, 1048576, allgather_neighbor},
    {1024, any_bytes, allgather_ring},
    {any_size, 4096, allgather_bruck},
    {any_size, any_bytes, allgather_neighbor},
};

}  // namespace

std::span<const Choice> choices_of_allgatherv() {
  return rows;
}

}  // namespace loadshare::timing_graph::collectives
