#include "runtime/transport/tcp/worker_session.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>
#include <new>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "runtime/transport/tcp/silence.hpp"

namespace loadshare::tcp {
namespace {

/// Of a chunk that takes longer the session's own thread looks after the messages; shorter ones leave
/// together.
constexpr double short_chunk_s = 100e-6, prompt_s = 20e-6;
constexpr double beats_a_lease = 8;

}  // namespace

/// A worker's end of its channel, which carries the messages whenever its worker comes by.
class WorkerSession::CarryingEnd final : public WorkerEnd {
 public:
  CarryingEnd(WorkerSession& session, std::unique_ptr<WorkerEnd> end)
      : session_(session), end_(std::move(end)) {}

  WorkerId worker() const override { return end_->worker(); }
  bool has_next() override { return end_->has_next(); }
  bool is_fed_meanwhile() const override { return false; }
  std::optional<Task> next() override {
    session_.throw_if_failed();
    if (!end_->has_next()) session_.carry_until(*end_);
    return end_->next();
  }
  std::optional<Task> next_here() override {
    session_.throw_if_failed();
    return end_->next_here();
  }
  void done(const Task& task, const Stamps* stamps) override {
    end_->done(task, stamps);
    session_.carry_after_chunk(*end_);
  }
  void failed(const Task& task, std::string_view text, std::optional<Index> at) override {
    end_->failed(task, text, at);
    session_.carry_after_chunk(*end_);
  }
  const std::atomic<std::uint32_t>& over() const override { return end_->over(); }
  SharedInput& shared_input() override { return end_->shared_input(); }

 private:
  WorkerSession& session_;
  std::unique_ptr<WorkerEnd> end_;
};

WorkerSession::WorkerSession(MasterLine& master, SharedCopies& copies, std::uint32_t run, std::size_t workers,
                             const RunPlan& plan, DataLayout& layout)
    : master_(master),
      copies_(copies),
      run_(run),
      iterations_(plan.iterations),
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
  const HeldAt here = copies_.held_at(layout.shared_input());
  master_.line().send(Ready{run_, here.process, here.address});
  while (!first_worker_ && !is_over_) master_.wait_for_master();
  for (std::uint32_t i = 0; i < workers; ++i)
    workers_.push_back(std::make_unique<ChannelWorker>(WorkerId{first_worker_.value_or(0) + i}, i, control_,
                                                       shared_, policy_,
                                                       std::make_unique<InBuffers>(own_[i].buffers)));
  if (workers == 1) workers_[0] = std::make_unique<CarryingEnd>(*this, std::move(workers_[0]));
}

WorkerSession::~WorkerSession() {
  master_.leave_run();
}

void WorkerSession::pump() {
  while (!is_over_) {
    if (is_carried_by_worker()) {
      rest();
      continue;
    }
    const std::lock_guard turn(turn_);
    if (!is_over_) carry(WaitPolicy::nap);
  }
}

bool WorkerSession::is_carried_by_worker() const {
  return own_.size() == 1 &&
         (worker_waits_.load(std::memory_order_relaxed) || since_carried_s() < short_chunk_s);
}

// To be woken costs the worker a system call, so for a moment nobody does.
void WorkerSession::rest() {
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const auto has_chunk = [this] { return !worker_waits_.load(std::memory_order_relaxed); };
  if (!has_chunk()) needed_.sleep(has_chunk, SilenceWatch::beat_s);
}

/// Waits by the policy for messages or reports, and deals with them.
void WorkerSession::carry(WaitPolicy policy) {
  beat();
  send_reports();
  const auto has_report = [this] { return hub_.has_report(); };
  if (policy == WaitPolicy::nap) {
    master_.loop().wait(control_.master_bell(), has_report, beats_at_s_ - monotonic_s());
  } else {
    sched_yield();
    master_.loop().poll();
  }
  if (!is_over_) master_.require_master();
  renew_lease();
  send_reports();
  leave_if_it_must();
}

void WorkerSession::beat() {
  const double now_s = monotonic_s();
  if (now_s < beats_at_s_) return;
  is_idle_ = std::ranges::all_of(own_, [](const Worker& worker) { return worker.tasks.empty(); });
  const double beat_s = is_idle_ ? SilenceWatch::idle_beat_s : SilenceWatch::beat_s;
  beats_at_s_ = now_s + (lease_ ? std::min(beat_s, lease_s_ / beats_a_lease) : beat_s);
  if (is_idle_ && !lease_) return master_.say_idle();
  master_.say_alive();
  tell_progress();
}

/// Renews the lease by the answers that have arrived.
void WorkerSession::renew_lease() {
  if (!lease_ || is_over_) return;
  lease_->renew(master_.lease_from_s());
  if (!std::exchange(awaits_lease_, false)) return;
  for (std::uint32_t local = 0; local < own_.size(); ++local) hand_over(local);
}

