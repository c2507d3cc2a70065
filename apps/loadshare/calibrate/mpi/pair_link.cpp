#include "apps/loadshare/calibrate/mpi/pair_link.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>

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

/// A group of MPI's, freed at the end.
class RankGroup final {
 public:
  explicit RankGroup(MPI_Group group) : group_(group) {}
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;
  ~RankGroup() { MPI_Group_free(&group_); }
  MPI_Group get() const { return group_; }

 private:
  MPI_Group group_;
};

RankGroup world_group() {
  MPI_Group group = MPI_GROUP_NULL;
  check(MPI_Comm_group(MPI_COMM_WORLD, &group), "MPI_Comm_group");
  return RankGroup(group);
}

RankGroup pair_of(const RankGroup& world, const std::array<int, 2>& ranks) {
  MPI_Group group = MPI_GROUP_NULL;
  check(MPI_Group_incl(world.get(), 2, ranks.data(), &group), "MPI_Group_incl");
  return RankGroup(group);
}

/// Of the two alone: the other ranks have no part in it.
mpi::Communicator communicator_of(int sender, int receiver) {
  constexpr int tag = 0;
  const RankGroup world = world_group();
  const RankGroup pair = pair_of(world, {sender, receiver});
  MPI_Comm comm = MPI_COMM_NULL;
  check(MPI_Comm_create_group(MPI_COMM_WORLD, pair.get(), tag, &comm), "MPI_Comm_create_group");
  return mpi::Communicator(comm);
}

}  // namespace

long times_interrupted() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return usage.ru_nivcsw;
}

PairLink::PairLink(const calibration::Pair& pair, Index most_bytes)
    : comm_(communicator_of(pair.sender, pair.receiver)),
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
