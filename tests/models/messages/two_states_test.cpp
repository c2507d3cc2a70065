#include "models/messages/two_states.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "models/messages/message_model.hpp"

namespace loadshare::communication {
namespace {

constexpr double bytes_of_buffers = 610'000;
constexpr double free_bytes = 15'000;  // the deviation of what is free of them

double gone_s(double bytes) {
  return 1e-4 + 1e-9 * bytes;
}

double waiting_s(double bytes) {
  return 82e-9 * (bytes - 330'000);
}

/// A send that the kernel's buffers take, or not; times scatter by a twentieth.
double send_s(double bytes, std::mt19937& random) {
  std::normal_distribution<double> normal;
  const bool is_taken = bytes + free_bytes * normal(random) < bytes_of_buffers;
  return (is_taken ? gone_s(bytes) : waiting_s(bytes)) * std::exp(0.05 * normal(random));
}

const std::vector<double>& sizes() {
  static const std::vector<double> all{1e5,   1.4e5, 2e5,   2.8e5, 4e5, 5.2e5, 5.7e5, 5.9e5, 6e5,
                                       6.1e5, 6.2e5, 6.4e5, 6.6e5, 7e5, 8e5,   1e6,   1.4e6, 2e6};
  return all;
}

std::vector<double> powers_of_two() {
  std::vector<double> powers;
  for (double bytes = 65536; bytes <= 8388608; bytes *= 2) powers.push_back(bytes);
  return powers;
}

std::vector<Sample> made(unsigned seed, int repetitions = 30, const std::vector<double>& of = sizes()) {
  std::mt19937 random(seed);
  std::vector<Sample> samples;
  for (const double bytes : of)
    for (int i = 0; i < repetitions; ++i) samples.push_back({bytes, send_s(bytes, random), 0});
  return samples;
}

TEST(TwoStates, AreFoundIfBothWereMeasured) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto states = find_two_states(made(seed));
    ASSERT_TRUE(states) << seed;
    EXPECT_NEAR(states->border_size, bytes_of_buffers, 10'000) << seed;
    EXPECT_GE(states->first_size, 5.7e5) << seed;
    EXPECT_LE(states->last_size, 6.4e5) << seed;
    EXPECT_GT(states->between_s, gone_s(6.4e5)) << seed;
    EXPECT_LT(states->between_s, waiting_s(5.7e5)) << seed;
  }
}

TEST(TwoStates, AreNotFoundInJumpsOrSingleLateTimes) {
  std::mt19937 random(1);
  std::normal_distribution<double> normal;
  std::vector<Sample> jump, late, everywhere;
  for (const double bytes : sizes())
    for (int i = 0; i < 30; ++i) {
      const double noise = std::exp(0.05 * normal(random));
      jump.push_back({bytes, (bytes < bytes_of_buffers ? gone_s(bytes) : waiting_s(bytes)) * noise, 0});
      late.push_back({bytes, (i % 10 == 0 ? 10 : 1) * gone_s(bytes) * noise, 0});
      everywhere.push_back({bytes, (i % 2 == 0 ? 10 : 1) * gone_s(bytes) * noise, 0});
    }
  EXPECT_FALSE(find_two_states(jump));
  EXPECT_FALSE(find_two_states(late));
  EXPECT_FALSE(find_two_states(made(1, 5))) << "of so few two groups are chance";
  EXPECT_FALSE(find_two_states({}));
}

/// Times that grow with the size as they do, of which some of some sizes are that many times as long.
std::vector<Sample> late_at(const std::vector<double>& late_sizes, double times, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Sample> samples;
  for (const double bytes : powers_of_two())
    for (int i = 0; i < 30; ++i) {
      const bool is_late = i % 5 == 0 && std::ranges::find(late_sizes, bytes) != late_sizes.end();
      samples.push_back({bytes, (is_late ? times : 1) * gone_s(bytes) * std::exp(0.02 * normal(random)), 0});
    }
  return samples;
}

TEST(TwoStates, AreNotFoundInSingleLateTimesOfDistantSizes) {
  for (const double times : {2.5, 4.0, 10.0, 100.0}) {
    for (const double bytes : powers_of_two())
      EXPECT_FALSE(find_two_states(late_at({bytes}, times))) << times << " times at " << bytes;
    EXPECT_FALSE(find_two_states(late_at({524288, 1048576}, times))) << times;
    EXPECT_FALSE(find_two_states(late_at(powers_of_two(), times))) << times;
  }
}

void add(std::vector<Sample>& samples, double bytes, int gone, int waiting) {
  for (int i = 0; i < gone + waiting; ++i)
    samples.push_back({bytes, i < gone ? gone_s(bytes) : waiting_s(bytes), 0});
}

TEST(TwoStates, NeedASizeOnBothSides) {
  std::vector<Sample> samples;
  add(samples, 610'000, 10, 10);
  EXPECT_FALSE(find_two_states(samples)) << "one size alone";
  add(samples, 400'000, 20, 0);
  EXPECT_FALSE(find_two_states(samples)) << "nothing larger";
  add(samples, 1'200'000, 0, 20);
  EXPECT_TRUE(find_two_states(samples));
  add(samples, 2'400'000, 5, 15);
  EXPECT_FALSE(find_two_states(samples)) << "larger ones are in both";
}

TEST(TwoStates, AreFoundInDistantSizes) {
  std::vector<double> of = powers_of_two();
  of[3] = 6.05e5;  // for that of 524,288 is gone nearly always
  for (unsigned seed = 0; seed < 20; ++seed) {
    const auto states = find_two_states(made(seed, 30, of));
    ASSERT_TRUE(states) << seed;
    EXPECT_EQ(states->first_size, 6.05e5) << seed;
    EXPECT_EQ(states->last_size, 6.05e5) << seed;
    EXPECT_GT(states->between_s, gone_s(6.05e5)) << seed;
    EXPECT_LT(states->between_s, waiting_s(6.05e5)) << seed;
  }
}

/// More of two sizes next to each other, the one mostly gone, the other mostly waiting, are one step.
TEST(TwoStates, MaySpanTwoSizes) {
  std::vector<Sample> samples;
  add(samples, 262'144, 20, 0);
  add(samples, 460'000, 15, 5);
  add(samples, 900'000, 5, 15);
  add(samples, 1'800'000, 0, 20);
  const auto states = find_two_states(samples);
  ASSERT_TRUE(states);
  EXPECT_EQ(states->first_size, 460'000);
  EXPECT_EQ(states->last_size, 900'000);
  EXPECT_EQ(states->border_size, 680'000);
}

TEST(TwoStates, AreFittedSeparately) {
  const std::vector<Sample> samples = made(3);
  const auto states = find_two_states(samples);
  ASSERT_TRUE(states);
  const Curve curve = fit_two_states("segmented", samples, *states);
  for (const double bytes : {1.2e5, 4.6e5, 5.5e5, 5.95e5, 6.04e5})
    EXPECT_NEAR(curve.seconds(bytes) / gone_s(bytes), 1, 0.03) << bytes;
  for (const double bytes : {6.17e5, 6.3e5, 6.8e5, 9e5, 1.7e6})
    EXPECT_NEAR(curve.seconds(bytes) / waiting_s(bytes), 1, 0.03) << bytes;
  for (const double bytes : {6e5, 6.2e5}) {
    EXPECT_LT(curve.at(bytes).low_s, gone_s(bytes)) << bytes;
    EXPECT_GT(curve.at(bytes).high_s, waiting_s(bytes)) << bytes;
  }
  for (const double bytes : {5e5, 7.5e5})
    EXPECT_LT(curve.at(bytes).high_s / curve.at(bytes).low_s, 1.4) << bytes << " has one state alone";
  EXPECT_EQ(curve.last_size(), 2e6);
}

/// A single mode has too few messages to decide; all modes together have enough.
TEST(TwoStates, AreSharedByAllUnbufferedModes) {
  std::mt19937 random(5);
  std::vector<MessageSample> samples;
  for (const SendMode mode : send_modes)
    for (const double bytes : sizes())
      for (int i = 0; i < 6; ++i) {
        const double sender_s = mode == SendMode::buffered ? 1e-10 * bytes : send_s(bytes, random);
        samples.push_back({mode, ReceivePosted::before, bytes, sender_s, 84e-9 * bytes, false});
      }
  const MessageModel model(samples, "segmented", PairPlace::two_hosts);
  for (const SendMode mode : {SendMode::standard, SendMode::synchronous, SendMode::ready}) {
    const Curve& curve = model.curve(mode, Side::sender, ReceivePosted::before);
    EXPECT_NEAR(curve.seconds(5.5e5) / gone_s(5.5e5), 1, 0.1);
    EXPECT_NEAR(curve.seconds(6.8e5) / waiting_s(6.8e5), 1, 0.1);
  }
  EXPECT_NEAR(model.sender_s(SendMode::buffered, ReceivePosted::before, 6e5), 6e-5, 1e-6);
  EXPECT_NEAR(model.receiver_s(SendMode::standard, ReceivePosted::before, 6e5), 84e-9 * 6e5, 1e-6);
}

}  // namespace
}  // namespace loadshare::communication
