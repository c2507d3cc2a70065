#include "apps/loadshare/calibrate/mpi/communicator_of.hpp"

#include <mpi.h>

#include "runtime/transport/mpi/check.hpp"

namespace loadshare::tool {
namespace {

using mpi::check;

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

RankGroup part_of(const RankGroup& world, const std::vector<int>& ranks) {
  MPI_Group group = MPI_GROUP_NULL;
  check(MPI_Group_incl(world.get(), static_cast<int>(ranks.size()), ranks.data(), &group), "MPI_Group_incl");
  return RankGroup(group);
}

}  // namespace

mpi::Communicator communicator_of(const std::vector<int>& ranks) {
  constexpr int tag = 0;
  const RankGroup world = world_group();
  const RankGroup part = part_of(world, ranks);
  MPI_Comm comm = MPI_COMM_NULL;
  check(MPI_Comm_create_group(MPI_COMM_WORLD, part.get(), tag, &comm), "MPI_Comm_create_group");
  return mpi::Communicator(comm);
}

}  // namespace loadshare::tool
