#include "runtime/transport/tcp/silence.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadshare::tcp {
namespace {

using Numbers = std::vector<std::size_t>;

/// Looks ten times a second until `until_s`, and says who fell silent.
class Looked {
 public:
  Numbers until(double until_s) {
    Numbers silent;
    for (; now_s < until_s - 1e-9; now_s += 0.1)
      watch.look(
          now_s, [this](std::size_t) { return expected_s; }, [&](std::size_t i) { silent.push_back(i); });
    return silent;
  }

  SilenceWatch watch;
  double now_s = 0;
  double expected_s = 0;
};

TEST(SilenceWatch, FindsWhoWasNotHeardForASecond) {
  Looked looked;
  looked.watch.add(0);
  looked.watch.add(0);
  EXPECT_THAT(looked.until(0.9), testing::IsEmpty());
  looked.watch.heard(1, 0.9);
  EXPECT_THAT(looked.until(1.5), testing::ElementsAre(0));
  EXPECT_THAT(looked.until(3), testing::ElementsAre(1)) << "and the first is not told of again";
}

TEST(SilenceWatch, WaitsLongerForALongerChunk) {
  Looked looked;
  looked.watch.add(0);
  looked.expected_s = 4;
  EXPECT_THAT(looked.until(3.9), testing::IsEmpty());
  EXPECT_THAT(looked.until(4.5), testing::ElementsAre(0));
}

// Who held nothing was not expected to say much; that ends when he is given something.
TEST(SilenceWatch, CountsFromWhenSomethingIsGiven) {
  Looked looked;
  looked.watch.add(0);
  looked.expected_s = SilenceWatch::least_idle_s;
  EXPECT_THAT(looked.until(5), testing::IsEmpty());
  looked.watch.given(0, 5);
  looked.expected_s = 0;
  EXPECT_THAT(looked.until(5.9), testing::IsEmpty());
  EXPECT_THAT(looked.until(6.5), testing::ElementsAre(0));
}

TEST(SilenceWatch, HearsWhoComesBack) {
  Looked looked;
  looked.watch.add(0);
  EXPECT_FALSE(looked.watch.heard(0, 0));
  looked.until(2);
  EXPECT_TRUE(looked.watch.is_silent(0));
  EXPECT_TRUE(looked.watch.heard(0, 2));
  EXPECT_FALSE(looked.watch.heard(0, 2));
  EXPECT_THAT(looked.until(2.9), testing::IsEmpty());
  EXPECT_THAT(looked.until(4), testing::ElementsAre(0)) << "silent again";
}

// All look silent to a master whose machine was suspended.
TEST(SilenceWatch, BlamesNobodyForItsOwnAbsence) {
  Looked looked;
  looked.watch.add(0);
  looked.until(0.5);
  looked.now_s = 3600;
  EXPECT_THAT(looked.until(3600.4), testing::IsEmpty());
  looked.watch.heard(0, 3600.4);
  EXPECT_THAT(looked.until(3601.3), testing::IsEmpty());
  EXPECT_THAT(looked.until(3602), testing::ElementsAre(0));
}

TEST(SilenceWatch, SaysNothingOfWhoIsGone) {
  Looked looked;
  looked.watch.add(0);
  looked.watch.gone(0);
  EXPECT_THAT(looked.until(5), testing::IsEmpty());
}

// What it says when it comes again is heard before it takes part: nobody was silent then.
TEST(SilenceWatch, HearsNobodyBackWhoWasLostWhileSilent) {
  Looked looked;
  looked.watch.add(0);
  EXPECT_THAT(looked.until(2), testing::ElementsAre(0));
  looked.watch.gone(0);
  EXPECT_FALSE(looked.watch.is_silent(0));
  EXPECT_FALSE(looked.watch.heard(0, 2));
  looked.watch.back(0, 2);
  EXPECT_FALSE(looked.watch.heard(0, 2));
}

}  // namespace
}  // namespace loadshare::tcp
