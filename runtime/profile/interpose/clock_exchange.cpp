#include "runtime/profile/interpose/clock_exchange.hpp"

#include <limits>

#include "runtime/profile/interpose/ticks.hpp"

namespace loadshare::profile {
namespace {

constexpr int round_trips = 32;
constexpr int tag = 32001;  // the run has not begun or is over: no message of the program's is under way

void answer(int asker) {
  for (int i = 0; i < round_trips; ++i) {
    std::int64_t asked = 0;
    PMPI_Recv(&asked, 1, MPI_INT64_T, asker, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const std::int64_t now_ns = nanoseconds(CLOCK_MONOTONIC);
    PMPI_Send(&now_ns, 1, MPI_INT64_T, asker, tag, MPI_COMM_WORLD);
  }
}

/// The shortest trip tells best: half of it is the way there.
ClockOffset ask() {
  ClockOffset best;
  std::int64_t shortest_ns = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < round_trips; ++i) {
    const std::int64_t sent_ns = nanoseconds(CLOCK_MONOTONIC);
    PMPI_Send(&sent_ns, 1, MPI_INT64_T, 0, tag, MPI_COMM_WORLD);
    std::int64_t there_ns = 0;
    PMPI_Recv(&there_ns, 1, MPI_INT64_T, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
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
    for (const int leader : kernels.other_leaders()) answer(leader);
  return kernels.is_leader() && kernels.leader() != 0 ? ask() : ClockOffset{};
}

}  // namespace loadshare::profile
