#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <memory>
#include <thread>

#include "runtime/farm/worker_loop.hpp"
#include "runtime/transport/channels.hpp"
#include "runtime/transport/host_memory.hpp"

// Chunks that are recalled at the moment when their worker takes several together.

namespace loadshare {
namespace {

using Clock = std::chrono::steady_clock;

/// Iterations that it is best to compute together, and that cost nothing.
class Light final : public Workload {
 public:
  Index iterations() const override { return 2; }
  Index iterations_at_once() const override { return 100; }
  void compute(Work&) override {}
};

/// A worker that takes several chunks together, on a thread, and its master.
class Race {
 public:
  Race() : worker_([this] { WorkerLoop(end_, light_, prefetch, children_).run(); }) {}
  ~Race() { master_.stop(); }  // ends a worker that is stuck, too
  Race(const Race&) = delete;
  Race& operator=(const Race&) = delete;

  /// Gives two chunks and recalls the second a moment later. Returns whether both came back.
  bool run(int moment) {
    for (std::uint32_t i = 0; i < 2; ++i) turn_ = master_.give(0, {.id = {i, 0}, .chunk = {Index{i}, 1}});
    for (int i = 0; i < moment; ++i) pause_processor();
    master_.recall(0, turn_, Recall::not_begun);
    std::array<Event, 2> events;
    const Clock::time_point end = Clock::now() + std::chrono::seconds(10);
    for (std::size_t left = 2; left > 0; left -= master_.poll(events)) {
      if (Clock::now() > end) return false;
      master_.wait(0.1);
    }
    return true;
  }

 private:
  static constexpr Index prefetch = 3;

  Light light_;
  ChildTime children_{1};
  ControlShape shape_{.channels = 1, .prefetch = prefetch};
  PrivateMemory memory_{ControlBlock::bytes(shape_)};
  ControlBlock control_{shape_, memory_.bytes().data()};
  ChannelHub master_{control_, Waiter(WaitPolicy::spin)};
  SharedInput shared_{light_, control_};
  ChannelWorker end_{WorkerId{0},      0,
                     control_,         shared_,
                     WaitPolicy::spin, std::make_unique<InSharedMemory>(light_, std::span<std::byte>{})};
  std::uint32_t turn_ = 0;
  std::jthread worker_;
};

TEST(WorkerLoop, GoesOnWhereAChunkIsRecalledAsItIsTakenWithOthers) {
  constexpr int most_recalls = 50'000, longest_moment = 60;
  const Clock::time_point end = Clock::now() + std::chrono::seconds(2);  // enough with few processors
  Race race;
  for (int recalls = 0; recalls < most_recalls && Clock::now() < end; ++recalls)
    ASSERT_TRUE(race.run(recalls % longest_moment)) << "stuck after " << recalls << " recalls";
}

}  // namespace
}  // namespace loadshare
