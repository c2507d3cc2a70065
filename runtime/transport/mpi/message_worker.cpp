#include "runtime/transport/mpi/message_worker.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <thread>
#include <utility>

#include "runtime/host/clock.hpp"

namespace loadshare::mpi {

namespace {
// Longest nap while only the end of the run can arrive: how late it may be noticed.
constexpr double longest_rest_s = 20e-3;
// How often the master hears how far a long chunk is.
constexpr double tell_every_s = 0.2;
// Of a chunk that takes longer the other thread looks after the messages.
constexpr double short_chunk_s = 100e-6;

void sleep(double seconds) {
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}
}  // namespace

/// The worker's end of the channel, which carries the messages whenever its worker comes by.
class MessageWorker::CarryingEnd final : public WorkerEnd {
 public:
  CarryingEnd(MessageWorker& carrier, std::unique_ptr<WorkerEnd> end)
      : carrier_(carrier), end_(std::move(end)) {}

  WorkerId worker() const override { return end_->worker(); }
  bool has_next() override { return end_->has_next(); }
  bool is_fed_meanwhile() const override { return false; }
  std::optional<Task> next() override {
    carrier_.throw_if_failed();
    if (!end_->has_next()) carrier_.carry_until(*end_);
    return end_->next();
  }
  std::optional<Task> next_here() override {
    carrier_.throw_if_failed();
    return end_->next_here();
  }
  void done(const Task& task, const Stamps* stamps) override {
    end_->done(task, stamps);
    carrier_.carry_after_chunk(stamps == nullptr ? nullptr : &stamps->ended_s, end_->has_next());
  }
  void failed(const Task& task, std::string_view text, std::optional<Index> at) override {
    end_->failed(task, text, at);
    const double ended_s = monotonic_s();
    carrier_.carry_after_chunk(&ended_s, end_->has_next());
  }
  const std::atomic<std::uint32_t>& over() const override { return end_->over(); }
  SharedInput& shared_input() override { return end_->shared_input(); }

