#include "runtime/farm/worker_loop.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

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

/// Narrow iterations, and what their worker has told of itself whenever it computes some together.
class Narrow final : public Workload {
 public:
  explicit Narrow(const ChannelMemory& channel) : channel_(channel) {}
  Index iterations() const override { return 9; }
  Index iterations_at_once() const override { return 100; }
  void compute(Work&) override { meanwhile(); }
  void compute_together(std::span<Work> works) override {
    const auto last = static_cast<std::uint32_t>(works.back().chunk().first);
    told.push_back(TaskSignals::progress_of(*channel_.progress, last));
    last_of_each.push_back(works.back().chunk().first);
    meanwhile();
  }

  std::function<void()> meanwhile = [] {};
  std::vector<std::optional<Index>> told;
  std::vector<Index> last_of_each;

 private:
  const ChannelMemory& channel_;
};

/// A worker's end that is asked in vain for some time, while the others are on their way.
class LateEnd final : public WorkerEnd {
 public:
  explicit LateEnd(WorkerEnd& end) : end_(end) {}
  WorkerId worker() const override { return end_.worker(); }
  bool has_next() override { return end_.has_next(); }
  std::optional<Task> next() override { return end_.next(); }
  std::optional<Task> next_here() override {
    std::optional<Task> task = end_.next_here();
    if (!task && ++asked_in_vain == 3) arrive();
    return task;
  }
  void done(const Task& task, const Stamps* stamps) override { end_.done(task, stamps); }
  void failed(const Task& task, std::string_view text, std::optional<Index> at) override {
    end_.failed(task, text, at);
  }
  const std::atomic<std::uint32_t>& over() const override { return end_.over(); }
  SharedInput& shared_input() override { return end_.shared_input(); }

  int asked_in_vain = 0;
  std::function<void()> arrive = [] {};

 private:
  WorkerEnd& end_;
};

/// A worker of narrow iterations that may hold four, and its master.
class NarrowLoop {
 public:
  void give(Index first, Index end) {
    for (Index i = first; i < end; ++i)
      master_.give(0, {.id = {static_cast<std::uint32_t>(i), 0}, .chunk = {i, 1}});
  }
  void stop() { master_.give(0, {.kind = Order::Kind::stop}); }
  void run() { run(end_); }
  void run(WorkerEnd& end) { WorkerLoop(end, workload, 3, children_).run(); }
  WorkerEnd& end() { return end_; }

 private:
  ControlShape shape_{.channels = 1, .prefetch = 9};
  PrivateMemory memory_{ControlBlock::bytes(shape_)};
  ControlBlock control_{shape_, memory_.bytes().data()};
  ChildTime children_{1};
  ChannelHub master_{control_, Waiter(WaitPolicy::nap)};

 public:
  Narrow workload{control_.channel(0)};

 private:
  SharedInput shared_{workload, control_};
  ChannelWorker end_{WorkerId{0},     0,
                     control_,        shared_,
                     WaitPolicy::nap, std::make_unique<InSharedMemory>(workload, std::span<std::byte>{})};
};

// Who computes chunks together says so before, by the last of them: if it is lost, all of them had begun.
TEST(WorkerLoop, TellsOfAllThatItComputesTogether) {
  NarrowLoop loop;
  loop.give(0, 8);
  loop.stop();
  loop.run();
  EXPECT_EQ(loop.workload.last_of_each, (std::vector<Index>{3, 7}));
  EXPECT_EQ(loop.workload.told, (std::vector<std::optional<Index>>{0, 0}));
}

TEST(WorkerLoop, LeavesHalfOfWhatItHoldsForLaterWhereOthersAreLongOnTheirWay) {
  NarrowLoop loop;
  std::vector<std::function<void()>> then = {[&] { loop.give(4, 5); },  // alone, and no other comes in time
                                             [&] { loop.give(5, 9); }, [] {}, [&] { loop.stop(); }};
  loop.workload.meanwhile = [&, next = then.begin()]() mutable { (*next++)(); };
  loop.give(0, 4);
  loop.run();
  EXPECT_EQ(loop.workload.last_of_each, (std::vector<Index>{3, 6, 8}));
}

// A fiftieth of what they took together is worth waiting for others, which then are computed together as
// well.
TEST(WorkerLoop, WaitsAMomentForOthersToComputeWithTheNext) {
  NarrowLoop loop;
  LateEnd late(loop.end());
  late.arrive = [&] {
    loop.give(5, 8);
    loop.stop();
  };
  loop.workload.meanwhile = [&] {
    if (loop.workload.last_of_each.size() > 1) return;
    // So waiting 30 ms for more is worth it: a busy machine may take the processor away for some of them.
    std::this_thread::sleep_for(std::chrono::milliseconds(1500));
    loop.give(4, 5);
  };
  loop.give(0, 4);
  loop.run(late);
  EXPECT_EQ(loop.workload.last_of_each, (std::vector<Index>{3, 7}));
}

}  // namespace
}  // namespace loadshare
