#include "models/messages/message_model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/models/messages/made_samples.hpp"

namespace loadshare::communication::test {
namespace {

std::vector<MessageSample> standard(double bytes, int waiting, int not_waiting) {
  std::vector<MessageSample> samples(static_cast<std::size_t>(waiting + not_waiting),
                                     {SendMode::standard, ReceivePosted::after, bytes, 1, 1, false});
  for (int i = 0; i < waiting; ++i) samples[static_cast<std::size_t>(i)].has_waited = true;
  return samples;
}

double size_of(const std::vector<std::vector<MessageSample>>& parts) {
  std::vector<MessageSample> all;
  for (const auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return waiting_size(all);
}

TEST(WaitingSize, IsBetweenTheSizes) {
  EXPECT_DOUBLE_EQ(size_of({standard(256, 1, 9), standard(512, 10, 0), standard(64, 0, 10)}), 384);
}

TEST(WaitingSize, IsContradictedByTheFewestSizes) {
  EXPECT_DOUBLE_EQ(size_of({standard(64, 6, 4), standard(128, 0, 9), standard(256, 0, 9), standard(512, 9, 0),
                            standard(1024, 9, 0)}),
                   384);
}

TEST(WaitingSize, MayBeNoneOrAll) {
  EXPECT_EQ(size_of({standard(64, 0, 3), standard(128, 1, 2)}), std::numeric_limits<double>::infinity());
  EXPECT_EQ(size_of({standard(64, 3, 0), standard(128, 2, 1)}), 0);
  EXPECT_EQ(size_of({}), std::numeric_limits<double>::infinity());
}

TEST(WaitingSize, IsBetweenTwoMeasuredOnes) {
  const std::vector<SizeWait> sizes{{64, true}, {128, false}, {256, false}, {512, true}, {1024, true}};
  const WaitingBorder border = waiting_border(sizes);
  EXPECT_EQ(border.below_bytes, 256);
  EXPECT_EQ(border.above_bytes, 512);
  EXPECT_EQ(waiting_border(std::span(sizes).first(1)).below_bytes, std::nullopt);
  EXPECT_EQ(waiting_border(std::span(sizes).subspan(1, 2)).above_bytes, std::nullopt);
}

TEST(WaitingSize, ConsidersStandardSendsBeforeTheirReceive) {
  auto others = standard(64, 5, 0);
  for (MessageSample& sample : others) sample.mode = SendMode::synchronous;
  auto before = standard(64, 5, 0);
  for (MessageSample& sample : before) sample.posted = ReceivePosted::before;
  EXPECT_DOUBLE_EQ(size_of({others, before, standard(64, 0, 2), standard(128, 2, 0)}), 96);
}

constexpr double change = 1024;  // bytes from which on standard sends wait

/// Times that differ by mode, side and time of the receive.
double truth_s(SendMode mode, Side side, ReceivePosted posted, double bytes) {
  const double factor = 1 + static_cast<double>(mode) + (side == Side::receiver ? 0.5 : 0);
  const bool is_waiting = mode == SendMode::standard && posted == ReceivePosted::after && bytes >= change;
  return factor * (1e-6 + (posted == ReceivePosted::after ? 2e-9 : 1e-9) * bytes + (is_waiting ? 1e-4 : 0));
}

void add(std::vector<MessageSample>& samples, SendMode mode, ReceivePosted posted,
         const std::vector<double>& sizes) {
  for (const double bytes : sizes)
    samples.push_back({mode, posted, bytes, truth_s(mode, Side::sender, posted, bytes),
                       truth_s(mode, Side::receiver, posted, bytes),
                       posted == ReceivePosted::after && bytes >= change});
}

std::vector<MessageSample> all_samples() {
  std::vector<MessageSample> samples;
  for (const SendMode mode : send_modes)
    for (const ReceivePosted posted : {ReceivePosted::before, ReceivePosted::after})
      if (mode != SendMode::ready || posted == ReceivePosted::before)
        add(samples, mode, posted, {64, 128, 256, 512, 896, 1152, 2048, 4096, 8192, 65536});
  return samples;
}

TEST(MessageModel, HasACurveForEachModeSideAndTimeOfTheReceive) {
  const MessageModel model(all_samples(), "segmented", PairPlace::one_host);
  for (const SendMode mode : send_modes)
    for (const ReceivePosted posted : {ReceivePosted::before, ReceivePosted::after}) {
      const SendMode meant =
          posted == ReceivePosted::after && mode == SendMode::ready ? SendMode::standard : mode;
      for (const double bytes : {100.0, 1000.0, 3000.0, 50000.0}) {
        SCOPED_TRACE(name_of(mode) + " " + name_of(posted) + " " + std::to_string(bytes));
        const double sender_s = truth_s(meant, Side::sender, posted, bytes);
        const double receiver_s = truth_s(meant, Side::receiver, posted, bytes);
        EXPECT_NEAR(model.sender_s(mode, posted, bytes), sender_s, 1e-6 * sender_s);
        EXPECT_NEAR(model.receiver_s(mode, posted, bytes), receiver_s, 1e-6 * receiver_s);
      }
    }
}

TEST(MessageModel, KnowsWhichSendsWait) {
  const MessageModel model(all_samples(), "segmented", PairPlace::one_host);
  EXPECT_DOUBLE_EQ(model.waiting_from_bytes(), 1024);
  EXPECT_FALSE(model.waits_for_receive(SendMode::standard, 1023));
  EXPECT_TRUE(model.waits_for_receive(SendMode::standard, 1024));
  EXPECT_TRUE(model.waits_for_receive(SendMode::synchronous, 0));
  EXPECT_FALSE(model.waits_for_receive(SendMode::buffered, 1e9));
}

TEST(MessageModel, FitsNoLineAcrossTheChange) {
  for (const char* fit : {"least-squares", "segmented"}) {
    const MessageModel model(all_samples(), fit, PairPlace::one_host);
    const Curve& curve = model.curve(SendMode::standard, Side::sender, ReceivePosted::after);
    ASSERT_EQ(curve.segments().size(), 2U) << fit;
    EXPECT_DOUBLE_EQ(curve.segments()[1].first_size, 1024);
    EXPECT_NEAR(curve.seconds(1023), 3.046e-6, 1e-11);
    EXPECT_NEAR(curve.seconds(1024), 103.048e-6, 1e-9);
  }
}

TEST(MessageModel, TakesOneSizeBeyondTheChangeForAll) {
  std::vector<MessageSample> samples;
  add(samples, SendMode::standard, ReceivePosted::after, {64, 128, 256, 1152});
  const MessageModel model(samples, "segmented", PairPlace::one_host);
  EXPECT_DOUBLE_EQ(model.waiting_from_bytes(), 704);
  EXPECT_NEAR(model.sender_s(SendMode::standard, ReceivePosted::after, 800), 103.304e-6, 1e-12);
}

TEST(MessageModel, TakesThePortByTheLargestOctave) {
  const MessageModel far(all_samples(), "segmented", PairPlace::two_hosts);
  EXPECT_NEAR(far.port_s(1e6), 1.5e-3, 1e-9);  // the standard receiver's 1.5e-9 s a byte
  EXPECT_DOUBLE_EQ(MessageModel(all_samples(), "least-squares", PairPlace::one_host).port_s(1e6), 0);
}

TEST(MessageModel, IsNeverNegative) {
  std::vector<MessageSample> samples;
  for (const double bytes : {100, 200, 300})
    samples.push_back({SendMode::standard, ReceivePosted::before, bytes, bytes - 90, bytes, false});
  const MessageModel model(samples, "least-squares", PairPlace::one_host);
  EXPECT_LT(model.curve(SendMode::standard, Side::sender, ReceivePosted::before).seconds(10), 0);
  EXPECT_DOUBLE_EQ(model.sender_s(SendMode::standard, ReceivePosted::before, 10), 0);
}

TEST(MessageModel, NamesMissingMeasurements) {
  std::vector<MessageSample> samples;
  add(samples, SendMode::buffered, ReceivePosted::before, {64, 128, 256});
  const MessageModel model(samples, "segmented", PairPlace::one_host);
  EXPECT_TRUE(model.has(SendMode::buffered, Side::sender, ReceivePosted::before));
  EXPECT_FALSE(model.has(SendMode::buffered, Side::sender, ReceivePosted::after));
  EXPECT_EQ(
      error_of([&] { (void)model.sender_s(SendMode::buffered, ReceivePosted::after, 1); }),
      "no samples of the sender of buffered sends, receive posted after (its times are not known); calibrate "
      "with that mode");
  EXPECT_EQ(error_of([&] { (void)model.waits_for_receive(SendMode::standard, 1); }),
            "no samples of standard sends, receive posted after (they show from which size a send waits); "
            "calibrate with them");
}

TEST(MessageModel, UsesThePortAsTheLeastGap) {
  std::vector<Sample> gaps;
  for (const double bytes : {1.0, 64.0, 4096.0, 65536.0})
    for (int i = 0; i < 5; ++i) gaps.push_back({bytes, 5e-6 + 1e-9 * bytes});
  const MessageModel model(all_samples(), "segmented", PairPlace::two_hosts, gaps);
  EXPECT_NEAR(model.port_s(0), 5e-6, 1e-8);
  EXPECT_NEAR(model.port_s(64), 5.064e-6, 1e-8);
  EXPECT_NEAR(model.port_s(65536), 98.3e-6, 1e-7) << "1.5e-9 s a byte";
  EXPECT_NEAR(model.port_s(1e6), 1.5e-3, 1e-9);
  EXPECT_EQ(MessageModel(all_samples(), "segmented", PairPlace::one_host, gaps).port_s(64), 0);
}

TEST(MessageModel, TakesThePortOfAnyMeasuredMode) {
  std::vector<MessageSample> samples;
  add(samples, SendMode::ready, ReceivePosted::before, {64, 1024, 65536});
  const MessageModel ready(samples, "segmented", PairPlace::two_hosts);
  EXPECT_NEAR(ready.port_s(1e6), 4.5e-3, 1e-9);  // the ready receiver's 4.5e-9 s a byte
  samples.clear();
  add(samples, SendMode::buffered, ReceivePosted::after, {64, 128, 256});
  EXPECT_EQ(error_of([&] { MessageModel(samples, "segmented", PairPlace::two_hosts); }),
            "no samples of a send whose receive was posted before (they show how long a message occupies the "
            "network); calibrate with them");
}

TEST(MessageModel, DistinguishesMeasuredSizesFromOthers) {
  std::vector<MessageSample> samples;
  add(samples, SendMode::standard, ReceivePosted::before, {64, 1024, 65536});
  add(samples, SendMode::buffered, ReceivePosted::before, {128, 1024, 1048576});
  const MessageModel model(samples, "segmented", PairPlace::one_host);
  EXPECT_TRUE(model.covers(SendMode::standard, Side::sender, ReceivePosted::before, 65536));
  EXPECT_FALSE(model.covers(SendMode::standard, Side::sender, ReceivePosted::before, 65537));
  EXPECT_FALSE(model.covers(SendMode::standard, Side::receiver, ReceivePosted::before, 63));
  EXPECT_TRUE(model.covers(SendMode::buffered, Side::receiver, ReceivePosted::before, 65537));
  EXPECT_DOUBLE_EQ(model.measured_bytes().least_bytes, 128);
  EXPECT_DOUBLE_EQ(model.measured_bytes().most_bytes, 65536);
}

TEST(MessageModel, NamesTheSideOfTheChangeThatHasTooFew) {
  std::vector<MessageSample> samples;
  add(samples, SendMode::standard, ReceivePosted::after, {64, 128, 256, 1152, 2048});
  EXPECT_EQ(error_of([&] { MessageModel(samples, "segmented", PairPlace::one_host); }),
            "the sender of standard sends, receive posted after: sizes from 704 bytes on, which wait: too "
            "few points: 2 (a line needs 3 to show its error); measure more of them");
}

TEST(MessageModel, BeyondTheChangeIsNotProlongedBelowIt) {
  std::vector<MessageSample> samples;
  for (const double bytes : {10, 20, 30, 100, 200, 300})  // beyond the change 2 n - 80, negative below 40
    samples.push_back(
        {SendMode::standard, ReceivePosted::after, bytes, bytes < 50 ? 1 : 2 * bytes - 80, 1, bytes > 50});
  const MessageModel model(samples, "segmented", PairPlace::one_host);
  const Curve& curve = model.curve(SendMode::standard, Side::sender, ReceivePosted::after);
  ASSERT_EQ(curve.segments().size(), 3U);
  EXPECT_DOUBLE_EQ(curve.first_size(), 10);
  EXPECT_NEAR(curve.seconds(64), 1, 1e-9);
  EXPECT_DOUBLE_EQ(curve.segments()[1].first_size, 65);
  EXPECT_NEAR(curve.seconds(70), 70, 1e-6);
  EXPECT_NEAR(curve.seconds(90), 100, 1e-6);
}

TEST(MessageModel, RefusesSamplesThatGiveNoCurve) {
  EXPECT_EQ(error_of([] { MessageModel({}, "segmented", PairPlace::one_host); }),
            "no samples of messages (there is nothing to fit)");
  std::vector<MessageSample> samples;
  add(samples, SendMode::ready, ReceivePosted::before, {64, 128});
  EXPECT_EQ(error_of([&] { MessageModel(samples, "segmented", PairPlace::one_host); }),
            "the sender of ready sends, receive posted before: too few points: 2 (a line needs 3 to show its "
            "error); measure more of them");
  samples.push_back({SendMode::ready, ReceivePosted::before, 256, -1e-6, 1, false});
  EXPECT_EQ(error_of([&] { MessageModel(samples, "segmented", PairPlace::one_host); }),
            "the sender of ready sends, receive posted before: the time at size 256 is -1e-06 s (times are "
            "finite and more than 0)");
  samples.back().sender_s = 0;  // shorter than the clock can tell
  EXPECT_GE(MessageModel(samples, "segmented", PairPlace::one_host)
                .sender_s(SendMode::ready, ReceivePosted::before, 256),
            0);
}

/// Posted receives of launches that are so much slower or faster as a whole.
std::vector<MessageSample> launches(const std::vector<double>& factors) {
  std::vector<MessageSample> samples;
  for (std::size_t launch = 0; launch < factors.size(); ++launch)
    for (double bytes = 1; bytes <= 1 << 20; bytes *= 2)
      for (int i = 0; i < 5; ++i) {
        const double seconds = factors[launch] * (1e-6 + 1e-9 * bytes);
        samples.push_back(
            {SendMode::synchronous, ReceivePosted::before, bytes, seconds, seconds, false, launch});
      }
  return samples;
}

TEST(MessageModel, KnowsTheDeviationOfANewLaunch) {
  const auto deviation = [](const std::vector<double>& factors) {
    return MessageModel(launches(factors), "segmented", PairPlace::two_hosts).deviation();
  };
  EXPECT_NEAR(deviation({1, 1, 1}), 0, 1e-6);
  // Student's t of 2 degrees, 2.92, for a fourth launch: 0.1 sqrt(1 + 1/3) 2.92 / 1.645.
  EXPECT_NEAR(deviation({std::exp(-0.1), 1, std::exp(0.1)}), 0.205, 0.01);
}

TEST(MessageModel, KnowsTheDeviationOfAFitThatMayBeNegative) {
  std::vector<MessageSample> samples;
  for (const std::size_t launch : {0UL, 1UL})
    for (double bytes = 1; bytes <= 1 << 20; bytes *= 2)
      samples.push_back({SendMode::synchronous, ReceivePosted::before, bytes, 1e-6,
                         1e-12 * bytes * bytes + 1e-9, false, launch});
  const MessageModel model(samples, "least-squares", PairPlace::two_hosts);
  EXPECT_EQ(model.receiver_s(SendMode::synchronous, ReceivePosted::before, 1), 0) << "clamped";
  EXPECT_TRUE(std::isfinite(model.deviation()));
}

}  // namespace
}  // namespace loadshare::communication::test
