#include "experiments/sweep/points.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/experiments/sweep/sample_sweep.hpp"

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

TEST(Points, AxesOfOneWalkVaryTogether) {
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

constexpr const char* compared =
    "    load: \"on=1s,off=1s,phase=random\"\n"
    "    matrix: {scheduler: [send, gss], master: [works, coordinates]}\n"
    "    compare: scheduler\n";

std::optional<RunLoad> load(const SweepSpec& spec, std::size_t point, Index repetition) {
  return load_of(spec.seed, spec.experiments[0], spec.experiments[0].points[point], repetition);
}

TEST(Load, ComparedValuesGetTheSamePhases) {
  const SweepSpec spec = sweep_of(compared);
  // Points: send works, send coordinates, gss works, gss coordinates.
  EXPECT_EQ(load(spec, 0, 0)->seed, load(spec, 2, 0)->seed);
  EXPECT_NE(load(spec, 0, 0)->seed, load(spec, 1, 0)->seed) << "another value of another axis";
  EXPECT_NE(load(spec, 0, 0)->seed, load(spec, 0, 1)->seed) << "another repetition";
  EXPECT_NE(load(spec, 0, 0)->seed, load(sweep_of(compared, "seed: 2\n"), 0, 0)->seed) << "another seed";
}

TEST(Load, TheSeedIsAlwaysTheSame) {
  const auto drawn = load(sweep_of(compared), 0, 0);
  EXPECT_EQ(drawn->text, "on=1s,off=1s,phase=random,seed=635987453");
}

TEST(Load, WithoutAComparisonAllPointsGetTheSamePhases) {
  const SweepSpec spec = sweep_of("    load: \"on=1s,off=1s,phase=random\"\n    matrix: {size: [1, 2]}\n");
  EXPECT_EQ(load(spec, 0, 3)->seed, load(spec, 1, 3)->seed);
}

TEST(Load, OnlyRandomPhasesGetASeed) {
  for (const char* text :
       {"constant,share=0.5", "on=1s,off=1s,phase=0", "on=1s,off=1s,phase=random,seed=7"}) {
    const auto drawn = load(sweep_of(std::string("    load: \"") + text + "\"\n"), 0, 0);
    EXPECT_EQ(drawn->text, text);
    EXPECT_EQ(drawn->seed, std::nullopt);
  }
}

TEST(Load, MayBeAnAxisAndNone) {
  const SweepSpec spec = sweep_of("    matrix: {load: [none, false, \"constant,share=0.5\"]}\n");
  EXPECT_FALSE(load(spec, 0, 0));
  EXPECT_FALSE(load(spec, 1, 0));
  EXPECT_EQ(load(spec, 2, 0)->text, "constant,share=0.5");
  EXPECT_FALSE(load(sweep_of("    repeat: 1\n"), 0, 0));
}

}  // namespace
}  // namespace loadshare::sweep
