#include "models/communication/waiting_size.hpp"

#include <gtest/gtest.h>

#include <limits>

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

TEST(WaitingSize, IsContradictedByAsFewSizesAsCanBe) {
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

TEST(WaitingSize, IsOfStandardSendsWhoseReceiveCameLater) {
  auto others = standard(64, 5, 0);
  for (MessageSample& sample : others) sample.mode = SendMode::synchronous;
  auto before = standard(64, 5, 0);
  for (MessageSample& sample : before) sample.posted = ReceivePosted::before;
  EXPECT_DOUBLE_EQ(size_of({others, before, standard(64, 0, 2), standard(128, 2, 0)}), 96);
}

}  // namespace
}  // namespace loadshare::communication::test
