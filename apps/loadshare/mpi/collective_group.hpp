#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "apps/loadshare/collective_sampling.hpp"
#include "base/random.hpp"
#include "runtime/transport/mpi/group.hpp"

namespace loadshare::tool {

/// Of these ranks of the world alone, in this order: the others have no part in making it.
mpi::Communicator communicator_of(const std::vector<int>& ranks);

/// The calls that are measured, those with a root by rank: MPI's names in small letters, without MPI_.
std::vector<std::string> collective_call_names();

/// What a collective call works on.
struct CollectiveArguments {
  MPI_Comm comm = MPI_COMM_NULL;
  int bytes = 0;  ///< as communication::CollectiveCosts has them, a multiple of 4
  const void* sent = nullptr;
  void* received = nullptr;
  // Of alltoallv, by member.
  const int* counts = nullptr;
  const int* places = nullptr;
};

struct CollectiveCall {
  const char* name;      ///< see collective_call_names()
  const char* mpi_name;  ///< for errors
  int (*call)(const CollectiveArguments& with);
};

std::span<const CollectiveCall> collective_calls();

/// The first so many ranks of the world, which make collective calls together: rank 0 says which, the others
/// serve. Before each call they meet, and then are busy, each for a while of its own, as members come from
/// computing in programs (up to 4 ms, or half of what the call took last): who comes from a barrier comes in
/// step with the others, and also in step with what a shared processor grants. When its members began and
/// ended it they tell by their own clocks, set back by how far each is ahead of rank 0's at that visit:
/// clocks drift.
class CollectiveGroup final : public CollectiveExchange {
 public:
  /// Collective over those ranks. `has_own_clock`: whether this one is on another host than rank 0.
  CollectiveGroup(int ranks, bool has_own_clock);

  /// On rank 0, as all of CollectiveExchange.
  std::vector<CollectiveTiming> visit(const CollectiveVisit& visit) override;
  double now_s() const override;
  /// Lets the others go; no visit after it.
  void end();

  /// On the others, until rank 0 wants no more.
  void serve();

 private:
  /// What rank 0 wants of the others.
  struct CallRequest {
    std::ptrdiff_t call = 0;  ///< its place among collective_calls()
    Index bytes = 0;
    Index repetitions = 0;  ///< none: nothing any more
    Index warm_ups = 0;
  };
  struct Span {
    double begun_s = 0;
    double ended_s = 0;
  };

  void pass_on(CallRequest& request);
  double clock_offset_s() const;
  void be_busy(double most_s);
  std::vector<Span> make(const CallRequest& request);
  /// Everybody's, by rank, on rank 0.
  std::vector<Span> gather(const std::vector<Span>& own);

  mpi::Communicator comm_;
  bool has_own_clock_;
  SplitMix64 random_;
  int other_clocks_ = 0;
  std::vector<std::byte> sent_;
  std::vector<std::byte> received_;
};

}  // namespace loadshare::tool
