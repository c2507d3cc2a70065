#include "apps/loadshare/message_sampling.hpp"

#include <gmock/gmock.h>

#include <set>

#include "base/error.hpp"
#include "tests/apps/loadshare/made_pair.hpp"

namespace loadshare::tool::test {
namespace {

using communication::ReceivePosted;
using communication::SendMode;

constexpr Index jump_bytes = 5000;

struct Scouted : testing::Test {
  MadePair pair{jump_bytes};
  Scouting scouting{SamplingOptions{}, pair};
};

TEST_F(Scouted, TheReceiverStaysAwayForTwiceAsLongAsAMessageTakes) {
  EXPECT_EQ(scouting.visit(SendMode::standard, ReceivePosted::before, 64).stay_s, 0);
  EXPECT_NEAR(scouting.visit(SendMode::standard, ReceivePosted::after, 64).stay_s, 5e-6 + 2 * 10.064e-6,
              1e-9);
}

TEST_F(Scouted, OfWhatWaitsOnlyTheAnnouncementHasToArrive) {
  EXPECT_NEAR(scouting.visit(SendMode::synchronous, ReceivePosted::after, 64).stay_s, 45e-6, 1e-9);
  EXPECT_NEAR(scouting.visit(SendMode::standard, ReceivePosted::after, 4 << 20).stay_s, 45e-6, 1e-9);
}

TEST_F(Scouted, WhatIsBufferedMustHaveBeenCopied) {
  EXPECT_NEAR(scouting.visit(SendMode::buffered, ReceivePosted::after, 4 << 20).stay_s, 45e-6 + 4.194304e-3,
              1e-9);
}

TEST_F(Scouted, ShortMessagesAreSentSeveralAtATime) {
  const Visit few = scouting.visit(SendMode::standard, ReceivePosted::before, 4 << 20);
  EXPECT_EQ(few.repetitions, 2);
  EXPECT_EQ(few.warm_ups, 1);
  EXPECT_EQ(scouting.visit(SendMode::standard, ReceivePosted::before, 0).repetitions, 10);
}

TEST(Scouting, GoesByWhatEmptyMessagesTakeWhereOnlyLargeOnesAreAskedFor) {
  MadePair pair(jump_bytes);
  SamplingOptions options;
  options.min_bytes = 1 << 20;
  const Scouting scouting(options, pair);
  EXPECT_EQ(pair.visits.front().bytes, 0) << "the hundred of the first contact";
  const Visit late = scouting.visit(SendMode::synchronous, ReceivePosted::after, 1 << 20);
  EXPECT_NEAR(late.stay_s, 45e-6, 1e-9);
  EXPECT_NEAR(scouting.seconds_a_message(late), 3 * 10e-6 + 45e-6 + scouting.message_s(1 << 20), 1e-9);
}

TEST(Scouting, OfASlowNetworkTakesOneLargeMessageAtATime) {
  MadePair pair(jump_bytes);
  pair.slowness = 50;
  const Scouting scouting(SamplingOptions{}, pair);
  const Visit one = scouting.visit(SendMode::standard, ReceivePosted::before, 4 << 20);
  EXPECT_EQ(one.repetitions, 1);
  EXPECT_EQ(one.warm_ups, 0);
  EXPECT_NEAR(scouting.seconds_a_message(one), 50 * (3 * 10e-6 + 110e-6 + 4.194304e-3), 1e-6);
}

using calibration::MessageSeries;

constexpr Index jump = 5000;

SamplingOptions small_sampling() {
  SamplingOptions options;
  options.max_bytes = 1 << 16;
  options.budget_s = 1000;
  return options;
}

std::vector<MessageSeries> sample(MadePair& pair, const SamplingOptions& options) {
  return MessageSampling(options, pair, [](Index, Index) {}).run();
}

std::set<Index> sizes_of(const std::vector<MessageSeries>& all, SendMode mode, ReceivePosted posted) {
  std::set<Index> sizes;
  for (const MessageSeries& series : all)
    if (series.mode == mode && series.posted == posted) sizes.insert(series.bytes);
  return sizes;
}

TEST(Survey, CoversModesWithTheReceiveBeforeAndAfter) {
  MadePair pair(jump);
  const auto all = sample(pair, small_sampling());
  for (const SendMode mode : communication::send_modes) {
    EXPECT_EQ(*sizes_of(all, mode, ReceivePosted::before).begin(), 0);
    EXPECT_EQ(*sizes_of(all, mode, ReceivePosted::before).rbegin(), 1 << 16);
    EXPECT_EQ(sizes_of(all, mode, ReceivePosted::after).empty(), mode == SendMode::ready)
        << "only legal when posted";
  }
}

TEST(Survey, FindsWhereSendsBeginToWaitToHalfAPercent) {
  MadePair pair(jump);
  const auto all = sample(pair, small_sampling());
  const auto sizes = sizes_of(all, SendMode::standard, ReceivePosted::after);
  const auto first = sizes.lower_bound(jump);
  EXPECT_LE(*first - *std::prev(first), 25) << "0.5 % of 5000";
  for (const auto posted : {ReceivePosted::before, ReceivePosted::after})
    EXPECT_TRUE(sizes_of(all, SendMode::buffered, posted).contains(*first)) << "all kinds have both sides";
}

TEST(Survey, IsDenseAroundAJumpOfTheTimes) {
  MadePair pair(jump);
  const auto sizes = sizes_of(sample(pair, small_sampling()), SendMode::ready, ReceivePosted::before);
  const auto first = sizes.lower_bound(jump);
  EXPECT_LT(static_cast<double>(*first) / static_cast<double>(*std::prev(first)), 1.05);
}

TEST(Survey, StopsWhereMediansAreKnown) {
  MadePair pair(jump);
  const double begun_s = pair.now_s();
  for (const MessageSeries& series : sample(pair, small_sampling())) {
    EXPECT_GE(series.messages.size(), 30u);
    EXPECT_LE(series.messages.size(), 60u) << "six visits of ten";
  }
  EXPECT_LT(pair.now_s() - begun_s, 20);
}

TEST(Survey, GoesOnWhereTheyAreNot) {
  MadePair pair(jump);
  pair.scatter = 0.5;
  SamplingOptions options = small_sampling();
  options.modes = {SendMode::ready};
  options.within = 1e-9;
  options.most_repetitions = 100;
  for (const MessageSeries& series : sample(pair, options)) EXPECT_GE(series.messages.size(), 60u);
}

TEST(Survey, KeepsToItsBudgetOnASlowNetwork) {
  MadePair pair(jump);
  pair.slowness = 80;
  SamplingOptions options;
  options.budget_s = 40;
  const double begun_s = pair.now_s();
  const auto all = sample(pair, options);
  EXPECT_LT(pair.now_s() - begun_s, 40.5) << "and what the last message took longer than predicted";
  EXPECT_GT(pair.now_s() - begun_s, 39);
  for (const SendMode mode : communication::send_modes)
    EXPECT_EQ(*sizes_of(all, mode, ReceivePosted::before).rbegin(), 4 << 20);
}

TEST(Survey, LeavesOutWhatItHasNoTimeFor) {
  MadePair pair(jump);
  pair.slowness = 800;
  pair.scatter = 0.5;
  const double begun_s = pair.now_s();
  MessageSampling slow(SamplingOptions{}, pair, [](Index, Index) {});
  const auto all = slow.run();
  EXPECT_LT(pair.now_s() - begun_s, 43) << "and what the last message took longer than predicted";
  EXPECT_LT(slow.most_bytes(), 4 << 20);
  for (const SendMode mode : communication::send_modes)
    EXPECT_EQ(*sizes_of(all, mode, ReceivePosted::before).rbegin(), slow.most_bytes());
}

TEST(Survey, HasNoTimeForHugeMessagesAlone) {
  MadePair pair(jump);
  pair.byte_s = 80e-9;
  SamplingOptions options;
  options.min_bytes = 100'000'000;
  options.max_bytes = 200'000'000;
  const double begun_s = pair.now_s();
  try {
    sample(pair, options);
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(),
                testing::MatchesRegex(
                    "there is no time for messages of 100000000 bytes \\(--seconds is 40, and one of "
                    "[0-9]+ bytes takes [0-9.]+ s\\); give more --seconds or smaller sizes"));
  }
  EXPECT_LT(pair.now_s() - begun_s, 12) << "a third of the budget";
}

TEST(Survey, RepeatsFewerLongMessagesOnASlowNetworkThanWouldUseUpTheTime) {
  MadePair pair(jump);
  pair.byte_s = 80e-9;  // 100 Mbit/s
  std::set<Index> long_sizes;
  for (const MessageSeries& series : sample(pair, SamplingOptions{})) {
    if (static_cast<double>(series.bytes) * pair.byte_s >= 50e-3) long_sizes.insert(series.bytes);
    EXPECT_GE(series.messages.size(), series.bytes < (4 << 20) ? 30u : 3u) << series.bytes;
  }
  EXPECT_THAT(long_sizes, testing::ElementsAre(4 << 20)) << "on the line through the shorter ones";
}

TEST(Survey, TakesTheSizesThatAreAskedForAndNoOther) {
  MadePair pair(jump);
  SamplingOptions options = small_sampling();
  options.sizes = {400, 7000, 30000};
  const auto all = sample(pair, options);
  for (const SendMode mode : communication::send_modes)
    EXPECT_THAT(sizes_of(all, mode, ReceivePosted::before), testing::ElementsAre(400, 7000, 30000));
  for (const MessageSeries& series : all) EXPECT_GE(series.messages.size(), 30u);
}

TEST(Survey, MixesModesAndSizesByTheSeed) {
  const auto order = [](Index seed) {
    MadePair pair(jump);
    SamplingOptions options = small_sampling();
    options.seed = seed;
    sample(pair, options);
    std::vector<std::pair<SendMode, Index>> visits;
    for (const Visit& visit : pair.visits) visits.emplace_back(visit.mode, visit.bytes);
    return visits;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
  std::set<SendMode> late;
  const auto visits = order(1);
  for (auto visit = visits.end() - 40; visit != visits.end(); ++visit) late.insert(visit->first);
  EXPECT_EQ(late.size(), 4u) << "no mode is over before the others";
}

TEST(Survey, TellsHowFarItIs) {
  MadePair pair(jump);
  std::vector<std::pair<Index, Index>> told;
  MessageSampling(small_sampling(), pair, [&](Index done, Index all) { told.emplace_back(done, all); }).run();
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back().first, told.back().second);
}

}  // namespace
}  // namespace loadshare::tool::test
