#include "models/messages/rooted_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "base/random.hpp"
#include "tests/error_of.hpp"

namespace loadshare::communication::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int members = 4;
using Ends = std::function<std::vector<double>(const std::vector<double>& begun_s, double bytes)>;

/// Thirty calls of each size, whose members arrive within 4 ms.
std::vector<RootedSample> made_calls(const std::string& call, const Ends& ends) {
  SplitMix64 random(1);
  std::vector<RootedSample> samples;
  for (const double bytes : {4.0, 64.0, 1024.0, 65536.0})
    for (int i = 0; i < 30; ++i) {
      std::vector<double> begun_s;
      for (int member = 0; member < members; ++member)
        begun_s.push_back(1e-6 * static_cast<double>(random.below(4000)));
      samples.push_back({call, bytes, begun_s, ends(begun_s, bytes)});
    }
  return samples;
}

/// A binomial tree: 0 to 2 and 1, 2 to 3. A member that finds its data takes 5 us, one that waits 50; of more
/// than a kibibyte the sender waits for the one it sends to.
std::vector<double> broadcast(const std::vector<double>& begun_s, double bytes) {
  const auto sent_s = [&](std::size_t to, double from_s) {
    return std::max(from_s + 50e-6, bytes > 1024 ? begun_s[to] + 50e-6 : begun_s[to] + 5e-6);
  };
  std::vector<double> ended_s(members);
  ended_s[2] = sent_s(2, begun_s[0]);
  ended_s[1] = sent_s(1, begun_s[0]);
  ended_s[3] = sent_s(3, ended_s[2]);
  ended_s[0] = bytes > 1024 ? std::max(ended_s[1], ended_s[2]) : begun_s[0] + 2e-6;
  if (bytes > 1024) ended_s[2] = std::max(ended_s[2], ended_s[3]);
  return ended_s;
}

/// All members send to the root at the same time.
std::vector<double> gather(const std::vector<double>& begun_s, double) {
  std::vector<double> ended_s;
  for (const double begin_s : begun_s) ended_s.push_back(begin_s + 3e-6);
  ended_s[0] = std::max(begun_s[0] + 10e-6, *std::max_element(begun_s.begin() + 1, begun_s.end()) + 40e-6);
  return ended_s;
}

TEST(RootedModel, LearnsWhichMembersWaitForWhich) {
  const RootedModel model(made_calls("bcast", broadcast));
  const auto small = *model.times("bcast", members, 64);
  EXPECT_THAT(small[0].awaited, IsEmpty());
  EXPECT_THAT(small[1].awaited, ElementsAre(0));
  EXPECT_THAT(small[2].awaited, ElementsAre(0));
  EXPECT_THAT(small[3].awaited, ElementsAre(0, 2));
  const auto large = *model.times("bcast", members, 65536);
  EXPECT_THAT(large[0].awaited, ElementsAre(1, 2));
  EXPECT_THAT(large[2].awaited, ElementsAre(0, 3));
}

TEST(RootedModel, InAGatherOnlyTheRootWaits) {
  const auto times = *RootedModel(made_calls("gather", gather)).times("gather", members, 100);
  EXPECT_THAT(times[0].awaited, ElementsAre(1, 2, 3));
  EXPECT_NEAR(times[0].after_own.seconds, 10e-6, 1e-6);
  EXPECT_NEAR(times[0].after_awaited.seconds, 40e-6, 1e-6);
  for (const int other : {1, 2, 3}) {
    EXPECT_THAT(times[static_cast<std::size_t>(other)].awaited, IsEmpty());
    EXPECT_NEAR(times[static_cast<std::size_t>(other)].leaves_s(2, 77), 2 + 3e-6, 1e-7);
  }
}

