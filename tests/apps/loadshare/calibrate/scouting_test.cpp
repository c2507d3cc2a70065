#include "apps/loadshare/calibrate/scouting.hpp"

#include <gmock/gmock.h>

#include "tests/apps/loadshare/calibrate/made_pair.hpp"

namespace loadshare::tool::test {
namespace {

using communication::ReceivePosted;
using communication::SendMode;

constexpr Index jump_bytes = 5000;

struct Scouted : testing::Test {
  MadePair pair{jump_bytes};
  Scouting scouting{SurveyOptions{}, pair};
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
  SurveyOptions options;
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
  const Scouting scouting(SurveyOptions{}, pair);
  const Visit one = scouting.visit(SendMode::standard, ReceivePosted::before, 4 << 20);
  EXPECT_EQ(one.repetitions, 1);
  EXPECT_EQ(one.warm_ups, 0);
  EXPECT_NEAR(scouting.seconds_a_message(one), 50 * (3 * 10e-6 + 110e-6 + 4.194304e-3), 1e-6);
}

}  // namespace
}  // namespace loadshare::tool::test
