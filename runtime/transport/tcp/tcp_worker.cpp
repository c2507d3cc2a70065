#include <algorithm>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>

#include "base/error.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/host/scheduling.hpp"
#include "runtime/transport/channels.hpp"
#include "runtime/transport/host_memory.hpp"
#include "runtime/transport/tcp/master_line.hpp"
#include "runtime/transport/tcp/silence.hpp"
#include "runtime/transport/tcp/tcp_transport.hpp"

namespace loadshare {
namespace tcp {
namespace {

/// One run of this process's workers. Its own thread carries messages, theirs compute; between lies a channel
/// each.
class WorkerSession final : public Session {
 public:
  /// Waits until the master has this run, too.
  WorkerSession(MasterLine& master, std::uint32_t run, std::size_t workers, const RunPlan& plan,
                DataLayout& layout);
  ~WorkerSession() override;

  MasterEnd* master() override { return nullptr; }
  std::span<const std::unique_ptr<WorkerEnd>> workers() override { return workers_; }
  bool needs_pump() const override { return true; }
  void pump() override;
  void leave_if_interrupted();
  WaitPolicy wait_policy() const override { return policy_; }

 private:
  /// A chunk that is here, or whose input is on its way.
  struct Task {
    ChunkId id;
    Chunk chunk;
    std::uint32_t buffer;
    std::size_t received_bytes = 0;
    double asked_s = 0;
    std::optional<std::uint32_t> turn = {};  ///< in the channel, once the worker has it
    Recall recall = Recall::none;
    std::optional<Index> told = {};  ///< of its iterations, as done
  };
  struct Worker {
    explicit Worker(DataLayout& layout, std::size_t slots) : buffers(layout, slots) {}
    ChunkBuffers buffers;
    std::deque<Task> tasks;  ///< oldest first
  };
  /// A result that leaves.
  struct Leaving {
    ReportMessage report = {};
    std::string why = {};  ///< of a failure
    ByteView result = {};
    std::uint32_t buffer = 0;
    std::size_t gone = 0;
  };

  void take(const Frame& frame);
  Worker& worker_of(const TaskName& task);
  Task* find(const TaskName& task);
  void take_order(const OrderMessage& order);
  void take_input(const InputPart& part, ByteView payload);
  void take_shared(const SharedPart& part, ByteView payload);
  void take_recall(const RecallMessage& message);
  void hand_over(std::uint32_t local);
  void send_reports();
  void send_report(std::uint32_t local, const Report& report);
  bool send_more();
  void sent(std::uint64_t token);
  void tell_progress();
  void stop();

