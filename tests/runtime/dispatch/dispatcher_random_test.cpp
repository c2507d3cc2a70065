#include <gtest/gtest.h>

#include <string>

#include "tests/runtime/dispatch/random_schedule.hpp"

namespace loadshare {
namespace {

/// `drains`: at some time within it.
void run_schedule(std::uint64_t seed, const DispatchRules& rules, Seen& seen, bool drains = false) {
  std::mt19937_64 random(seed);
  const auto workers = 1 + static_cast<std::uint32_t>(random() % 8);
  RandomSchedule schedule(
      {.seed = seed, .rules = rules, .workers = workers, .iterations = static_cast<Index>(random() % 300)},
      seen);
  const int drained_at = drains ? static_cast<int>(random() % 300) : -1;
  for (int step = 0; step < 300 && !schedule.is_over() && !::testing::Test::HasFailure(); ++step) {
    if (step == drained_at) schedule.drain();
    schedule.act();
    schedule.check();
  }
  if (rules.may_grow) schedule.close();
  for (int turn = 0; !schedule.is_over() && turn < 10'000 && !::testing::Test::HasFailure(); ++turn) {
    schedule.bring_in_results();
    schedule.check();
  }
  schedule.expect_right_end();
}

Seen run_schedules(std::uint64_t count, DispatchRules rules, bool drains = false) {
  Seen seen;
  for (std::uint64_t seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    rules.retries = seed % 2 == 0 ? 1 : 0;
    run_schedule(seed, rules, seen, drains);
  }
  return seen;
}

constexpr std::uint64_t schedules = 2000;

TEST(RandomSchedules, InPlaceNothingIsGivenWhileItsHolderMayWrite) {
  const Seen seen = run_schedules(schedules, {.crash_limit = 0, .patience_s = std::nullopt});
  EXPECT_EQ(seen.copies, 0);
  EXPECT_GT(seen.late, 1000) << "the schedules are too tame to mean anything";
  EXPECT_EQ(seen.endings, std::set{Ending::finished});
}

TEST(RandomSchedules, AsideTheFirstResultCounts) {
  const Seen seen =
      run_schedules(schedules, {.reissue = Reissue::on, .crash_limit = 0, .patience_s = std::nullopt});
  for (const int count :
       {seen.copies, seen.discards, seen.late, seen.silences, seen.partial, seen.recalls, seen.cancels})
    EXPECT_GT(count, 300) << "the schedules are too tame to mean anything";
  EXPECT_EQ(seen.endings, std::set{Ending::finished});
}

TEST(RandomSchedules, AsideWithoutReissueOnlyUnreliableWorkersChunksAreGivenAgain) {
  const Seen seen =
      run_schedules(schedules, {.landing = Landing::aside, .crash_limit = 0, .patience_s = std::nullopt});
  EXPECT_EQ(seen.copies, 0);
  for (const int count : {seen.discards, seen.late, seen.silences, seen.partial, seen.cancels})
    EXPECT_GT(count, 300) << "the schedules are too tame to mean anything";
  EXPECT_EQ(seen.endings, std::set{Ending::finished});
}

TEST(RandomSchedules, WithoutCopiesNoIterationIsHeldByTwoUnlessALeaseHasRunOut) {
  for (const Landing landing : {Landing::in_place, Landing::aside})
    for (const Reissue reissue : {Reissue::off, Reissue::on}) {
      const Seen seen = run_schedules(schedules, {.reissue = reissue,
                                                  .copies = Copies::never,
                                                  .landing = landing,
                                                  .crash_limit = 0,
                                                  .patience_s = std::nullopt});
      EXPECT_EQ(seen.copies, 0);
      for (const int count : {seen.leases_over, seen.late, seen.silences, seen.recalls})
        EXPECT_GT(count, 300) << "the schedules are too tame to mean anything";
      EXPECT_EQ(seen.endings, std::set{Ending::finished});
    }
}

TEST(RandomSchedules, WhatFailsIsSkipped) {
  for (const Reissue reissue : {Reissue::off, Reissue::on}) {
    const Seen seen = run_schedules(
        schedules,
        {.reissue = reissue, .on_failure = OnFailure::skip, .crash_limit = 0, .patience_s = std::nullopt});
    EXPECT_GT(seen.skips, 1000);
    EXPECT_EQ(seen.endings, (std::set{Ending::finished, Ending::gaps}));
  }
}

TEST(RandomSchedules, WhatFailsAgainEndsTheLoop) {
  const Seen seen = run_schedules(schedules, {.reissue = Reissue::on,
                                              .on_failure = OnFailure::retry,
                                              .crash_limit = 2,
                                              .verdict_after_s = 0.01,
                                              .patience_s = std::nullopt});
  EXPECT_EQ(seen.endings, (std::set{Ending::finished, Ending::failed})) << "losses at random convict nothing";
}

TEST(RandomSchedules, NobodyIsWaitedForLongerThanPatienceLasts) {
  const Seen seen = run_schedules(schedules, {.crash_limit = 0, .patience_s = 0.05});
  EXPECT_EQ(seen.endings, (std::set{Ending::finished, Ending::stranded}));
}

TEST(RandomSchedules, ADrainGivesNothingMoreAndAlwaysEnds) {
  for (const Copies copies : {Copies::allowed, Copies::never})
    for (const Reissue reissue : {Reissue::off, Reissue::on}) {
      const Seen seen = run_schedules(500,
                                      {.reissue = reissue,
                                       .copies = copies,
                                       .landing = Landing::aside,
                                       .on_failure = OnFailure::skip,
                                       .crash_limit = 2,
                                       .patience_s = std::nullopt},
                                      true);
      EXPECT_EQ(seen.endings, (std::set{Ending::finished, Ending::gaps, Ending::drained}));
    }
}

TEST(RandomSchedules, ALoopGrowsUntilItIsClosed) {
  const Seen seen = run_schedules(
      schedules, {.reissue = Reissue::on, .crash_limit = 0, .patience_s = std::nullopt, .may_grow = true});
  EXPECT_GT(seen.openings, 1000);
  EXPECT_EQ(seen.endings, std::set{Ending::finished});
}

}  // namespace
}  // namespace loadshare
