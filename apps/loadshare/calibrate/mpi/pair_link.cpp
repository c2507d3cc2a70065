#include "apps/loadshare/calibrate/mpi/pair_link.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "apps/loadshare/calibrate/mpi/communicator_of.hpp"
#include "runtime/transport/mpi/check.hpp"

namespace loadshare::tool {
namespace {

using mpi::check;

/// Whole large pages, however little is asked for.
PageMemory<std::byte> touched_pages(Index bytes, std::byte content) {
  constexpr Index page_bytes = 2 << 20;
  PageMemory<std::byte> memory((bytes / page_bytes + 1) * page_bytes);
  std::fill_n(memory.data(), memory.size(), content);
  return memory;
}

}  // namespace

long times_interrupted() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

PairLink::PairLink(const calibration::Pair& pair, Index most_bytes)
    : comm_(communicator_of({pair.sender, pair.receiver})),
      partner_(1 - comm_.rank()),
      memory_(touched_pages(most_bytes, content_of(comm_.rank()))) {}

void PairLink::send_empty() {
  send_bytes(nullptr, 0);
}

void PairLink::receive_empty() {
  receive_bytes(nullptr, 0);
}

void PairLink::send_bytes(const void* data, std::size_t bytes) {
  check(MPI_Send(data, static_cast<int>(bytes), MPI_BYTE, partner_, control_tag, comm_.get()), "MPI_Send");
}

void PairLink::receive_bytes(void* data, std::size_t bytes) {
  check(MPI_Recv(data, static_cast<int>(bytes), MPI_BYTE, partner_, control_tag, comm_.get(),
                 MPI_STATUS_IGNORE),
        "MPI_Recv");
}

}  // namespace loadshare::tool
