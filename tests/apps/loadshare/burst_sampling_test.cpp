#include "apps/loadshare/burst_sampling.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace loadshare::tool::test {
namespace {

/// A message each 2 us, or as its bytes leave.
class MadeBursts final : public BurstExchange {
 public:
  explicit MadeBursts(double seconds_a_byte = 1e-9) : seconds_a_byte_(seconds_a_byte) {}

  double burst_s(const Burst& burst) override {
    most_bytes = std::max(most_bytes, burst.bytes * burst.messages);
    const double gap_s = std::max(2e-6, seconds_a_byte_ * static_cast<double>(burst.bytes));
    now_s_ += static_cast<double>(burst.messages) * gap_s;
    return static_cast<double>(burst.messages - 1) * gap_s;
  }
  double now_s() const override { return now_s_; }

  Index most_bytes = 0;

 private:
  double seconds_a_byte_;
  double now_s_ = 5;
};

TEST(Bursts, TellHowFarApartMessagesCome) {
  MadeBursts exchange;
  const auto all = sample_bursts(exchange, {});
  EXPECT_EQ(all.front().bytes, 1);
  EXPECT_EQ(all.back().bytes, 64 << 10);
  for (const calibration::BurstSeries& series : all) {
    EXPECT_EQ(series.seconds.size(), 20U);
    EXPECT_NEAR(series.seconds.front() / static_cast<double>(series.messages - 1),
                std::max(2e-6, 1e-9 * static_cast<double>(series.bytes)), 1e-12);
  }
  EXPECT_EQ(all.front().messages, 200);
}

TEST(Bursts, FitTheMemoryThatThereIs) {
  MadeBursts exchange;
  const auto all = sample_bursts(exchange, {.most_bytes = 1 << 10});
  EXPECT_LE(exchange.most_bytes, 1 << 10);
  EXPECT_EQ(all.back().bytes, 64) << "sixteen of them";
  EXPECT_TRUE(sample_bursts(exchange, {.most_bytes = 4}).empty());
}

TEST(Bursts, EndWithTheirTime) {
  MadeBursts slow(1e-6);  // 64 KiB take 66 ms
  const double begun_s = slow.now_s();
  const auto all = sample_bursts(slow, {.budget_s = 0.5});
  EXPECT_LT(slow.now_s() - begun_s, 3);
  for (const calibration::BurstSeries& series : all) EXPECT_GE(series.seconds.size(), 1U);
  EXPECT_EQ(all.back().messages, 8);
}

}  // namespace
}  // namespace loadshare::tool::test