 private:
  MessageWorker& carrier_;
  std::unique_ptr<WorkerEnd> end_;
};

MessageWorker::MessageWorker(const Group& group, DataLayout& layout, ControlBlock& host_control,
                             SharedInput& shared, std::size_t prefetch, WorkerId worker, WaitPolicy policy,
                             double capacity)
    : group_(group),
      capacity_(capacity),
      host_control_(host_control),
      // One more than a worker may hold: a result may still be leaving when the master sends the next chunk.
      buffers_(layout, prefetch + 2),
      channel_shape_{.channels = 1, .prefetch = prefetch},
      channel_memory_(ControlBlock::bytes(channel_shape_)),
      channel_control_(channel_shape_, channel_memory_.bytes().data()),
      waiter_(WaitPolicy::nap),  // who spins is the one that computes
      channel_(channel_control_, waiter_),
      end_(std::make_unique<ChannelWorker>(worker, 0, channel_control_, shared, policy,
                                           std::make_unique<InBuffers>(buffers_))),
      orders_(group.master_rank(), Tag::order, group.all().get(), order_requests_, 0, Inbox<Order>::most),
      wait_(capacity, policy) {
  if (group.is_leader() && !group.is_on_masters_host(group.rank()) && !host_control.pieces().empty())
    relay_ = std::make_unique<SharedRelay>(group, shared);
}

std::unique_ptr<WorkerEnd> MessageWorker::take_end() {
  if (!group_.lets_threads_take_turns()) return std::move(end_);
  return std::make_unique<CarryingEnd>(*this, std::move(end_));
}

void MessageWorker::pump() {
  bool relays = relay_ != nullptr;  // to other hosts, which do not wait for this worker's chunk
  for (PollNap nap(capacity_);;) {
    if (!relays && is_carried_by_worker()) {
      nap.has_moved();
      rest();
      continue;
    }
    std::unique_lock turn(turn_);
    const bool has_moved = carry();
    if (is_quiet()) return;
    relays = relay_ && !relay_->is_done();
    const double most_s = expects_message() ? PollNap::longest_s : longest_rest_s;
    turn.unlock();
    if (has_moved)
      nap.has_moved();
    else
      doze(nap.next(most_s));
  }
}

// What the worker reports it carries itself, where it may. The channel's rings are for whose turn it is.
void MessageWorker::doze(double seconds) {
  if (!group_.lets_threads_take_turns()) return channel_.nap(seconds);
  needed_.sleep([] { return false; }, seconds);
}

// Returns whether anything has moved.
bool MessageWorker::carry() {
  bool has_moved = carry_results();
  has_moved |= relay_ && relay_->progress();
  has_moved |= take_orders();
  has_moved |= hand_over_inputs();
  tell_progress();
  return has_moved;
}

// First of all, for whoever looks for orders in vain may have to wait for its core.
bool MessageWorker::carry_results() {
  bool has_moved = send_reports();
  has_moved |= reap_sends();
  return has_moved;
}

bool MessageWorker::is_carried_by_worker() const {
  return worker_waits_.load(std::memory_order_relaxed) ||
         monotonic_s() - carried_at_s_.load(std::memory_order_relaxed) < short_chunk_s;
}

// To be woken costs the worker a system call, so for a moment nobody does.
void MessageWorker::rest() {
  sleep(PollNap::longest_s);
  const auto has_chunk = [this] { return !worker_waits_.load(std::memory_order_relaxed); };
  if (!has_chunk()) needed_.sleep(has_chunk, longest_rest_s);
}

// Whatever is thrown here, the chunk is done: it must not seem to have failed.
//
// `ended_s`: null for a chunk that was too short to be timed, as are all but some of many. Behind such, who
// has another does not look for orders, which costs as much as a chunk, nor at the clock.
void MessageWorker::carry_after_chunk(const double* ended_s, bool has_more) noexcept {
  try {
    const std::lock_guard turn(turn_);
    if (ended_s == nullptr && has_more)
      carry_results();
    else
      carry();
  } catch (...) {
    failure_ = std::current_exception();
  }
  if (ended_s != nullptr) carried_at_s_.store(*ended_s, std::memory_order_relaxed);
}

void MessageWorker::throw_if_failed() const {
  if (failure_) std::rethrow_exception(failure_);
}

/// By the worker, until there is something for it.
void MessageWorker::carry_until(WorkerEnd& end) {
  worker_waits_.store(true, std::memory_order_relaxed);
  double ordered_s = carried_at_s_.load(std::memory_order_relaxed);
  for (wait_.has_moved(); !end.has_next();) {
    bool has_moved = false;
    {
      const std::lock_guard turn(turn_);
      for (int look = wait_.looks_at_a_time(); look > 0 && !has_moved; --look) has_moved = carry();
      ordered_s = ordered_s_;
    }
    if (has_moved)
      wait_.has_moved();
    else if (!wait_.looks_again())
      sleep(wait_.next(wait_.patience_s()));
  }
  carried_at_s_.store(ordered_s, std::memory_order_relaxed);
  worker_waits_.store(false, std::memory_order_relaxed);
  needed_.ring();
}

// While it computes all that it may hold, looking at MPI would only take time from the computing.
bool MessageWorker::expects_message() const {
  const bool may_get_orders = computing_.size() < channel_shape_.prefetch + 1;
  return may_get_orders || !incoming_.empty() || !outgoing_.empty() || (relay_ && !relay_->is_done());
}

bool MessageWorker::take_orders() {
  if (is_stopped_) return false;
  if (order_requests_.take_completed([this](std::size_t key, int) { orders_.arrived(key); }))
    ordered_s_ = monotonic_s();
  bool has_any = false;
  for (; !is_stopped_ && orders_.has_next() && take_order(orders_.front()); has_any = true)
    if (!is_stopped_) orders_.pop();
  return has_any;
}

// Returns false when it must be tried again.
bool MessageWorker::take_order(const Order& order) {
  switch (order.kind) {
    case Order::Kind::chunk:
      return take_chunk(order);
    case Order::Kind::recall:
      return recall(order.id, Recall::not_begun), true;
    case Order::Kind::cancel:
      return recall(order.id, Recall::unwanted), true;
    case Order::Kind::stop:
      return stop(order), true;
  }
  return true;
}

void MessageWorker::recall(ChunkId id, Recall recall) {
  for (Incoming& incoming : incoming_)
    if (incoming.order.id == id) incoming.recall = recall;
  for (const Given& given : computing_)
    if (given.id == id) channel_.recall(0, given.turn, recall);
}

// Returns false where all buffers are in use until a result has left.
bool MessageWorker::take_chunk(const Order& order) {
  const std::optional<std::uint32_t> buffer = buffers_.open(order.chunk);
  if (!buffer) return false;
  Incoming& incoming = incoming_.emplace_back();
  incoming.order = order;
  incoming.order.place = *buffer;
  incoming.asked_s = ordered_s_;
  incoming.input.receive(buffers_.input(*buffer), group_.master_rank(), Tag::input, group_.all().get());
  return true;
}

bool MessageWorker::hand_over_inputs() {
  bool has_any = false;
  while (!incoming_.empty() && incoming_.front().input.is_complete()) {
    Order order = incoming_.front().order;
    const Recall recall = incoming_.front().recall;
    const bool has_input = !buffers_.input(static_cast<std::uint32_t>(order.place)).empty();
    order.received_s = has_input ? monotonic_s() : incoming_.front().asked_s;
    order.transfer_s = order.received_s - incoming_.front().asked_s + std::exchange(moving_s_, 0);
    incoming_.pop_front();
    has_any = true;
    if (is_stopped_) continue;
    const std::uint32_t turn = channel_.give(0, order);
    computing_.push_back({order.id, turn, static_cast<std::uint32_t>(order.place), order.chunk.size});
    if (recall != Recall::none) channel_.recall(0, turn, recall);
  }
  return has_any;
}

bool MessageWorker::send_reports() {
  std::array<Event, 16> events;
  const std::size_t count = channel_.poll(events);
  for (std::size_t i = 0; i < count && !is_stopped_; ++i) send_outcome(events[i].report);
  return count > 0;
}

MessageWorker::Outgoing& MessageWorker::send(const Report& report) {
  Outgoing& message = fresh_outgoing();
  message.report = report;
  message.buffer.reset();
  message.begun_s = 0;
  message.header.send(as_payload(message.report), group_.master_rank(), Tag::report, group_.all().get());
  return message;
}

MessageWorker::Outgoing& MessageWorker::fresh_outgoing() {
  if (spare_.empty()) return outgoing_.emplace_back();
  outgoing_.splice(outgoing_.end(), spare_, spare_.begin());
  return outgoing_.back();
}

// What became of the oldest chunk here.
void MessageWorker::send_outcome(const Report& report) {
  Outgoing& message = send(report);
  message.buffer = computing_.front().buffer;
  computing_.pop_front();
  if (report.kind == Report::Kind::failed) {
    message.failure = channel_.take_failure(0);
    message.payload.send(as_payload(message.failure), group_.master_rank(), Tag::failure, group_.all().get());
  } else if (report.kind == Report::Kind::done) {
    const std::span<const std::byte> result = buffers_.output(*message.buffer);
    if (!result.empty()) message.begun_s = monotonic_s();
    message.payload.send(result, group_.master_rank(), Tag::result, group_.all().get());
  }
}

void MessageWorker::tell_progress() {
  if (computing_.empty() || is_stopped_) return;
  const auto& said = *channel_.channel(0).progress;
  const auto spoken_of = std::ranges::find_if(
      computing_, [&](const Given& given) { return TaskSignals::progress_of(said, given.turn).has_value(); });
  if (spoken_of == computing_.end()) return;
  const Index done = *TaskSignals::progress_of(said, spoken_of->turn);
  const Told now{spoken_of->turn, done};
  if (now == told_ || monotonic_s() < tells_at_s_) return;
  told_ = now;
  tells_at_s_ = monotonic_s() + tell_every_s;
  const double share = static_cast<double>(done) / static_cast<double>(spoken_of->iterations);
  send({.id = spoken_of->id, .kind = Report::Kind::progressed, .share_done = static_cast<float>(share)});
}

bool MessageWorker::reap_sends() {
  const std::size_t before = outgoing_.size();
  for (auto next = outgoing_.begin(); next != outgoing_.end();) {
    const auto message = next++;
    if (!message->is_complete()) continue;
    if (message->buffer) {
      if (message->begun_s > 0) moving_s_ += monotonic_s() - message->begun_s;
      buffers_.close(*message->buffer);
    }
    spare_.splice(spare_.end(), outgoing_, message);
  }
  return outgoing_.size() < before;
}

// Results that are not sent by now are not wanted. The worker's thread finishes what it computes.
void MessageWorker::stop(const Order& order) {
  is_stopped_ = true;
  order_requests_.cancel();  // nothing comes behind this one
  channel_.stop();
  host_control_.over().store(1, std::memory_order_release);
  if (relay_) relay_->stop(SharedEnd::from(order));
  Report bye;
  bye.kind = Report::Kind::bye;
  send(bye);
  needed_.ring();
}

bool MessageWorker::is_quiet() const {
  return is_stopped_ && incoming_.empty() && outgoing_.empty() && (!relay_ || relay_->is_done());
}

}  // namespace loadshare::mpi
