#include "runtime/farm/worker_loop.hpp"

#include <gtest/gtest.h>

#include "runtime/transport/channels.hpp"
#include "runtime/transport/host_memory.hpp"

namespace loadshare {
namespace {

TEST(Sampler, TimesEveryChunkOfTenMicrosecondsAndMore) {
  Sampler sampler;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(sampler.wants(1));
    EXPECT_TRUE(sampler.wants_cpu());
    sampler.timed(1, 10e-6);
  }
  EXPECT_FALSE(sampler.has_thinned());
}

TEST(Sampler, TimesOneInSixtyFourOfEmptyChunks) {
  Sampler sampler;
  int timed = 0;
  for (int i = 0; i < 6402; ++i)
    if (sampler.wants(1)) {
      sampler.timed(1, 0.05e-6);
      ++timed;
    }
  EXPECT_TRUE(sampler.has_thinned());
  EXPECT_EQ(timed, 2 + 100);
}

TEST(Sampler, OneShortChunkAmongLongOnesThinsNothing) {
  Sampler sampler;
  sampler.timed(5, 1e-3);
  sampler.timed(1, 1e-6);
  EXPECT_TRUE(sampler.wants(1));
}

TEST(Sampler, HasThinnedNothingBeforeItPassesOverAChunk) {
  Sampler sampler;
  for (Index size = 1; size <= 3; ++size) {
    EXPECT_TRUE(sampler.wants(size));
    sampler.timed(size, 1e-6);
    EXPECT_FALSE(sampler.has_thinned());
  }
  EXPECT_FALSE(sampler.wants(3));
  EXPECT_TRUE(sampler.has_thinned());
}

TEST(Sampler, NoticesChunksThatGrow) {
  Sampler sampler;
  for (int i = 0; i < 3; ++i) sampler.timed(1, 1e-6);
  EXPECT_FALSE(sampler.wants(1));
  EXPECT_TRUE(sampler.wants(2));
}

TEST(Sampler, TimesEverythingAgainOnceChunksAreLong) {
  Sampler sampler;
  for (int i = 0; i < 3; ++i) sampler.timed(1, 1e-6);
  sampler.timed(1, 1e-3);
  EXPECT_TRUE(sampler.wants(1));
}

/// Eight narrow iterations, and what their worker has told of itself whenever it computes some together.
class Narrow final : public Workload {
 public:
  explicit Narrow(const ChannelMemory& channel) : channel_(channel) {}
  Index iterations() const override { return 8; }
  Index iterations_at_once() const override { return 100; }
  void compute(Work&) override {}
  void compute_together(std::span<Work> works) override {
    const auto last = static_cast<std::uint32_t>(works.back().chunk().first);
    told.push_back(TaskSignals::progress_of(*channel_.progress, last));
    last_of_each.push_back(works.back().chunk().first);
  }

  std::vector<std::optional<Index>> told;
  std::vector<Index> last_of_each;

 private:
  const ChannelMemory& channel_;
};

// Who computes chunks together says so before, by the last of them: if it is lost, all of them had begun.
TEST(WorkerLoop, TellsOfAllThatItComputesTogether) {
  const ControlShape shape{.channels = 1, .prefetch = 8};
  PrivateMemory memory(ControlBlock::bytes(shape));
  ControlBlock control(shape, memory.bytes().data());
  Narrow workload(control.channel(0));
  SharedInput shared(workload, control);
  ChannelHub master(control, Waiter(WaitPolicy::nap));
  ChannelWorker end(WorkerId{0}, 0, control, shared, WaitPolicy::nap,
                    std::make_unique<InSharedMemory>(workload, std::span<std::byte>{}));
  for (Index i = 0; i < 8; ++i) {
    Order order;
    order.id = {static_cast<std::uint32_t>(i), 0};
    order.chunk = {i, 1};
    master.give(0, order);
  }
  master.give(0, {.kind = Order::Kind::stop});
  WorkerLoop(end, workload, 6).run();
  EXPECT_EQ(workload.last_of_each, (std::vector<Index>{3, 7}));
  EXPECT_EQ(workload.told, (std::vector<std::optional<Index>>{0, 0}));
}

}  // namespace
}  // namespace loadshare
