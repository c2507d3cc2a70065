#include "models/messages/collective_model.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace loadshare::communication::test {
namespace {

/// An allreduce takes 10 us for each member and 1 ns for each of their bytes, whatever the launch.
std::vector<CollectiveSample> samples() {
  std::vector<CollectiveSample> all;
  for (const int members : {2, 8})
    for (const double bytes : {4.0, 16.0, 64.0, 1024.0, 65536.0})
      for (const std::size_t launch : {0UL, 1UL})
        all.push_back({"allreduce", members, bytes, members * (1e-5 + 1e-9 * bytes), launch});
  for (const double seconds : {3e-6, 4e-6, 9e-6}) all.push_back({"barrier", 2, 0, seconds});
  return all;
}

TEST(CollectiveModel, FitsEachCallAndNumberOfMembers) {
  const CollectiveModel model(samples());
  for (const int members : {2, 8})
    for (const double bytes : {4.0, 1000.0, 50000.0}) {
      const auto time = model.time("allreduce", members, bytes);
      ASSERT_TRUE(time);
      EXPECT_NEAR(time->seconds, members * (1e-5 + 1e-9 * bytes), 1e-4 * time->seconds);
      EXPECT_FALSE(time->is_extrapolated);
    }
}

TEST(CollectiveModel, IsTheMeanOfASingleSize) {
  const auto time = CollectiveModel(samples()).time("barrier", 2, 0);
  ASSERT_TRUE(time);
  EXPECT_NEAR(time->seconds, 16e-6 / 3, 1e-12);
  EXPECT_LT(time->low_s, time->seconds);
  EXPECT_GT(time->high_s, time->seconds);
}

TEST(CollectiveModel, InterpolatesBetweenNumbersOfMembers) {
  // A power law between the two: 4 is halfway from 2 to 8.
  const auto time = CollectiveModel(samples()).time("allreduce", 4, 1024);
  ASSERT_TRUE(time);
  EXPECT_NEAR(time->seconds, std::sqrt(2.0 * 8.0) * (1e-5 + 1.024e-6), 1e-8);
  EXPECT_FALSE(time->is_extrapolated);
}

TEST(CollectiveModel, IsUnknownForOtherCalls) {
  const CollectiveModel model(samples());
  EXPECT_FALSE(model.time("allreduce", 9, 1024));
  EXPECT_FALSE(model.time("barrier", 4, 0));
  EXPECT_FALSE(model.time("alltoall", 2, 1024));
}

TEST(CollectiveModel, TreatsEmptyCallsAsTheSmallest) {
  const CollectiveModel model(samples());
  EXPECT_EQ(model.time("allreduce", 2, 0)->seconds, model.time("allreduce", 2, 4)->seconds);
  EXPECT_FALSE(model.time("allreduce", 2, 0)->is_extrapolated);
}

TEST(CollectiveModel, KnowsTheSizesThatWereMeasured) {
  std::vector<CollectiveSample> all = samples();
  all.push_back({"allreduce", 8, 2, 1e-5});
  const CollectiveModel model(all);
  for (const int members : {2, 4}) {
    EXPECT_EQ(model.measured_bytes("allreduce", members)->least_bytes, 4);
    EXPECT_EQ(model.measured_bytes("allreduce", members)->most_bytes, 65536);
  }
  EXPECT_EQ(model.measured_bytes("allreduce", 8)->least_bytes, 2);
  EXPECT_FALSE(model.measured_bytes("allreduce", 9));
}

TEST(CollectiveModel, FlagsSizesThatWereNotMeasured) {
  const CollectiveModel model(samples());
  for (const int members : {2, 4, 8}) {
    const auto time = model.time("allreduce", members, 1e6);
    ASSERT_TRUE(time);
    EXPECT_TRUE(time->is_extrapolated);
    EXPECT_EQ(time->low_s, 0);
    EXPECT_TRUE(std::isinf(time->high_s));
  }
}

}  // namespace
}  // namespace loadshare::communication::test