/// By the worker, until there is something for it. What its chunks left leaves now.
void WorkerSession::carry_until(WorkerEnd& end) {
  worker_waits_.store(true, std::memory_order_relaxed);
  {
    const std::lock_guard turn(turn_);  // who has it is woken by the last chunk's report
    await_rest(end);
    while (!end.has_next()) carry(policy_);
  }
  carried_at_s_.store(monotonic_s(), std::memory_order_relaxed);
  worker_waits_.store(false, std::memory_order_relaxed);
  needed_.ring();
}

// What leaves in two messages comes back in two, for ever: so of short chunks those that are still on their
// way are awaited for a moment.
void WorkerSession::await_rest(WorkerEnd& end) {
  const auto lacks_some = [this] { return own_[0].tasks.size() <= shape_.prefetch; };
  while (!is_over_ && lacks_some() && since_carried_s() < prompt_s) {
    master_.loop().look();
    if (end.has_next()) return master_.loop().send();  // that it is begun, too
  }
}

// Where another chunk is here, and this one was short, what it left goes together with the next one's.
// Whatever is thrown here, the chunk is done: it must not seem to have failed.
void WorkerSession::carry_after_chunk(WorkerEnd& end) noexcept {
  if (!end.has_next() || since_carried_s() < prompt_s) return;
  try {
    const std::unique_lock turn(turn_, std::try_to_lock);
    if (!turn) return;  // who has it was woken by the report
    send_reports();
    if (lease_ && !is_over_) beat();
    if (!is_over_) master_.loop().poll();
    renew_lease();
  } catch (...) {
    failure_ = std::current_exception();
  }
  carried_at_s_.store(monotonic_s(), std::memory_order_relaxed);
}

void WorkerSession::throw_if_failed() const {
  if (failure_) std::rethrow_exception(failure_);
}

// What has been computed goes first, as much as can in a moment; the rest is given to others, as is what is
// being computed, and nobody is blamed.
void WorkerSession::leave_if_it_must() {
  constexpr double results_s = 0.2;
  if (interrupted_ != nullptr && interrupted_->load())
    must_leave_.emplace(ExitCode::interrupted, "interrupted",
                        "the master gives the chunks of this process to other workers");
  if (is_over_ || !must_leave_) return;
  const double end_s = monotonic_s() + results_s;
  while (!leaving_.empty() && monotonic_s() < end_s) master_.loop().wait(1e-3);
  leaving_.clear();
  master_.say_farewell();
  throw *must_leave_;
}

// No thread carries messages any more, so the chunks computed here are computed again elsewhere.
void WorkerSession::leave() {
  stop();
  master_.say_farewell();
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
      return take_begin(decode<Begin>(frame));
    case FrameKind::stop:
      if (decode<Stop>(frame).run == run_) stop();
      return;
    case FrameKind::order:
      return take_order(decode<OrderMessage>(frame));
    case FrameKind::input:
      return take_input(decode<InputPart>(frame), frame.payload);
    case FrameKind::recall:
      return take_recall(decode<RecallMessage>(frame));
    case FrameKind::offer:
      return take_offer(decode<SharedOffer>(frame));
    case FrameKind::shared:
      return take_shared(decode<SharedPart>(frame), frame.payload);
    default:
      throw BadFrame("the master sent a message that only a worker sends");
  }
}

void WorkerSession::take_begin(const Begin& begin) {
  if (begin.run != run_ || first_worker_) return;
  first_worker_ = begin.first_worker;
  lease_s_ = begin.lease_s;
  if (lease_s_ > 0)
    lease_.emplace(
        lease_s_, [this] { control_.over().store(1, std::memory_order_release); },
        [this] { master_.end_computing(); });
}

WorkerSession::Worker& WorkerSession::worker_of(const TaskName& task) {
  if (task.worker >= own_.size()) throw BadFrame("there is no such worker here");
  return own_[task.worker];
}

WorkerSession::Taken* WorkerSession::find(const TaskName& task) {
  if (task.run != run_ || is_over_) return nullptr;
  Worker& worker = worker_of(task);
  const auto found = std::ranges::find(worker.tasks, task.id, &Taken::id);
  return found == worker.tasks.end() ? nullptr : &*found;
}

void WorkerSession::take_order(const OrderMessage& order) try {
  if (order.task.run != run_ || is_over_ || must_leave_) return;
  const Index first = order.chunk.first, size = order.chunk.size;
  if (first < 0 || size < 1 || first > iterations_ || size > iterations_ - first)
    throw BadFrame("the master gives a chunk that the loop does not have");
  Worker& worker = worker_of(order.task);
  const std::optional<std::uint32_t> buffer = worker.buffers.open(order.chunk);
  if (!buffer) throw BadFrame("the master gives more chunks than a worker may hold");
  Taken& task = worker.tasks.emplace_back(Taken{order.task.id, order.chunk, *buffer});
  task.asked_s = master_.loop().turned_s();
  if (std::exchange(is_idle_, false)) beats_at_s_ = 0;
  hand_over(order.task.worker);
} catch (const std::bad_alloc&) {
  must_leave_.emplace(ExitCode::run_failed, "no memory for a chunk's data", "the system refused it",
                      "the master gives the chunk to another worker");
}

