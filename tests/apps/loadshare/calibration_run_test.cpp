#include "apps/loadshare/calibration_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/apps/common/files.hpp"

namespace loadshare::tool {
namespace {

using loadshare::test::error_of;

/// A host with 1 GiB of it.
class CalibrationMemory : public testing::Test {
 protected:
  CalibrationMemory() {
    std::filesystem::create_directories(root_ / "proc");
    loadshare::test::write_file(root_ / "proc/meminfo", "MemAvailable: 1048576 kB\n");
  }

  loadshare::test::TemporaryDirectory directory_;
  std::filesystem::path root_ = directory_.path();
  CalibrateOptions options_;
};

TEST_F(CalibrationMemory, IsEnoughForWhatIsUsual) {
  EXPECT_EQ(error_of([&] { require_memory_for(options_, 2, 2, root_); }), "no error");
}

TEST_F(CalibrationMemory, IsFourTimesThatOfTheLargestMessage) {
  options_.sampling.max_bytes = Index{512} << 20;
  EXPECT_EQ(error_of([&] { require_memory_for(options_, 2, 2, root_); }),
            "a pair with messages of 536870912 bytes needs 2 GiB of memory (1 GiB are available on this "
            "host); take a smaller --max-bytes");
  options_.sampling.sizes = {100, Index{768} << 20};
  EXPECT_EQ(error_of([&] { require_memory_for(options_, 2, 2, root_); }),
            "a pair with messages of 805306368 bytes needs 3 GiB of memory (1 GiB are available on this "
            "host); take smaller --sizes");
}

TEST_F(CalibrationMemory, IsThatOfBlocksToAndFromEveryRankHere) {
  EXPECT_EQ(error_of([&] { require_memory_for(options_, 64, 4, root_); }), "no error");
  EXPECT_EQ(
      error_of([&] { require_memory_for(options_, 64, 8, root_); }),
      "a collective call of 64 ranks, 8 of them here, needs 2 GiB of memory (1 GiB are available on this "
      "host); take a smaller --max-bytes, or --collectives none");
  options_.has_collectives = false;
  EXPECT_EQ(error_of([&] { require_memory_for(options_, 64, 8, root_); }), "no error");
}

TEST_F(CalibrationMemory, IsThatOfThreeMatrices) {
  options_.kernel_size = 16384;
  EXPECT_EQ(
      error_of([&] { require_memory_for(options_, 2, 2, root_); }),
      "a product of 16384 x 16384 needs 6 GiB of memory (1 GiB are available on this host); take a smaller "
      "--kernel-size");
  options_.kernel_size.reset();
  EXPECT_EQ(error_of([&] { require_memory_for(options_, 2, 2, root_); }), "no error");
}

using testing::ElementsAre;
using testing::IsEmpty;

calibration::MessageSeries series(std::size_t messages, double sender_s = 2e-6) {
  return {.messages = {messages, {sender_s, 3e-6, false}}};
}

TEST(SurveyNotes, AreNoneWhereAllIsAsAsked) {
  EXPECT_THAT(
      sampling_notes(std::vector{series(30), series(400)}, SamplingOptions{}, {.most_bytes = 4 << 20}),
      IsEmpty());
}

TEST(SurveyNotes, NameWhatThereWasNoTimeFor) {
  EXPECT_THAT(
      sampling_notes(std::vector{series(29), series(30)}, SamplingOptions{}, {.most_bytes = 2'000'000}),
      ElementsAre("40 seconds are too short for messages of more than 2,000,000 bytes, which were left out: "
                  "give more --seconds",
                  "1 of 2 kinds and sizes have fewer than 30 messages: give more --seconds"));
}

TEST(SurveyNotes, CountWhatIsNotAmongTheSamples) {
  EXPECT_THAT(
      sampling_notes(std::vector{series(30, 1e-9)}, SamplingOptions{},
                     {.most_bytes = 4 << 20, .visits = 1200, .messages = 1}),
      ElementsAre(
          "1,200 series of messages were repeated because one of the two ranks had lost its processor",
          "1 message left out because the receive was posted too early",
          "30 messages took less than the clock can measure: recorded as 1 ns"));
}

}  // namespace
}  // namespace loadshare::tool
