#include <deque>

#include "runtime/host/cgroup_quota.hpp"
#include "runtime/host/scheduling.hpp"
#include "runtime/transport/channels.hpp"
#include "runtime/transport/host_memory.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare {

namespace {

ControlShape shape_of(const RunPlan& plan, std::size_t workers, DataLayout& layout) {
  return {.channels = workers, .prefetch = plan.prefetch, .pieces = SharedInput::count_pieces(layout)};
}

class ThreadMaster final : public MasterEnd {
 public:
  ThreadMaster(ControlBlock& control, Waiter waiter, DataLayout& layout, std::span<std::byte> aside)
      : joining_(control.channels()), channels_(control, waiter, layout, aside) {}

  std::size_t poll(std::span<Event> events) override {
    return joining_.has_next() ? joining_.poll(events) : channels_.hub().poll(events);
  }
  void wait(double limit_s) override { channels_.hub().wait(limit_s); }
  void give(WorkerId worker, const Assignment& assignment) override {
    channels_.give(to_number(worker), assignment);
  }
  void recall(WorkerId worker, ChunkId id, Recall recall) override {
    channels_.recall(to_number(worker), id, recall);
  }
  void publish(WorkerId worker, ChunkId id, Chunk part) override {
    channels_.publish(to_number(worker), id, part);
  }
  void release(WorkerId worker, ChunkId id) override { channels_.release(to_number(worker), id); }
  std::optional<ChunkProgress> progress(WorkerId worker) override {
    return channels_.progress(to_number(worker));
  }
  Failure take_failure(WorkerId worker) override { return channels_.hub().take_failure(to_number(worker)); }
  void stop() override { channels_.hub().stop(); }

 private:
  AllAtOnce joining_;
  ChannelMaster channels_;
};

class ThreadSession final : public Session {
 public:
  ThreadSession(const RunPlan& plan, std::size_t workers, DataLayout& layout)
      : shape_(shape_of(plan, workers, layout)),
        memory_(ControlBlock::bytes(shape_)),
        aside_(AsideMemory::bytes_for(plan, workers, layout), Pages::when_used),
        control_(shape_, memory_.bytes().data()),
        shared_(layout, control_),
        policy_(resolve(plan.wait, static_cast<int>(workers) + 1, sustained_cores(allowed_cores()))),
        master_(control_, Waiter(policy_), layout, aside_.bytes()) {
    shared_.mark_all_raw();
    for (std::size_t i = 0; i < workers; ++i)
      workers_.push_back(
          std::make_unique<ChannelWorker>(WorkerId{static_cast<std::uint32_t>(i)}, i, control_, shared_,
                                          policy_, std::make_unique<InSharedMemory>(layout, aside_.bytes())));
  }

  MasterEnd* master() override { return &master_; }
  std::span<const std::unique_ptr<WorkerEnd>> workers() override { return workers_; }
  WaitPolicy wait_policy() const override { return policy_; }

 private:
  ControlShape shape_;
  PrivateMemory memory_, aside_;
  ControlBlock control_;
  SharedInput shared_;
  WaitPolicy policy_;
  ThreadMaster master_;
  std::vector<std::unique_ptr<WorkerEnd>> workers_;
};

class ThreadTransport final : public Transport {
 public:
  explicit ThreadTransport(std::size_t workers) : workers_(workers) {}

  std::string_view name() const override { return "threads"; }
  bool has_ranks() const override { return false; }
  int rank() const override { return 0; }
  int ranks() const override { return 1; }
  int master_rank() const override { return 0; }
  std::size_t workers() const override { return workers_; }

  std::span<std::byte> resident(std::size_t bytes) override { return memory_.emplace_back(bytes).bytes(); }
  std::span<std::byte> replicated(std::size_t bytes) override { return resident(bytes); }

  std::unique_ptr<Session> open(const RunPlan& plan, DataLayout& layout) override {
    return std::make_unique<ThreadSession>(plan, workers_, layout);
  }
  std::string from_master(std::string text) override { return text; }
  std::vector<std::string> to_master(std::string text, double) override { return {std::move(text)}; }

 private:
  std::size_t workers_;
  std::deque<PrivateMemory> memory_;
};

}  // namespace

std::unique_ptr<Transport> make_thread_transport(std::size_t workers) {
  return std::make_unique<ThreadTransport>(workers);
}

}  // namespace loadshare
