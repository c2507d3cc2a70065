#include "runtime/profile/interpose/clock_exchange.hpp"

#include <limits>

#include "runtime/profile/interpose/ticks.hpp"

namespace loadshare::profile {
namespace {

constexpr int round_trips = 32;
constexpr int clock_tag = 1;

void answer(int asker, MPI_Comm world) {
  for (int i = 0; i < round_trips; ++i) {
    std::int64_t asked = 0;
    PMPI_Recv(&asked, 1, MPI_INT64_T, asker, clock_tag, world, MPI_STATUS_IGNORE);
    const std::int64_t now_ns = nanoseconds(CLOCK_MONOTONIC);
    PMPI_Send(&now_ns, 1, MPI_INT64_T, asker, clock_tag, world);
  }
}

/// The shortest trip tells best: half of it is the way there.
ClockOffset ask(MPI_Comm world) {
  ClockOffset best;
  std::int64_t shortest_ns = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < round_trips; ++i) {
    const std::int64_t sent_ns = nanoseconds(CLOCK_MONOTONIC);
    PMPI_Send(&sent_ns, 1, MPI_INT64_T, 0, clock_tag, world);
    std::int64_t there_ns = 0;
    PMPI_Recv(&there_ns, 1, MPI_INT64_T, 0, clock_tag, world, MPI_STATUS_IGNORE);
    const std::int64_t back_ns = nanoseconds(CLOCK_MONOTONIC);
    if (back_ns - sent_ns >= shortest_ns) continue;
    shortest_ns = back_ns - sent_ns;
    best = {back_ns, sent_ns + shortest_ns / 2 - there_ns};
  }
  return best;
}

}  // namespace

ClockOffset exchange_clocks(const Kernels& kernels) {
  if (kernels.rank() == 0)
    for (const int leader : kernels.other_leaders()) answer(leader, kernels.own_world());
  return kernels.is_leader() && kernels.leader() != 0 ? ask(kernels.own_world()) : ClockOffset{};
}

}  // namespace loadshare::profile
