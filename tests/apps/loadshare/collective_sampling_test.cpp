#include "apps/loadshare/collective_sampling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace loadshare::tool::test {
namespace {

using calibration::CollectiveSeries;

/// Calls that take 10 us and some nanoseconds a byte, on a clock of their own.
class MadeGroup final : public CollectiveExchange {
 public:
  explicit MadeGroup(double seconds_a_byte = 1e-9) : seconds_a_byte_(seconds_a_byte) {}

  std::vector<CollectiveTiming> visit(const CollectiveVisit& visit) override {
    order.push_back({visit.call, visit.bytes});
    visits.push_back(visit);
    const double call_s = 10e-6 + seconds_a_byte_ * static_cast<double>(visit.bytes);
    now_s_ += static_cast<double>(visit.repetitions + visit.warm_ups) * call_s;
    return {static_cast<std::size_t>(visit.repetitions), {{0, now_s_}, {now_s_ + call_s, now_s_}}};
  }
  double now_s() const override { return now_s_; }

  std::vector<std::pair<std::string, Index>> order;
  std::vector<CollectiveVisit> visits;

 private:
  double seconds_a_byte_;
  double now_s_ = 1000;
};

std::vector<CollectiveSeries> sample(MadeGroup& group, const CollectiveOptions& options) {
  return CollectiveSampling(options, group, [](Index, Index) {}).run().together;
}

TEST(CollectiveSampling, KeepsTimesByRankOfCallsWithARoot) {
  MadeGroup group;
  const MeasuredCalls all =
      CollectiveSampling({.calls = {"bcast", "allreduce"}, .max_bytes = 64}, group, [](Index, Index) {
      }).run();
  ASSERT_FALSE(all.rooted.empty());
  EXPECT_FALSE(all.together.empty());
  for (const calibration::RootedSeries& series : all.rooted) {
    EXPECT_EQ(series.call, "bcast");
    EXPECT_GE(series.begun_s.size(), 30U);
    EXPECT_EQ(series.begun_s.front().front(), 0) << "since the first rank began";
    EXPECT_GT(series.begun_s.front().back(), 1000);
  }
  EXPECT_EQ(all.count_below(30), 0);
  EXPECT_EQ(all.count_below(1000), std::ssize(all.rooted) + std::ssize(all.together));
}

/// As where a root is gone at once, and from 64 KiB on waits.
class LeapingGroup final : public CollectiveExchange {
 public:
  std::vector<CollectiveTiming> visit(const CollectiveVisit& visit) override {
    const double stay_s = visit.bytes < 65536 ? 20e-6 : 5e-3;
    now_s_ += static_cast<double>(visit.repetitions + visit.warm_ups) * 6e-3;
    return {static_cast<std::size_t>(visit.repetitions), {{0, 0}, {stay_s, 6e-3}}};
  }
  double now_s() const override { return now_s_; }

