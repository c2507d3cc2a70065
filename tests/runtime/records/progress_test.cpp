#include "runtime/records/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace loadshare {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

/// A Progress whose output is recorded.
class Watched {
 public:
  explicit Watched(ProgressMode mode, int columns_wide = 80)
      : size{columns_wide, 0},
        progress(
            {.mode = mode, .app = "matmul", .iteration_name = "columns", .size = [this] { return size; }},
            [this](std::string_view text) { printed.emplace_back(text); }) {}

  /// Runs `rate` iterations per second for `duration_s`, with 1000 updates per second.
  void run(double duration_s, double rate, Index total) {
    for (int ms = 0; ms <= static_cast<int>(duration_s * 1000); ++ms)
      progress.update({ms / 1000.0, static_cast<Index>(ms * rate / 1000), total});
  }

  std::vector<std::string> printed;
  TerminalSize size;
  Progress progress;
};

TEST(ProgressLines, ComeAfterTwoSecondsAndThenAtGrowingIntervals) {
  Watched watched(ProgressMode::lines);
  std::vector<int> seconds;
  for (int s = 0; s <= 120; ++s) {
    watched.progress.update({static_cast<double>(s), s * 10, 1200});
    if (watched.printed.size() > seconds.size()) seconds.push_back(s);
  }
  EXPECT_THAT(seconds, ElementsAre(2, 7, 15, 27, 44, 70, 100));
}

TEST(ProgressLines, ContainProgressRateAndForecast) {
  Watched watched(ProgressMode::lines);
  watched.run(2, 1234, 7200);
  EXPECT_THAT(watched.printed, ElementsAre("matmul  2468/7200 columns  34 %  1,234 columns/s  ETA 0:04\n"));
}

TEST(ProgressLines, AShortRunIsSilent) {
  Watched watched(ProgressMode::lines);
  watched.run(1.9, 100, 190);
  EXPECT_THAT(watched.printed, IsEmpty());
}

TEST(ProgressBar, IsRedrawnAtMostTenTimesASecond) {
  Watched watched(ProgressMode::bar);
  watched.run(2, 100, 1000);
  EXPECT_GE(watched.printed.size(), 15u);
  EXPECT_LE(watched.printed.size(), 20u);
  EXPECT_EQ(watched.printed.back().find('\n'), std::string::npos);
  EXPECT_THAT(watched.printed.back(), StartsWith("\rmatmul  [###"));
}

TEST(ProgressBar, HasABarIfTheLineHasRoom) {
  Watched wide(ProgressMode::bar, 200);
  wide.progress.update({0, 0, 200});
  wide.progress.update({10, 100, 200});
  EXPECT_THAT(wide.printed,
              ElementsAre("\rmatmul  [####################....................]  100/200 columns"
                          "  50 %  10 columns/s  ETA 0:10\033[K"));
  wide.progress.update({20, 200, 200});
  EXPECT_THAT(wide.printed.back(), HasSubstr("[########################################]"));
  Watched narrow(ProgressMode::bar, 50);
  narrow.progress.update({0, 0, 200});
  narrow.progress.update({10, 100, 200});
  EXPECT_THAT(narrow.printed, ElementsAre(Not(HasSubstr("[#"))));
}

TEST(ProgressBar, IsErasedOnceWhenItIsCleared) {
  Watched watched(ProgressMode::bar);
  watched.run(1, 100, 1000);
  watched.progress.clear();
  watched.progress.clear();
  EXPECT_EQ(watched.printed.back(), "\r\033[K");
  EXPECT_NE(watched.printed[watched.printed.size() - 2], "\r\033[K");
}

TEST(ProgressBar, IsNotErasedIfItWasNotDrawn) {
  Watched watched(ProgressMode::bar);
  watched.progress.clear();
  EXPECT_THAT(watched.printed, IsEmpty());
}

TEST(ProgressBar, NeverWraps) {
  Watched watched(ProgressMode::bar, 30);
  watched.run(3, 100, 1000);
  for (const std::string& line : watched.printed) EXPECT_LE(line.size(), 29 + std::string("\r\033[K").size());
  EXPECT_THAT(watched.printed.back(), EndsWith("/1000 columns\033[K"));
}

TEST(ProgressBar, ReservesTheLastRowOfATerminal) {
  Watched watched(ProgressMode::bar, 40);
  watched.size.rows = 24;
  watched.progress.update({0, 0, 200});
  watched.progress.update({10, 100, 200});
  const std::string line = "matmul  100/200 columns  50 %";
  EXPECT_THAT(watched.printed,
              ElementsAre("\033D\033[A\0337\033[1;23r\0338\0337\033[24;1H" + line + "\033[K\0338"));
  watched.progress.update({20, 200, 200});
  EXPECT_THAT(watched.printed.back(), StartsWith("\0337\033[24;1H")) << "it is reserved already";
  watched.progress.clear();
  watched.progress.clear();
  EXPECT_THAT(watched.printed, SizeIs(3));
  EXPECT_THAT(watched.printed.back(), HasSubstr("\033[r")) << "all rows scroll again";
}

