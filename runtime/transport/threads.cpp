#include <deque>

#include "runtime/host/cgroup_quota.hpp"
#include "runtime/host/scheduling.hpp"
#include "runtime/transport/host_memory.hpp"
#include "runtime/transport/master_router.hpp"
#include "runtime/transport/transport.hpp"

namespace loadshare {

namespace {

ControlShape shape_of(const RunPlan& plan, std::size_t workers, DataLayout& layout) {
  return {.channels = workers, .prefetch = plan.prefetch, .pieces = SharedInput::count_pieces(layout)};
}

class ThreadSession final : public Session {
 public:
  ThreadSession(const RunPlan& plan, std::size_t workers, DataLayout& layout)
      : shape_(shape_of(plan, workers, layout)),
        memory_(ControlBlock::bytes(shape_)),
        aside_(AsideMemory::bytes_for(plan, workers, layout), Pages::when_used),
        control_(shape_, memory_.bytes().data()),
        shared_(layout, control_),
        policy_(resolve(plan.wait, static_cast<int>(workers) + 1, sustained_cores(allowed_cores()))),
        master_(PresentWorkers(workers), ChannelMaster(control_, Waiter(policy_), layout, aside_.bytes()),
                first_workers(workers)) {
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
  MasterRouter master_;
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
