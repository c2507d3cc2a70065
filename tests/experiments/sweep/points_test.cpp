#include "experiments/sweep/points.hpp"

#include <gmock/gmock.h>

#include <limits>

namespace loadshare::sweep {
namespace {

std::vector<std::string> ids(const std::vector<Point>& points) {
  std::vector<std::string> all;
  for (const Point& point : points) all.push_back(point.id);
  return all;
}

const Axis scheduler{"scheduler", {{"send:3"}, {"gss:14"}}, 0};
const Axis master{"master", {{"works"}, {"coordinates"}}, 1};

TEST(Points, EveryCombinationTheLastAxisFastest) {
  EXPECT_THAT(ids(all_points("fig3a", std::vector{scheduler, master})),
              testing::ElementsAre(
                  "fig3a/master=works/scheduler=send:3", "fig3a/master=coordinates/scheduler=send:3",
                  "fig3a/master=works/scheduler=gss:14", "fig3a/master=coordinates/scheduler=gss:14"));
}

TEST(Points, AxesOfOneWalkGoHandInHand) {
  const Axis rank{"master-rank", {{"0"}, {"6"}}, 1};
  EXPECT_THAT(ids(all_points("e", std::vector{master, rank})),
              testing::ElementsAre("e/master=works/master-rank=0", "e/master=coordinates/master-rank=6"));
  EXPECT_EQ(point_count(std::vector{scheduler, master, rank}), 4u);
}

TEST(Points, NoAxesAreOnePoint) {
  EXPECT_THAT(ids(all_points("e", {})), testing::ElementsAre("e"));
  EXPECT_EQ(point_count({}), 1u);
}

TEST(Points, CountSaturates) {
  const Axis large{"a", std::vector<Scalar>(100'000), 0};
  std::vector<Axis> axes;
  for (int walk = 0; walk < 10; ++walk) axes.push_back({"a", large.values, walk});
  EXPECT_EQ(point_count(axes), std::numeric_limits<std::size_t>::max());
}

TEST(Points, MatchWhatTheyHave) {
  const Point point{"", {{"a", {"1"}}, {"b", {"2"}}}};
  EXPECT_TRUE(matches(point, {{"a", {"1"}}}));
  EXPECT_FALSE(matches(point, {{"a", {"1"}}, {"b", {"1"}}}));
  EXPECT_FALSE(matches(point, {{"c", {"1"}}}));
}

}  // namespace
}  // namespace loadshare::sweep
