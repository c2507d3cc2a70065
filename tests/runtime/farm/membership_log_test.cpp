#include "runtime/farm/membership_log.hpp"

#include <gtest/gtest.h>

namespace loadshare {
namespace {

using What = MemberEvent::What;

TEST(MembershipLog, AddsUpWhateverBecameOfEachChunk) {
  MembershipLog log;
  const WorkerId worker{1};
  log.happened(What::joined, worker, 10);
  for (std::uint32_t i = 0; i < 7; ++i) log.given(worker, {{i, 0}, {i, 1}}, 11);
  log.returned(true, 0);
  log.returned(false, 1);
  log.failed();
  log.handed_back();
  log.happened(What::lost, worker, 12, {{{4, 0}, {4, 1}}, {{5, 0}, {5, 1}}});
  const MembershipRecord record = log.record(10, 1);
  EXPECT_EQ(record.given, 7);
  EXPECT_EQ(record.lost, 2);
  EXPECT_TRUE(record.adds_up());
  EXPECT_FALSE(log.record(10, 2).adds_up()) << "a chunk too many";
  ASSERT_EQ(record.events.size(), 2u);
  EXPECT_EQ(record.events[1].at_s, 2) << "since the start";
  EXPECT_EQ(record.events[1].chunks, 2);
  EXPECT_TRUE(record.given_again.empty());
}

TEST(MembershipLog, TellsWhatWasGivenAgainOnce) {
  MembershipLog log;
  log.given(WorkerId{0}, {{0, 0}, {0, 10}}, 0);
  log.happened(What::lost, WorkerId{0}, 1, {{{0, 0}, {0, 10}}});
  log.given(WorkerId{1}, {{1, 0}, {0, 4}}, 1);         // a part of it
  log.given(WorkerId{1}, {{2, 0}, {10, 5}}, 2);        // fresh
  log.given(WorkerId{1}, {{3, 0}, {4, 6}}, 3);         // the rest
  log.given(WorkerId{2}, {{4, 0}, {10, 5}, true}, 4);  // a copy
  log.given(WorkerId{2}, {{5, 0}, {15, 5}}, 5);
  const MembershipRecord record = log.record(0, 0);
  ASSERT_EQ(record.given_again.size(), 3u);
  EXPECT_EQ(record.given_again[0].chunk, (Chunk{0, 4}));
  EXPECT_EQ(record.given_again[1].chunk, (Chunk{4, 6}));
  EXPECT_EQ(record.given_again[2].worker, WorkerId{2});
  EXPECT_EQ(record.given_again[2].at_s, 4);
  EXPECT_EQ(log.reissue().again, 4 + 6 + 5);
}

// Others may compute what a silent worker has; it may still return it.
TEST(MembershipLog, CountsNothingAsLostWithWhoIsSilent) {
  MembershipLog log;
  log.given(WorkerId{0}, {{0, 0}, {0, 10}}, 0);
  log.happened(What::silent, WorkerId{0}, 1, {{{0, 0}, {0, 10}}});
  log.given(WorkerId{1}, {{1, 0}, {0, 10}}, 1);
  log.returned(true, 0);
  log.returned(false, 10);
  const MembershipRecord record = log.record(0, 0);
  EXPECT_EQ(record.lost, 0);
  EXPECT_EQ(record.given_again.size(), 1u);
  EXPECT_EQ(log.reissue().again, 10);
  EXPECT_EQ(log.reissue().twice, 10);
  EXPECT_TRUE(record.adds_up());
}

}  // namespace
}  // namespace loadshare