  MasterLine& master_;
  std::uint32_t run_;
  DataLayout& layout_;
  ControlShape shape_;
  PrivateMemory memory_;
  ControlBlock control_;
  SharedInput shared_;
  WaitPolicy policy_;
  const std::atomic<bool>* interrupted_;
  ChannelHub hub_;
  std::deque<Worker> own_;
  std::vector<std::unique_ptr<WorkerEnd>> workers_;
  std::deque<Leaving> leaving_;
  std::size_t shared_bytes_ = 0;  ///< of the piece that comes
  std::optional<std::uint32_t> first_worker_;
  bool is_over_ = false;
};

WorkerSession::WorkerSession(MasterLine& master, std::uint32_t run, std::size_t workers, const RunPlan& plan,
                             DataLayout& layout)
    : master_(master),
      run_(run),
      layout_(layout),
      shape_{.channels = workers, .prefetch = plan.prefetch, .pieces = SharedInput::count_pieces(layout)},
      memory_(ControlBlock::bytes(shape_)),
      control_(shape_, memory_.bytes().data()),
      shared_(layout, control_, false),
      policy_(plan.wait == WaitPolicy::automatic ? WaitPolicy::nap : plan.wait),
      interrupted_(plan.interrupted),
      hub_(control_, Waiter(policy_)) {
  for (std::size_t i = 0; i < workers; ++i) own_.emplace_back(layout, plan.prefetch + 2);
  master_.set_run([this](const Frame& frame) { take(frame); }, [this] { return send_more(); },
                  [this](std::uint64_t token) { sent(token); });
  master_.line().send(Ready{run_});
  while (!first_worker_ && !is_over_) {
    master_.require_master();
    master_.loop().wait(1);
  }
  for (std::uint32_t i = 0; i < workers; ++i)
    workers_.push_back(std::make_unique<ChannelWorker>(WorkerId{first_worker_.value_or(0) + i}, i, control_,
                                                       shared_, policy_,
                                                       std::make_unique<InBuffers>(own_[i].buffers)));
}

WorkerSession::~WorkerSession() {
  master_.line().own_all();
  master_.end_run();
}

void WorkerSession::pump() {
  double beats_at_s = 0;
  while (!is_over_) {
    if (monotonic_s() >= beats_at_s) {
      beats_at_s = monotonic_s() + SilenceWatch::beat_s;
      master_.say_alive();
      tell_progress();
    }
    master_.loop().wait(
        control_.master_bell(), [this] { return hub_.has_report(); }, beats_at_s - monotonic_s());
    if (!is_over_) master_.require_master();
    send_reports();
    leave_if_interrupted();
  }
}

// What has been computed goes first; what is being computed is given to others.
void WorkerSession::leave_if_interrupted() {
  constexpr double farewell_s = 0.2;
  if (is_over_ || interrupted_ == nullptr || !interrupted_->load()) return;
  master_.line().send(Farewell{});
  for (const double end_s = monotonic_s() + farewell_s; !master_.line().is_empty() && monotonic_s() < end_s;)
    master_.loop().wait(1e-3);
  throw Error(ExitCode::interrupted, "interrupted",
              "the master gives to others what was to be computed here");
}

void WorkerSession::stop() {
  is_over_ = true;
  leaving_.clear();
  hub_.stop();
}

// --- What the master says

void WorkerSession::take(const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::begin:
      if (const auto begin = decode<Begin>(frame); begin.run == run_) first_worker_ = begin.first_worker;
      return;
    case FrameKind::stop:
      if (decode<Stop>(frame).run == run_) stop();
      return;
    case FrameKind::order:
      return take_order(decode<OrderMessage>(frame));
    case FrameKind::input:
      return take_input(decode<InputPart>(frame), frame.payload);
    case FrameKind::recall:
      return take_recall(decode<RecallMessage>(frame));
    case FrameKind::shared:
      return take_shared(decode<SharedPart>(frame), frame.payload);
    default:
      throw BadFrame("the master said what only a worker says");
  }
}

WorkerSession::Worker& WorkerSession::worker_of(const TaskName& task) {
  if (task.worker >= own_.size()) throw BadFrame("there is no such worker here");
  return own_[task.worker];
}

WorkerSession::Task* WorkerSession::find(const TaskName& task) {
  if (task.run != run_ || is_over_) return nullptr;
  Worker& worker = worker_of(task);
  const auto found = std::ranges::find(worker.tasks, task.id, &Task::id);
  return found == worker.tasks.end() ? nullptr : &*found;
}

void WorkerSession::take_order(const OrderMessage& order) {
  if (order.task.run != run_ || is_over_) return;
  Worker& worker = worker_of(order.task);
  const std::optional<std::uint32_t> buffer = worker.buffers.open(order.chunk);
  if (!buffer) throw BadFrame("the master gives more chunks than a worker may hold");
  Task& task = worker.tasks.emplace_back(Task{order.task.id, order.chunk, *buffer});
  task.asked_s = monotonic_s();
  hand_over(order.task.worker);
}

void WorkerSession::take_input(const InputPart& part, ByteView payload) {
  Task* task = find(part.task);
  if (task == nullptr) return;
  const std::span<std::byte> place = worker_of(part.task).buffers.input(task->buffer);
  if (task->turn || part.offset != task->received_bytes ||
      payload.size() > place.size() - task->received_bytes)
    throw BadFrame("an input came that was not announced");
  std::memcpy(place.data() + part.offset, payload.data(), payload.size());
  task->received_bytes += payload.size();
  if (task->received_bytes == place.size()) hand_over(part.task.worker);
}

// The worker gets its chunks in their order, each as soon as its input is here.
void WorkerSession::hand_over(std::uint32_t local) {
  for (Task& task : own_[local].tasks) {
    if (task.turn) continue;
    if (task.received_bytes < own_[local].buffers.input(task.buffer).size()) return;
    Order order{.id = task.id, .chunk = task.chunk, .place = task.buffer};
    order.received_s = monotonic_s();
    order.transfer_s = order.received_s - task.asked_s;
    task.turn = hub_.give(local, order);
    if (task.recall != Recall::none) hub_.recall(local, *task.turn, task.recall);
  }
}

void WorkerSession::take_recall(const RecallMessage& message) {
  Task* task = find(message.task);
  if (task == nullptr) return;
  task->recall = message.recall;
  if (task->turn) hub_.recall(message.task.worker, *task->turn, message.recall);
}

void WorkerSession::take_shared(const SharedPart& part, ByteView payload) {
  if (part.run != run_ || is_over_) return;
  if (part.piece >= shape_.pieces) throw BadFrame("there is no such piece of the shared input");
  const std::span<std::byte> piece = shared_.bytes(part.piece);
  if (shared_.is_ready(part.piece) || part.offset != shared_bytes_ ||
      payload.size() > piece.size() - shared_bytes_)
    throw BadFrame("the shared input came out of turn");
  std::memcpy(piece.data() + part.offset, payload.data(), payload.size());
  shared_bytes_ += payload.size();
  if (shared_bytes_ < piece.size()) return;
  shared_bytes_ = 0;
  shared_.mark_ready(part.piece);
}

// --- What the workers say

void WorkerSession::send_reports() {
  std::array<Event, 16> events;
  while (!is_over_) {
    const std::size_t count = hub_.poll(events);
    for (const Event& event : std::span(events).first(count))
      send_report(to_number(event.worker), event.report);
    if (count < events.size()) return;
  }
}

// What became of the worker's oldest chunk.
void WorkerSession::send_report(std::uint32_t local, const Report& report) {
  Worker& worker = own_[local];
  const Task task = worker.tasks.front();
  worker.tasks.pop_front();
  Leaving leaving{.buffer = task.buffer};
  leaving.report = {.task = {run_, local, task.id},
                    .what = report.kind,
                    .is_timed = static_cast<std::uint8_t>(report.is_timed),
                    .stamps = report.stamps};
  if (report.kind == Report::Kind::failed) {
    const Failure failure = hub_.take_failure(local);
    leaving.why = failure.text.data();
    leaving.report.failed_at = failure.at;
  } else if (report.kind == Report::Kind::done && task.recall != Recall::unwanted) {
    leaving.result = worker.buffers.output(task.buffer);
  }
  leaving.report.has_result = leaving.result.empty() ? 0 : 1;
  leaving_.push_back(std::move(leaving));
  master_.line().wants_to_send();
}

bool WorkerSession::send_more() {
  if (leaving_.empty()) return false;
  Leaving& leaving = leaving_.front();
  if (leaving.gone < leaving.result.size()) {
    const std::size_t bytes = std::min(most_payload_bytes, leaving.result.size() - leaving.gone);
    master_.line().send_in_place(ResultPart{leaving.report.task, leaving.gone},
                                 leaving.result.subspan(leaving.gone, bytes));
    leaving.gone += bytes;
    return true;
  }
  // The buffer is free when this has gone, which is before the master can answer it with another chunk.
  const std::uint64_t token = std::uint64_t{leaving.report.task.worker} << 32 | leaving.buffer;
  master_.line().send(leaving.report, std::as_bytes(std::span(leaving.why)), token);
  leaving_.pop_front();
  return true;
}

void WorkerSession::sent(std::uint64_t token) {
  if (!is_over_) own_[token >> 32].buffers.close(static_cast<std::uint32_t>(token));
}

void WorkerSession::tell_progress() {
  for (std::uint32_t local = 0; local < own_.size(); ++local) {
    const auto& said = *hub_.channel(local).progress;
    for (Task& task : own_[local].tasks) {
      const auto done = task.turn ? TaskSignals::progress_of(said, *task.turn) : std::nullopt;
      if (!done || std::exchange(task.told, done) == done) continue;
      master_.line().send(ProgressMessage{{run_, local, task.id}, *done});
    }
  }
}

class WorkerTransport final : public Transport {
 public:
  WorkerTransport(const NetworkOptions& network, std::size_t workers)
      : network_(network), workers_(workers), master_(network_, workers) {}