void WorkerSession::take_input(const InputPart& part, ByteView payload) {
  Taken* task = find(part.task);
  if (task == nullptr) return;
  const std::span<std::byte> place = worker_of(part.task).buffers.input(task->buffer);
  if (task->turn || part.offset != task->received_bytes ||
      payload.size() > place.size() - task->received_bytes)
    throw BadFrame("an input arrived that was not announced");
  std::memcpy(place.data() + part.offset, payload.data(), payload.size());
  task->received_bytes += payload.size();
  if (task->received_bytes == place.size()) hand_over(part.task.worker);
}

// The worker gets its chunks in their order, each as soon as its input has arrived. If an order was long on
// its way, or this process was stopped before it read the order, another worker may have the chunk.
void WorkerSession::hand_over(std::uint32_t local) {
  if (lease_ && !lease_->is_valid()) {
    awaits_lease_ = true;
    return;
  }
  for (Taken& task : own_[local].tasks) {
    if (task.turn) continue;
    if (task.received_bytes < own_[local].buffers.input(task.buffer).size()) break;
    Order order{.id = task.id, .chunk = task.chunk, .place = task.buffer};
    order.received_s = master_.loop().turned_s();
    order.transfer_s = order.received_s - task.asked_s;
    if (lease_) lease_->took();
    task.turn = hub_.give(local, order);
    if (task.recall != Recall::none) hub_.recall(local, *task.turn, task.recall);
  }
  tell_begun(local);
}

// The worker's oldest chunk, where the master cannot know that its input has come.
void WorkerSession::tell_begun(std::uint32_t local) {
  std::deque<Taken>& tasks = own_[local].tasks;
  if (tasks.empty() || !tasks.front().turn || tasks.front().told) return;
  Taken& task = tasks.front();
  if (task.received_bytes <= short_input_bytes) return;
  task.told = 0;
  master_.line().send(ProgressMessage{{run_, local, task.id}, 0});
}

void WorkerSession::take_recall(const RecallMessage& message) {
  Taken* task = find(message.task);
  if (task == nullptr) return;
  task->recall = message.recall;
  if (task->turn) hub_.recall(message.task.worker, *task->turn, message.recall);
}

std::span<std::byte> WorkerSession::absent_piece(std::uint64_t number) {
  if (number >= shape_.pieces || shared_.is_ready(number))
    throw BadFrame("the shared input has no such piece, or it has arrived before");
  return shared_.bytes(number);
}

void WorkerSession::take_offer(const SharedOffer& offer) {
  if (offer.run != run_ || is_over_) return;
  const ContentHash hash{offer.hash_low, offer.hash_high};
  if (copies_.fetch(hash, absent_piece(offer.piece), {offer.process, offer.address}))
    return have_shared(offer.piece);
  wanted_[offer.piece] = hash;
  master_.line().send(SharedAnswer{run_, offer.piece, 0});
}

void WorkerSession::have_shared(std::uint64_t piece) {
  shared_.mark_ready(piece);
  master_.line().send(SharedAnswer{run_, piece, 1});
}

void WorkerSession::take_shared(const SharedPart& part, ByteView payload) {
  if (part.run != run_ || is_over_) return;
  const std::span<std::byte> piece = absent_piece(part.piece);
  const auto wanted = wanted_.find(part.piece);
  if (wanted == wanted_.end() || part.offset != shared_bytes_ ||
      payload.size() > piece.size() - shared_bytes_)
    throw BadFrame("the shared input arrived out of turn");
  std::memcpy(piece.data() + part.offset, payload.data(), payload.size());
  shared_bytes_ += payload.size();
  if (shared_bytes_ < piece.size()) return;
  shared_bytes_ = 0;
  copies_.remember(wanted->second, piece);
  wanted_.erase(wanted);
  have_shared(part.piece);
}

// --- What the workers say

void WorkerSession::send_reports() {
  std::array<Event, 16> events;
  while (!is_over_) {
    const std::size_t count = hub_.poll(events);  // one a worker, however many there are
    // A body that was cancelled leaves half a result.
    if (count == 0 || has_lease_run_out()) return;
    for (const Event& event : std::span(events).first(count))
      send_report(to_number(event.worker), event.report);
  }
}

// What became of the worker's oldest chunk.
void WorkerSession::send_report(std::uint32_t local, const Report& report) {
  Worker& worker = own_[local];
  const Taken task = worker.tasks.front();
  worker.tasks.pop_front();
  if (lease_) lease_->gave_back();
  tell_begun(local);
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
    for (Taken& task : own_[local].tasks) {
      const auto done = task.turn ? TaskSignals::progress_of(said, *task.turn) : std::nullopt;
      if (!done || std::exchange(task.told, done) == done) continue;
      master_.line().send(ProgressMessage{{run_, local, task.id}, *done});
    }
  }
}

}  // namespace loadshare::tcp
