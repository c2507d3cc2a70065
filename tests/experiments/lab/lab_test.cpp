#include "experiments/lab/lab.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadshare::lab {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::Pair;

using Shares = std::vector<double>;

TEST(Processors, ThePapersHostsAreBalancedOnTwo) {
  ProcessorLoads loads{{0, 0}, {1, 0}};
  const auto places = place_hosts(Shares{.1, .1, .1, .1, .1, .1, .3, .3, .3}, loads);
  ASSERT_TRUE(places);
  EXPECT_THAT(*places, testing::Each(testing::SizeIs(1)));
  EXPECT_THAT(loads, ElementsAre(Pair(0, DoubleNear(.8, 1e-9)), Pair(1, DoubleNear(.7, 1e-9))));
}

TEST(Processors, TheGreatestFirstToTheLeastLoaded) {
  ProcessorLoads loads{{2, 0}, {5, 0}};
  EXPECT_THAT(place_hosts(Shares{.2, .9, .4, .3}, loads).value(),
              ElementsAre(ElementsAre(5), ElementsAre(2), ElementsAre(5), ElementsAre(5)));
}

TEST(Processors, PresentLoadsCount) {
  ProcessorLoads loads{{0, .5}, {1, 0}};
  EXPECT_THAT(place_hosts(Shares{.4}, loads).value(), ElementsAre(ElementsAre(1)));
}

TEST(Processors, AShareAboveOneTakesSeveral) {
  ProcessorLoads loads{{0, 0}, {1, 0}, {2, 0}};
  EXPECT_THAT(place_hosts(Shares{.5, 1.5}, loads).value(), ElementsAre(ElementsAre(2), ElementsAre(0, 1)));
  EXPECT_DOUBLE_EQ(loads[0], .75);
  EXPECT_EQ(place_hosts(Shares{3.5}, loads), std::nullopt);
}

TEST(Processors, AFreeShareIsOnAllAndTakesNone) {
  ProcessorLoads loads{{0, 0}, {3, 0}};
  EXPECT_THAT(place_hosts(Shares{0, 1, 0}, loads).value(),
              ElementsAre(ElementsAre(0, 3), ElementsAre(0), ElementsAre(0, 3)));
  EXPECT_THAT(loads, ElementsAre(Pair(0, 1), Pair(3, 0)));
}

}  // namespace
}  // namespace loadshare::lab