  std::string_view name() const override { return "tcp"; }
  bool has_ranks() const override { return true; }
  bool has_other_hosts() const override { return true; }
  bool comes_and_goes() const override { return true; }
  int rank() const override { return static_cast<int>(master_.rank()); }
  int ranks() const override { return rank() + 1; }
  int master_rank() const override { return 0; }
  std::size_t workers() const override { return workers_; }
  double clock_offset_s() const override { return master_.clock_offset_s(); }

  std::span<std::byte> resident(std::size_t) override { return {}; }
  std::span<std::byte> replicated(std::size_t bytes) override { return memory_.emplace_back(bytes).bytes(); }
  std::unique_ptr<Session> open(const RunPlan& plan, DataLayout& layout) override {
    return std::make_unique<WorkerSession>(master_, ++runs_, workers_, plan, layout);
  }
  std::string from_master(std::string) override { return master_.next_text(); }
  std::vector<std::string> to_master(std::string text, double) override {
    master_.answer(text);
    return {};
  }

 private:
  const NetworkOptions network_;
  std::size_t workers_;
  MasterLine master_;
  std::deque<PrivateMemory> memory_;
  std::uint32_t runs_ = 0;
};

}  // namespace
}  // namespace tcp

std::unique_ptr<Transport> make_tcp_worker(const NetworkOptions& network, std::size_t workers) {
  return std::make_unique<tcp::WorkerTransport>(network, workers);
}

}  // namespace loadshare
