#include "models/efficiency/waiting/clocks.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/models/efficiency/waiting/profile_builder.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;

ProfileBuilder on_hosts_of_their_own(int ranks) {
  ProfileBuilder run(ranks);
  for (int rank = 0; rank < ranks; ++rank) run.rank(rank).host = "host " + std::to_string(rank);
  return run;
}

Contradictions found_in(ProfileBuilder& run) {
  const profile::Profile profile = run.built(10'000);
  return contradictions_of(Matching(profile));
}

/// Two of three ranks leave the operation at 1000, and this one arrives at 5000.
struct Late {
  CallId call;
  int root;
  int rank;
  std::uint64_t contradictions;
};

constexpr std::array cases{Late{CallId::Barrier, -1, 0, 2},        Late{CallId::Allreduce, -1, 2, 2},
                           Late{CallId::Win_fence, -1, 1, 2},      Late{CallId::Comm_split, -1, 1, 2},
                           Late{CallId::Bcast, 0, 0, 2},           Late{CallId::Bcast, 0, 1, 0},
                           Late{CallId::Scatterv, 1, 1, 2},        Late{CallId::Scatterv, 1, 2, 0},
                           Late{CallId::Reduce, 0, 1, 1},          Late{CallId::Reduce, 0, 0, 0},
                           Late{CallId::Gather, 2, 0, 1},          Late{CallId::Scan, -1, 0, 2},
                           Late{CallId::Scan, -1, 1, 1},           Late{CallId::Exscan, -1, 2, 0},
                           Late{CallId::File_write_all, -1, 0, 0}, Late{CallId::Alltoallv, -1, 0, 0}};

class Collective : public testing::TestWithParam<Late> {
 protected:
  /// `end` ends each member's part in it at that time.
  template <typename Begin, typename End>
  Contradictions found(Begin begin, End end, std::uint64_t bytes = 8) const {
    ProfileBuilder run = on_hosts_of_their_own(3);
    for (const int rank : {0, 1, 2}) {
      const std::int64_t at_ns = rank == GetParam().rank ? 5000 : 0;
      begin(run, rank, at_ns, Envelope{.peer = GetParam().root, .bytes = bytes});
      end(run, rank, at_ns + 1000);
    }
    return found_in(run);
  }
};

TEST_P(Collective, CannotEndBeforeTheNeededRanksArrive) {
  const auto blocks = [](ProfileBuilder& run, int rank, std::int64_t at_ns, Envelope envelope) {
    run.call(rank, GetParam().call, {at_ns, at_ns + 1000}, envelope);
  };
  const Contradictions clocks = found(blocks, [](ProfileBuilder&, int, std::int64_t) {});
  EXPECT_EQ(clocks.count, GetParam().contradictions);
  EXPECT_EQ(clocks.largest_ns, GetParam().contradictions > 0 ? 4000 : 0);
}

INSTANTIATE_TEST_SUITE_P(Each, Collective, testing::ValuesIn(cases));

constexpr std::array started{Late{CallId::Ibarrier, -1, 0, 2}, Late{CallId::Ibcast, 0, 0, 2},
                             Late{CallId::Ireduce, 0, 1, 1}, Late{CallId::Iscan, -1, 1, 1}};

class StartedCollective : public Collective {};

TEST_P(StartedCollective, CannotBeCompletedBeforeThat) {
  const auto starts = [](ProfileBuilder& run, int rank, std::int64_t at_ns, Envelope envelope) {
    run.start(rank, GetParam().call, {at_ns, at_ns + 10}, envelope);
  };
  const auto waits = [](ProfileBuilder& run, int rank, std::int64_t end_ns) {
    run.call(rank, CallId::Wait, {end_ns - 500, end_ns});
    run.completed(rank, run.last_request());
  };
  const Contradictions clocks = found(starts, waits);
  EXPECT_EQ(clocks.count, GetParam().contradictions);
  EXPECT_EQ(clocks.largest_ns, 4000);
}

INSTANTIATE_TEST_SUITE_P(Each, StartedCollective, testing::ValuesIn(started));

TEST(Clocks, AMemberWithoutDataNeedsNoOtherRank) {
  for (const CallId call : {CallId::Bcast, CallId::Scatterv, CallId::Scan}) {
    ProfileBuilder run = on_hosts_of_their_own(2);
    run.call(0, call, {5000, 6000}, {.peer = call == CallId::Scan ? -1 : 0});
    run.call(1, call, {0, 1000}, {.peer = call == CallId::Scan ? -1 : 0});
    EXPECT_EQ(found_in(run).count, 0u);
  }
}

TEST(Clocks, OneHostHasNoContradictions) {
  ProfileBuilder run(2);
  run.call(0, CallId::Barrier, {5000, 6000});
  run.call(1, CallId::Barrier, {0, 1000});
  EXPECT_EQ(found_in(run).count, 0u);
}

TEST(Clocks, NeighborsNeedTheirSources) {
  ProfileBuilder run = on_hosts_of_their_own(3);
  for (const int rank : {0, 1, 2}) {
    const std::int64_t at_ns = rank == 0 ? 5000 : 0;
    run.call(rank, CallId::Neighbor_allgather, {at_ns, at_ns + 1000}, {.bytes = 8});
    if (rank > 0) run.member(rank, rank - 1);
  }
  const Contradictions clocks = found_in(run);
  EXPECT_EQ(clocks.count, 1u);
  EXPECT_EQ(clocks.largest_ns, 4000);
}

TEST(Clocks, AFenceThatNothingPrecedesNeedsNoOtherRank) {
  ProfileBuilder run = on_hosts_of_their_own(2);
  run.call(0, CallId::Win_fence, {5000, 6000}, {.tag = profile::nothing_precedes});
  run.call(1, CallId::Win_fence, {0, 1000}, {.tag = profile::nothing_precedes});
  EXPECT_EQ(found_in(run).count, 0u);
}

TEST(Clocks, AnEpochNeedsItsOtherSide) {
  ProfileBuilder run = on_hosts_of_their_own(2);
  run.call(0, CallId::Win_start, {5000, 5100});
  run.member(0, 1);
  run.call(0, CallId::Win_complete, {5200, 5300});
  run.call(1, CallId::Win_post, {0, 10});
  run.member(1, 0);
  run.call(1, CallId::Win_wait, {20, 2000});
  EXPECT_EQ(found_in(run).count, 1u);
  EXPECT_EQ(found_in(run).largest_ns, 3200);
}

TEST(Clocks, ASynchronousSendNeedsItsReceive) {
  for (const CallId call : {CallId::Ssend, CallId::Send}) {
    ProfileBuilder run = on_hosts_of_their_own(2);
    run.call(0, call, {0, 1000}, {.peer = 1, .tag = 0, .bytes = 8});
    run.call(1, CallId::Recv, {2500, 3000}, {.peer = 0, .tag = 0, .bytes = 8});
    EXPECT_EQ(found_in(run).largest_ns, call == CallId::Ssend ? 1500 : 0);
  }
}

TEST(Clocks, TheCallInWhichTheRunEndedHasNoEnd) {
  ProfileBuilder run = on_hosts_of_their_own(2);
  run.call(0, CallId::Barrier, {5000, 6000});
  run.call(1, CallId::Barrier, {0, 1000});
  run.rank(1).ends_in_call = true;
  EXPECT_EQ(found_in(run).count, 0u);
}

}  // namespace
}  // namespace loadshare::waiting
