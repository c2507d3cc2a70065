#include "apps/loadshare/chunks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"

namespace loadshare::tool {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Hands out `size` whatever remains, and keeps what it hears.
class FixedSize final : public ChunkScheduler {
 public:
  explicit FixedSize(Index size) : size_(size) {}
  Cut next(const Request& request) override {
    asked.push_back(to_number(request.worker));
    return {size_};
  }
  void completed(const ChunkTimes& times) override {
    rates.push_back(static_cast<double>(times.chunk.size) / times.response_s);
  }

  std::vector<std::uint32_t> asked;
  std::vector<double> rates;

 private:
  Index size_;
};

TEST(CutLoop, TheWorkersAskInTurnAndAreOfOneSpeed) {
  FixedSize scheduler(2);
  std::vector<Index> sizes;
  const Index count =
      cut_loop(scheduler, {.iterations = 8, .workers = 3}, [&](Index size) { sizes.push_back(size); });
  EXPECT_EQ(count, 4);
  EXPECT_THAT(sizes, ElementsAre(2, 2, 2, 2));
  EXPECT_THAT(scheduler.asked, ElementsAre(0, 1, 2, 0));
  for (const double rate : scheduler.rates) EXPECT_DOUBLE_EQ(rate, scheduler.rates.front());
}

TEST(CutLoop, AnEmptyLoopAsksNobody) {
  FixedSize scheduler(2);
  EXPECT_EQ(cut_loop(scheduler, {.iterations = 0, .workers = 3}, [](Index) {}), 0);
  EXPECT_THAT(scheduler.asked, IsEmpty());
}

TEST(CutLoop, ASchedulerThatBreaksItsContractEndsTheLoop) {
  for (const Index size : {0, -1, 9}) {
    FixedSize scheduler(size);
    EXPECT_THROW(cut_loop(scheduler, {.iterations = 8, .workers = 3}, [](Index) {}), Error) << size;
  }
}

TEST(ChunkRuns, AreLinesOfEqualSizesOneBehindTheOther) {
  ChunkRuns runs;
  std::string text;
  for (const Index size : {7, 7, 3, 7}) text += runs.add(size);
  EXPECT_EQ(text, "2 x 7\n1 x 3\n");
  EXPECT_EQ(runs.end(), "1 x 7\n");
  EXPECT_THAT(runs.end(), IsEmpty());
}

}  // namespace
}  // namespace loadshare::tool