 private:
  double now_s_ = 0;
};

TEST(CollectiveSampling, AddsSizesWhereARanksTimesLeap) {
  LeapingGroup group;
  const MeasuredCalls all =
      CollectiveSampling({.calls = {"bcast"}, .max_bytes = 1 << 18}, group, [](Index, Index) {}).run();
  Index below = 0, above = 1 << 20;
  for (const calibration::RootedSeries& series : all.rooted)
    (series.bytes < 65536 ? below : above) =
        series.bytes < 65536 ? std::max(below, series.bytes) : std::min(above, series.bytes);
  EXPECT_LT(static_cast<double>(above) / static_cast<double>(below), 1.1);
  EXPECT_EQ(all.count_below(30), 0);
  EXPECT_LE(all.rooted.size(), 24U) << "an octave each, and some six";
}

std::vector<Index> sizes_of(const std::vector<CollectiveSeries>& all, const std::string& call) {
  std::vector<Index> sizes;
  for (const CollectiveSeries& series : all)
    if (series.call == call) sizes.push_back(series.bytes);
  return sizes;
}

TEST(CollectiveSampling, CoversAllCallsAndSizes) {
  MadeGroup group;
  const auto all = sample(group, {.calls = {"barrier", "allreduce", "alltoallv"}, .max_bytes = 1 << 16});
  EXPECT_THAT(sizes_of(all, "barrier"), testing::ElementsAre(0));
  for (const char* call : {"allreduce", "alltoallv"}) {
    const std::vector<Index> sizes = sizes_of(all, call);
    EXPECT_EQ(sizes.front(), 4);
    EXPECT_EQ(sizes.back(), 1 << 16);
    EXPECT_GE(sizes.size(), 14U) << "one an octave";
    for (const Index bytes : sizes) EXPECT_EQ(bytes % 4, 0) << "whole numbers to add";
  }
  for (const CollectiveSeries& series : all) EXPECT_GE(series.seconds.size(), 30U) << series.call;
}

TEST(CollectiveSampling, LeavesOutSizesBelowTheLeast) {
  MadeGroup group;
  const auto all = sample(group, {.calls = {"alltoallv"}, .min_bytes = 5000, .max_bytes = 1 << 16});
  const std::vector<Index> sizes = sizes_of(all, "alltoallv");
  EXPECT_EQ(sizes.front(), 5000);
  EXPECT_EQ(sizes.back(), 1 << 16);
  EXPECT_LE(sizes.size(), 6U);
}

/// The calls of the first round behind the scouting, in which each call and size came once.
std::vector<std::pair<std::string, Index>> first_round(Index seed) {
  MadeGroup group;
  const auto all = sample(group, {.calls = {"allreduce", "alltoallv"}, .max_bytes = 1 << 10, .seed = seed});
  const auto scouted = std::ssize(all);
  return {group.order.begin() + scouted, group.order.begin() + 2 * scouted};
}

TEST(CollectiveSampling, MixesCallsAndSizes) {
  const auto round = first_round(1);
  EXPECT_FALSE(std::ranges::is_sorted(round));
  auto sorted = round;
  std::ranges::sort(sorted);
  EXPECT_EQ(std::ranges::unique(sorted).begin(), sorted.end()) << "each once";
  const auto calls = [](const auto& all) {
    std::vector<std::string> names;
    for (const auto& [call, bytes] : all) names.push_back(call);
    return names;
  };
  EXPECT_NE(calls(first_round(2)), calls(round));
}

TEST(CollectiveSampling, GivesLongCallsTheirShareOnly) {
  MadeGroup group(1e-7);  // a mebibyte takes a tenth of a second
  const auto all = sample(group, {.calls = {"allreduce"}, .max_bytes = 1 << 20, .budget_s = 5});
  std::map<Index, std::size_t> counts;
  for (const CollectiveSeries& series : all) counts[series.bytes] = series.seconds.size();
  EXPECT_GE(counts.begin()->second, 30U);
  EXPECT_LT(counts.rbegin()->second, 30U);
  EXPECT_GE(counts.rbegin()->second, 3U);
}

TEST(CollectiveSampling, SpendsNoTimeOnWarmingUpForLongCalls) {
  MadeGroup group(1e-7);
  sample(group, {.calls = {"allreduce"}, .max_bytes = 1 << 20, .budget_s = 5});
  for (const CollectiveVisit& visit : group.visits) {
    const bool is_near = visit.bytes > 100'000 && visit.bytes < 400'000;
    EXPECT_TRUE(is_near || visit.warm_ups == (visit.bytes < 200'000 ? 1 : 0)) << visit.bytes;
  }
}

TEST(CollectiveSampling, LeavesOutWhatThereIsNoTimeFor) {
  MadeGroup group(1e-6);  // a megabyte takes a second
  const double begun_s = group.now_s();
  const auto all = sample(group, {.calls = {"allreduce", "alltoallv"}, .budget_s = 10});
  EXPECT_LE(group.now_s() - begun_s, 10);
  for (const char* call : {"allreduce", "alltoallv"}) {
    const Index largest = sizes_of(all, call).back();
    EXPECT_LT(largest, Index{2} << 20) << "4 MiB and those before would take 16 s";
    EXPECT_GT(largest, Index{1} << 18) << "but half of a second is there";
  }
}

TEST(CollectiveSampling, MakesEachCallOnceHoweverLittleTimeThereIs) {
  MadeGroup group(1);
  const auto all = sample(group, {.calls = {"allreduce", "alltoallv"}, .budget_s = 0.001});
  EXPECT_THAT(sizes_of(all, "allreduce"), testing::ElementsAre(4));
  EXPECT_THAT(sizes_of(all, "alltoallv"), testing::ElementsAre(4));
}

}  // namespace
}  // namespace loadshare::tool::test
