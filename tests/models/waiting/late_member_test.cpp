#include "models/waiting/late_member.hpp"

#include <gtest/gtest.h>

#include <array>

#include "tests/models/waiting/profile_builder.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;

/// Three ranks come to one collective operation at 10, 30, 20 and leave it at the times given.
class ThreeRanks {
 public:
  ThreeRanks(CallId call, int root, std::array<std::int64_t, 3> ends_ns) {
    constexpr std::array<std::int64_t, 3> begins_ns{10, 30, 20};
    for (std::size_t rank = 0; rank < 3; ++rank)
      run_.call(static_cast<int>(rank), call, {begins_ns[rank], ends_ns[rank]}, {.peer = root});
    profile_ = run_.built(100);
  }

  Wait wait_of(std::uint32_t rank) const {
    return late_member(Matching(profile_), {rank, 0}, profile_.ranks[rank].events[0]);
  }

 private:
  ProfileBuilder run_{3};
  profile::Profile profile_;
};

TEST(AllToAll, WaitsForTheLastMember) {
  for (const CallId call : {CallId::Barrier, CallId::Allreduce, CallId::Alltoallv, CallId::Comm_split,
                            CallId::Win_fence, CallId::Win_free}) {
    const ThreeRanks run(call, -1, {31, 31, 31});
    for (const std::uint32_t rank : {0u, 1u, 2u}) {
      EXPECT_EQ(run.wait_of(rank).until_ns, 30);
      EXPECT_EQ(run.wait_of(rank).state, WaitState::late_member);
    }
  }
}

TEST(OneToAll, WaitsForTheRoot) {
  const ThreeRanks run(CallId::Bcast, 1, {33, 33, 33});
  EXPECT_EQ(run.wait_of(0).until_ns, 30);
  EXPECT_EQ(run.wait_of(2).until_ns, 30);
  EXPECT_EQ(run.wait_of(2).state, WaitState::late_root);
}

TEST(OneToAll, TheRootWaitsForThoseThatCameBeforeItsEnd) {
  EXPECT_EQ(ThreeRanks(CallId::Scatter, 0, {11, 33, 33}).wait_of(0).until_ns, 10);
  EXPECT_EQ(ThreeRanks(CallId::Scatter, 0, {25, 33, 33}).wait_of(0).until_ns, 20);
  EXPECT_EQ(ThreeRanks(CallId::Scatter, 0, {33, 33, 33}).wait_of(0).until_ns, 30);
}

TEST(AllToOne, TheRootWaitsForTheLastMember) {
  const ThreeRanks run(CallId::Reduce, 2, {11, 31, 32});
  EXPECT_EQ(run.wait_of(2).until_ns, 30);
  EXPECT_EQ(run.wait_of(2).state, WaitState::early_root);
}

TEST(AllToOne, OthersWaitForTheRootWhereTheyEndAfterItCame) {
  EXPECT_FALSE(ThreeRanks(CallId::Gather, 2, {11, 31, 32}).wait_of(0));
  EXPECT_EQ(ThreeRanks(CallId::Gather, 2, {25, 31, 32}).wait_of(0).until_ns, 20);
}

TEST(Prefix, WaitsForTheMembersBefore) {
  const ThreeRanks run(CallId::Scan, -1, {11, 31, 31});
  EXPECT_EQ(run.wait_of(0).until_ns, 10);
  EXPECT_EQ(run.wait_of(1).until_ns, 10);
  EXPECT_EQ(run.wait_of(2).until_ns, 30);
}

TEST(StartedCollectives, WaitAsTheirBlockingKind) {
  EXPECT_EQ(ThreeRanks(CallId::Ibarrier, -1, {31, 31, 31}).wait_of(0).until_ns, 30);
  EXPECT_EQ(ThreeRanks(CallId::Ibcast, 2, {31, 31, 31}).wait_of(0).until_ns, 20);
  EXPECT_EQ(ThreeRanks(CallId::Ireduce, 2, {11, 31, 31}).wait_of(2).until_ns, 30);
  EXPECT_EQ(ThreeRanks(CallId::Iscan, -1, {11, 31, 31}).wait_of(1).until_ns, 10);
  EXPECT_FALSE(ThreeRanks(CallId::Ineighbor_alltoall, -1, {31, 31, 31}).wait_of(0));
}

TEST(OneToAll, ClaimsNothingWhereTheRootIsMissing) {
  ProfileBuilder run(2);
  const EventId call = run.call(1, CallId::Bcast, {1, 9}, {.peer = 0});
  const auto profile = run.built(10);
  EXPECT_FALSE(late_member(Matching(profile), call, at(profile, call)));
}

}  // namespace
}  // namespace loadshare::waiting
