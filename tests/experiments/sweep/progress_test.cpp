#include "experiments/sweep/progress.hpp"

#include <gtest/gtest.h>

namespace loadshare::sweep {
namespace {

constexpr const char* point = "fig3a/scheduler=gss:14";

struct Told {
  std::string text;
  SweepProgress progress;
  explicit Told(ProgressMode mode, int width = 80)
      : progress(mode, width, [this](std::string_view more) { text.append(more); }) {}
};

TEST(SweepProgress, SaysWhatIsDoneAndLeft) {
  Told told(ProgressMode::bar);
  told.progress.update(0, {12, 78, 1, 204, false}, point);
  EXPECT_EQ(told.text, "\rsweep  12/90 runs  13 %  1 failed  ETA 3:24  fig3a/scheduler=gss:14\x1b[K");
  told.progress.clear();
  told.progress.clear();
  EXPECT_TRUE(told.text.ends_with("14\x1b[K\r\x1b[K"));
}

TEST(SweepProgress, ABoundIsSaidToBeOne) {
  Told told(ProgressMode::bar);
  told.progress.update(0, {0, 90, 0, 204, true}, point);
  EXPECT_EQ(told.text, "\rsweep  0/90 runs  0 %  ETA at most 3:24  fig3a/scheduler=gss:14\x1b[K");
}

TEST(SweepProgress, ABarFitsTheTerminal) {
  Told told(ProgressMode::bar, 20);
  told.progress.update(0, {0, 90, 0, 0, false}, point);
  EXPECT_EQ(told.text, "\rsweep  0/90 runs  0\x1b[K");
}

TEST(SweepProgress, LinesComeAtGrowingIntervals) {
  Told told(ProgressMode::lines);
  for (int second = 0; second < 100; ++second)
    told.progress.update(second, {second, 100 - second, 0, 0, false}, "e");
  EXPECT_EQ(told.text,
            "sweep  2/100 runs  2 %  e\nsweep  7/100 runs  7 %  e\nsweep  15/100 runs  15 %  e\n"
            "sweep  27/100 runs  27 %  e\nsweep  44/100 runs  44 %  e\nsweep  70/100 runs  70 %  e\n");
}

TEST(SweepProgress, NoneIsSilent) {
  Told told(ProgressMode::none);
  told.progress.update(0, {}, point);
  told.progress.update(100, {}, point);
  EXPECT_EQ(told.text, "");
}

}  // namespace
}  // namespace loadshare::sweep
