#include "runtime/transport/master_router.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "runtime/transport/host_memory.hpp"

namespace loadshare {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A remote transport that only logs what it is asked to do, and delivers the events that a test puts there.
class LoggingRemote final : public Remote {
 public:
  std::size_t poll(std::span<Event> events, std::size_t taken) override {
    std::size_t count = 0;
    for (; taken + count < events.size() && !events_.empty(); events_.erase(events_.begin()))
      events[taken + count++] = events_.front();
    return count;
  }
  void wait(ChannelHub& local, double limit_s) override { local.nap(limit_s); }
  void give(WorkerId worker, const Assignment& assignment) override { log("give", worker, assignment.id); }
  void recall(WorkerId worker, ChunkId id, Recall recall) override {
    log(recall == Recall::unwanted ? "cancel" : "recall", worker, id);
  }
  void publish(WorkerId worker, ChunkId id, Chunk) override { log("publish", worker, id); }
  void release(WorkerId worker, ChunkId id) override { log("release", worker, id); }
  void stop() override { log_.emplace_back("stop"); }
  std::optional<double> shared_input_done_s() const override { return 7; }

  void happens(const Event& event) { events_.push_back(event); }
  std::vector<std::string> log_;

 private:
  void log(const std::string& what, WorkerId worker, ChunkId id) {
    const std::string chunk = id == every_chunk ? "all" : std::to_string(id.slot);
    log_.push_back(what + " " + std::to_string(to_number(worker)) + " " + chunk);
  }
  std::vector<Event> events_;
};

/// Worker 1 sees the master's memory, all others are remote.
struct Ends {
  static constexpr WorkerId local{1}, remote{0};

  std::vector<Event> poll(std::size_t room = 8) {
    std::vector<Event> events(room);
    events.resize(router.poll(events));
    return events;
  }
  void give(WorkerId to, std::uint32_t slot) { router.give(to, {.id = {slot, 0}, .chunk = {slot, 1}}); }

  DataLayout layout;  // a loop without data
  ControlShape shape{.channels = 1, .prefetch = 7};
  PrivateMemory memory{ControlBlock::bytes(shape)};
  ControlBlock control{shape, memory.bytes().data()};
  SharedInput shared{layout, control};
  LoggingRemote far;
  MasterRouter router{
      PresentWorkers(2), ChannelMaster(control, Waiter(WaitPolicy::nap), layout, {}), {local}, &far};
  ChannelWorker worker{local,           0,
                       control,         shared,
                       WaitPolicy::nap, std::make_unique<InSharedMemory>(layout, std::span<std::byte>{})};
};

TEST(MasterRouter, BeginsWithTheWorkersThatArePresent) {
  Ends ends;
  const std::vector<Event> events = ends.poll();
  ASSERT_EQ(events.size(), 2u);
  for (std::uint32_t number = 0; number < 2; ++number) {
    EXPECT_EQ(events[number].kind, Event::Kind::joined);
    EXPECT_EQ(events[number].worker, WorkerId{number});
    EXPECT_EQ(events[number].newcomer->name.rank, Index{number} + 1);
    EXPECT_EQ(events[number].newcomer->process, WorkerId{number}) << "each is a process of its own";
  }
  EXPECT_THAT(ends.poll(), IsEmpty());
}

TEST(MasterRouter, PresentWorkersMayShareAProcess) {
  PresentWorkers present(2, Newcomer{.name = {.host = "node7"}, .host = 3, .process = WorkerId{0}});
  std::array<Event, 1> events;
  for (Index rank = 1; rank <= 2; ++rank) {
    ASSERT_EQ(present.poll(events), 1u);
    EXPECT_EQ(events[0].newcomer->name.rank, rank);
    EXPECT_EQ(events[0].newcomer->name.host, "node7");
    EXPECT_EQ(events[0].newcomer->host, 3u);
    EXPECT_EQ(events[0].newcomer->process, WorkerId{0});
  }
  EXPECT_EQ(present.poll(events), 0u);
}

TEST(MasterRouter, SendsEachCommandToTheWorkersEnd) {
  Ends ends;
  ends.give(Ends::local, 4);
  ends.give(Ends::remote, 5);
  EXPECT_EQ(ends.worker.next()->chunk, (Chunk{4, 1}));
  ends.router.recall(Ends::remote, {5, 0}, Recall::not_begun);
  ends.router.recall(Ends::remote, {5, 0}, Recall::unwanted);
  ends.router.publish(Ends::remote, {5, 0}, {5, 1});
  ends.router.release(Ends::remote, {5, 0});
  ends.router.release(Ends::local, {4, 0});
  for (const WorkerId worker : {Ends::local, Ends::remote})
    ends.router.recall(worker, every_chunk, Recall::unwanted);
  ends.router.stop();
  EXPECT_THAT(ends.far.log_, ElementsAre("give 0 5", "recall 0 5", "cancel 0 5", "publish 0 5", "release 0 5",
                                         "cancel 0 all", "stop"));
  EXPECT_FALSE(ends.worker.next()) << "the stop reaches local workers, too";
  EXPECT_EQ(ends.router.shared_input_done_s(), 7);
}

TEST(MasterRouter, ReportsCarryTheReasonOfAFailure) {
  Ends ends;
  ends.poll();
  ends.give(Ends::local, 4);
  ends.worker.failed(*ends.worker.next(), "out of luck", 4);
  const std::vector<Event> events = ends.poll();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].worker, Ends::local);
  EXPECT_EQ(events[0].report.kind, Report::Kind::failed);
  EXPECT_STREQ(events[0].failure->text.data(), "out of luck");
  EXPECT_EQ(events[0].failure->iteration(), 4);
}

TEST(MasterRouter, ProgressOfALocalWorkerIsAnEvent) {
  Ends ends;
  ends.poll();
  ends.give(Ends::local, 4);
  ends.worker.next()->signals.progressed(3);
  ends.router.wait(0);
  const std::vector<Event> events = ends.poll();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, Event::Kind::progressed);
  EXPECT_EQ(events[0].worker, Ends::local);
  EXPECT_EQ(events[0].report.id, (ChunkId{4, 0}));
  EXPECT_EQ(events[0].done, 3);
}

TEST(MasterRouter, ABusyMasterReceivesProgressWithoutWaiting) {
  Ends ends;
  ends.poll();
  ends.give(Ends::local, 4);
  ends.worker.next()->signals.progressed(3);
  std::vector<Event> events;
  for (int round = 0; round < 1000 && events.empty(); ++round) events = ends.poll();
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].kind, Event::Kind::progressed);
}

TEST(MasterRouter, NoEventWaitsForMoreThanTwoRounds) {
  Ends ends;
  ends.poll();
  for (int round = 0; round < 5; ++round) {
    ends.give(Ends::local, 4);
    ends.worker.done(*ends.worker.next(), nullptr);
    for (int i = 0; i < 4; ++i) ends.far.happens({.worker = Ends::remote, .kind = Event::Kind::back});
    bool has_local = false, has_remote = false;
    for (const Event& event : ends.poll(2)) (event.worker == Ends::local ? has_local : has_remote) = true;
    EXPECT_TRUE(has_local && has_remote) << "round " << round;
  }
}

}  // namespace
}  // namespace loadshare