TEST(ProgressBar, FollowsAShrinkingTerminal) {
  Watched watched(ProgressMode::bar, 40);
  watched.size.rows = 24;
  watched.progress.update({0, 0, 200});
  watched.progress.update({10, 100, 200});
  watched.size.rows = 10;
  watched.progress.update({20, 100, 200});
  EXPECT_THAT(watched.printed.back(), HasSubstr("\033[r"));
  EXPECT_THAT(watched.printed.back(), HasSubstr("\033[1;9r"));
  EXPECT_THAT(watched.printed.back(), HasSubstr("\033[10;1Hmatmul"));
  watched.progress.clear();
}

TEST(ProgressNone, IsSilent) {
  Watched watched(ProgressMode::none);
  watched.run(60, 10, 1000);
  watched.progress.clear();
  EXPECT_THAT(watched.printed, IsEmpty());
}

TEST(Progress, GivesNoEstimateWithTooFewObservations) {
  Watched watched(ProgressMode::lines);
  watched.progress.update({0, 0, 100});
  watched.progress.update({3, 0, 100});
  watched.progress.update({10, 50, 100});
  EXPECT_THAT(watched.printed, ElementsAre("matmul  0/100 columns  0 %\n",
                                           "matmul  50/100 columns  50 %  5 columns/s  ETA 0:10\n"));
}

TEST(Progress, ShowsTheComputedIterationsUntilTheFirstIsDone) {
  Watched watched(ProgressMode::lines);
  watched.progress.update({0, 0, 100, {}, 60});
  watched.progress.update({3, 0, 100, {}, 60});
  watched.progress.update({10, 50, 100, {}, 30});
  EXPECT_THAT(watched.printed, ElementsAre("matmul  0/100 columns  0 %  60 being computed\n",
                                           "matmul  50/100 columns  50 %  5 columns/s  ETA 0:10\n"));
}

TEST(Progress, DoesNotForecastTheEndDuringALongLastIteration) {
  Watched watched(ProgressMode::lines);
  watched.progress.update({0, 0, 100});
  watched.progress.update({10, 99, 100});
  watched.progress.update({90, 99, 100});
  EXPECT_THAT(watched.printed.back(), HasSubstr("ETA 0:20")) << "a quarter of the 80 s without progress";
}

TEST(Progress, AnEmptyLoopIsDone) {
  Watched watched(ProgressMode::lines);
  watched.progress.update({0, 0, 0});
  watched.progress.update({3, 0, 0});
  EXPECT_THAT(watched.printed, ElementsAre("matmul  0/0 columns  100 %\n"));
}

TEST(Progress, ReachesAHundredPercentOnlyWhenDone) {
  Watched watched(ProgressMode::lines);
  watched.progress.update({0, 0, 100'000});
  watched.progress.update({3, 99'999, 100'000});
  EXPECT_THAT(watched.printed[0], HasSubstr(" 99 % "));
  watched.progress.update({30, 100'000, 100'000});
  EXPECT_THAT(watched.printed[1], HasSubstr(" 100 % "));
  EXPECT_THAT(watched.printed[1], Not(HasSubstr("ETA")));
}

TEST(SmoothedRate, FollowsAChangeOfRate) {
  SmoothedRate rate;
  for (int s = 0; s <= 10; ++s) rate.observe(s, s * 100);
  EXPECT_NEAR(rate.per_second(), 100, 1e-9);
  for (int s = 11; s <= 60; ++s) rate.observe(s, 1000 + (s - 10) * 10);
  EXPECT_NEAR(rate.per_second(), 10, 3);
}

TEST(SmoothedRate, DoesNotDropBetweenLongChunks) {
  SmoothedRate rate;
  rate.observe(0, 0);
  rate.observe(100, 1000);
  rate.observe(190, 1000);
  EXPECT_NEAR(rate.per_second(), 10, 1e-9);
}

TEST(ProgressMode, IsParsedFromItsName) {
  EXPECT_EQ(parse_progress_mode("auto"), ProgressMode::automatic);
  EXPECT_EQ(parse_progress_mode("bar"), ProgressMode::bar);
  try {
    parse_progress_mode("bars");
    FAIL() << "nothing was thrown";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "unknown --progress 'bars' (valid: auto, bar, lines, none); did you mean 'bar'?");
  }
}

TEST(ProgressMode, AutoDrawsABarOnAPlainTerminalOnly) {
  const auto automatic = [](const TerminalFacts& facts) { return resolved(ProgressMode::automatic, facts); };
  EXPECT_EQ(automatic({.is_terminal = true}), ProgressMode::bar);
  EXPECT_EQ(automatic({.is_terminal = false}), ProgressMode::lines);
  EXPECT_EQ(automatic({.is_terminal = true, .is_under_launcher = true}), ProgressMode::lines);
  EXPECT_EQ(automatic({.is_terminal = true, .is_dumb = true}), ProgressMode::lines);
  EXPECT_EQ(automatic({.is_terminal = true, .rows = 0}), ProgressMode::lines);
  EXPECT_EQ(resolved(ProgressMode::bar, {}), ProgressMode::bar);
  EXPECT_EQ(resolved(ProgressMode::none, {.is_terminal = true}), ProgressMode::none);
}

}  // namespace
}  // namespace loadshare