TEST(RootedModel, DistinguishesArrivedDataFromWaiting) {
  const auto times = *RootedModel(made_calls("bcast", broadcast)).times("bcast", members, 64);
  EXPECT_NEAR(times[1].leaves_s(0, 0.001), 0.00105, 2e-6) << "the root comes later";
  EXPECT_NEAR(times[1].leaves_s(0.001, 0), 0.001005, 2e-6) << "the data lie there";
}

/// Data that are on their way when a member arrives reach it at the time set by the sender, independent of
/// the member's arrival.
TEST(RootedModel, MeasuresTheArrivalOfDataFromTheRootsBegin) {
  const auto eager = [](const std::vector<double>& begun_s, double) {
    std::vector<double> ended_s{begun_s[0] + 2e-6};
    for (std::size_t member = 1; member < begun_s.size(); ++member)
      ended_s.push_back(std::max(begun_s[member] + 5e-6, begun_s[0] + 2e-3));
    return ended_s;
  };
  const auto times = *RootedModel(made_calls("bcast", eager)).times("bcast", members, 64);
  EXPECT_THAT(times[1].awaited, ElementsAre(0));
  EXPECT_NEAR(times[1].after_own.seconds, 5e-6, 1e-6);
  EXPECT_NEAR(times[1].after_awaited.seconds, 2e-3, 1e-5);
  EXPECT_NEAR(times[1].leaves_s(1e-3, 0), 2e-3, 1e-5) << "came while they were on their way";
}

TEST(RootedModel, AssumesWaitingWithFewCalls) {
  std::vector<RootedSample> few = made_calls("gather", gather);
  few.resize(2);
  const auto times = *RootedModel(few).times("gather", members, 4);
  EXPECT_THAT(times[2].awaited, ElementsAre(0, 1, 3));
}

TEST(RootedModel, IsUnknownForUnmeasuredCalls) {
  const RootedModel model(made_calls("bcast", broadcast));
  EXPECT_FALSE(model.times("bcast", 3, 64));
  EXPECT_FALSE(model.times("reduce", members, 64));
  EXPECT_FALSE(model.measured_bytes("reduce", members));
  EXPECT_EQ(model.measured_bytes("bcast", members)->most_bytes, 65536);
  EXPECT_FALSE(model.times("bcast", members, 0)->front().after_own.is_extrapolated) << "as the smallest";
  EXPECT_TRUE(model.times("bcast", members, 1e6)->front().after_own.is_extrapolated);
}

TEST(RootedModel, WithManyMembersKnowsNoneTheRootOrAll) {
  SplitMix64 random(3);
  constexpr std::size_t many = 20;
  std::vector<RootedSample> samples;
  for (int i = 0; i < 30; ++i) {
    std::vector<double> begun_s;
    for (std::size_t member = 0; member < many; ++member)
      begun_s.push_back(1e-6 * static_cast<double>(random.below(4000)));
    std::vector<double> ended_s;
    for (const double begin_s : begun_s) ended_s.push_back(std::max(begun_s[0], begin_s) + 1e-5);
    ended_s[1] = *std::ranges::max_element(begun_s) + 1e-5;
    samples.push_back({"scatter", 8, begun_s, ended_s});
  }
  const auto times = *RootedModel(samples).times("scatter", many, 8);
  EXPECT_THAT(times[0].awaited, IsEmpty());
  EXPECT_EQ(times[1].awaited.size(), many - 1);
  EXPECT_THAT(times[2].awaited, ElementsAre(0));
}

TEST(RootedModel, RefusesInvalidMeasurements) {
  EXPECT_EQ(error_of([] {
              RootedModel(std::vector<RootedSample>{{"bcast", 8, {1, 1}, {2, 0}}});
            }),
            "a member of a call ended it before it began");
  EXPECT_EQ(error_of([] {
              RootedModel(std::vector<RootedSample>{{"bcast", -8, {1, 1}, {2, 2}}});
            }),
            "a call of less than 0 bytes");
}

}  // namespace
}  // namespace loadshare::communication::test
