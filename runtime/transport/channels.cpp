#include "runtime/transport/channels.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "runtime/host/clock.hpp"

namespace loadshare {

namespace {
// Long enough not to matter to an idle host; a lost wake-up or a signal is noticed within it.
constexpr double sleep_limit_s = 0.1;
constexpr double failure_look_s =
    1e-3;  // whether the master has taken the last failure: nobody wakes for that
constexpr double progress_look_s = 0.05;
std::atomic<std::uint32_t>& recall_of(const ChannelMemory& channel, std::uint32_t turn) {
  return channel.recalls[turn & (channel.capacity - 1)];
}

}  // namespace

ChannelWorker::ChannelWorker(WorkerId worker, std::size_t channel, ControlBlock& control, SharedInput& shared,
                             WaitPolicy policy, std::unique_ptr<Placement> placement)
    : worker_(worker),
      channel_(control.channel(channel)),
      control_(control),
      shared_(shared),
      waiter_(policy),
      placement_(std::move(placement)),
      orders_(channel_.orders, channel_.capacity),
      reports_(channel_.reports, channel_.capacity) {}

// What was recalled before it was begun goes back, once what was taken before it is reported: both ends
// know a chunk by its turn.
bool ChannelWorker::has_next() {
  for (; orders_.has_message(); orders_.pop()) {
    const Order& order = orders_.front();
    const bool is_recalled =
        order.kind == Order::Kind::chunk && channel_.signals(orders_.turn()).is_recalled();
    if (!is_recalled || is_over()) return true;
    if (unreported_ > 0) return false;
    report({.id = order.id, .kind = Report::Kind::handed_back});
  }
  return false;
}

// The wait and the loop use the same condition. If the wait used one that can hold while there is nothing to
// take, the loop would neither sleep nor return.
std::optional<Task> ChannelWorker::next() {
  for (;;) {
    while (!has_next())
      waiter_.wait(
          *channel_.worker_bell, [this] { return has_next(); }, sleep_limit_s);
    // The stop lies behind the chunks that are queued; once the run is over nobody waits for those.
    if (is_over() || orders_.front().kind == Order::Kind::stop) return std::nullopt;
    if (std::optional<Task> task = take()) return task;
  }
}

// Leaves a stop in the queue, for `next`.
std::optional<Task> ChannelWorker::next_here() {
  while (has_next() && !is_over() && orders_.front().kind == Order::Kind::chunk)
    if (std::optional<Task> task = take()) return task;
  return std::nullopt;
}

/// Takes the chunk at the front; nothing if it fails immediately, which is reported.
std::optional<Task> ChannelWorker::take() {
  Task task;
  task.signals = channel_.signals(orders_.turn());
  const Order order = orders_.pop();
  task.id = order.id;
  task.chunk = order.chunk;
  task.transfer_s = order.transfer_s;
  task.received_s = order.received_s;
  ++unreported_;
  return find_memory(task, order) ? std::optional(task) : std::nullopt;
}

// Where the chunk's data lies, the application says, which may throw.
bool ChannelWorker::find_memory(Task& task, const Order& order) {
  try {
    task.input = placement_->input(order);
    task.output = placement_->output(order);
    return true;
  } catch (...) {
    failed(task, current_what(), {});
    return false;
  }
}

void ChannelWorker::done(const Task& task, const Stamps* stamps) {
  --unreported_;
  Report message{.id = task.id};
  if (stamps != nullptr) {
    message.is_timed = 1;
    message.stamps = *stamps;
  }
  report(message);
}

void ChannelWorker::failed(const Task& task, std::string_view text, std::optional<Index> at) {
  --unreported_;
  FailureSlot& slot = *channel_.failure;
  while (slot.is_full.load(std::memory_order_acquire) != 0 && !is_over())
    futex_wait(slot.is_full, 1, failure_look_s);
  slot.failure = Failure::of(text, at);
  slot.is_full.store(1, std::memory_order_release);
  report({.id = task.id, .kind = Report::Kind::failed});
}

void ChannelWorker::report(const Report& message) {
  reports_.push(message);
  control_.master_bell().ring();
}

ChannelHub::ChannelHub(ControlBlock& control, Waiter waiter) : control_(control), waiter_(waiter) {
  for (std::size_t i = 0; i < control.channels(); ++i) {
    orders_.emplace_back(control.channel(i).orders, control.channel(i).capacity);
    reports_.emplace_back(control.channel(i).reports, control.channel(i).capacity);
  }
}

std::size_t ChannelHub::poll(std::span<Event> events) {
  std::size_t count = 0;
  for (std::size_t looked = 0; looked < reports_.size() && count < events.size(); ++looked) {
    const std::size_t channel = next_;
    if (++next_ == reports_.size()) next_ = 0;
    if (!reports_[channel].has_message()) continue;
    Event& event = events[count++];  // field by field: a whole event costs a twentieth of a short chunk
    event.worker = WorkerId{static_cast<std::uint32_t>(channel)};
    event.report = reports_[channel].pop();
    event.kind = Event::Kind::reported;
    event.newcomer.reset();
    event.failure.reset();
  }
  return count;
}

bool ChannelHub::has_report() const {
  return std::ranges::any_of(reports_, [](const auto& ring) { return ring.has_message(); });
}

std::uint32_t ChannelHub::give(std::size_t channel, const Order& order) {
  const std::uint32_t turn = orders_[channel].turn();
  // Written only where it says something, so that the line stays in the worker's cache, too.
  auto& recalled = recall_of(control_.channel(channel), turn);
  if (recalled.load(std::memory_order_relaxed) != 0) recalled.store(0, std::memory_order_relaxed);
  orders_[channel].push(order);
  control_.channel(channel).worker_bell->ring();
  return turn;
}

void ChannelHub::recall(std::size_t channel, std::uint32_t turn, Recall recall) {
  recall_of(control_.channel(channel), turn)
      .store(static_cast<std::uint32_t>(recall), std::memory_order_relaxed);
}

void ChannelHub::stop() {
  control_.over().store(1, std::memory_order_release);
  Order order;
  order.kind = Order::Kind::stop;
  for (std::size_t channel = 0; channel < orders_.size(); ++channel) give(channel, order);
}

Failure ChannelHub::take_failure(std::size_t channel) {
  FailureSlot& slot = *control_.channel(channel).failure;
  const Failure failure = slot.failure;
  slot.is_full.store(0, std::memory_order_release);
  return failure;
}

void ChannelHub::wait(double limit_s) {
  waiter_.wait(
      control_.master_bell(), [this] { return has_report(); }, limit_s);
}

void ChannelHub::nap(double limit_s) {
  const auto is_ready = [this] { return has_report(); };
  if (waiter_.may_sleep())
    control_.master_bell().sleep(is_ready, limit_s);
  else
    waiter_.wait(control_.master_bell(), is_ready, 0);
}

ChannelMaster::ChannelMaster(ControlBlock& control, Waiter waiter, DataLayout& layout,
                             std::span<std::byte> aside)
    : hub_(control, waiter), layout_(layout), aside_(aside) {
  for (std::size_t channel = 0; channel < control.channels(); ++channel)
    given_.emplace_back(control.channel(channel).capacity);
}

// A worker gets its chunks in their order.
void ChannelMaster::give(std::size_t channel, const Assignment& assignment) {
  const bool must_wait = std::ranges::find(parked_, channel, &Parked::channel) != parked_.end();
  if (must_wait || !try_give(channel, assignment)) parked_.push_back({channel, assignment});
}

bool ChannelMaster::try_give(std::size_t channel, const Assignment& assignment) {
  Order order{.id = assignment.id, .chunk = assignment.chunk};
  if (assignment.landing == Landing::aside) {
    if (const std::size_t bytes = layout_.output_bytes(assignment.chunk); bytes > 0) {
      const std::optional<std::size_t> place = aside_.take(bytes);
      if (!place) return false;
      order.place = *place;
    }
  }
  const std::uint32_t turn = hub_.give(channel, order);
  given_[channel][turn & (given_[channel].size() - 1)] = {order.id, turn, order.chunk, order.place};
  return true;
}

ChannelMaster::Given* ChannelMaster::find(std::size_t channel, ChunkId id) {
  const auto found = std::ranges::find(given_[channel], id, &Given::id);
  return found == given_[channel].end() ? nullptr : &*found;
}

void ChannelMaster::recall(std::size_t channel, ChunkId id, Recall recall) {
  if (const Given* given = find(channel, id)) hub_.recall(channel, given->turn, recall);
  for (Parked& parked : parked_)
    if (parked.channel == channel && parked.assignment.id == id) parked.recall = recall;
}

void ChannelMaster::publish(std::size_t channel, ChunkId id, Chunk part) {
  const Given* given = find(channel, id);
  if (given == nullptr || given->place == Order::in_place) return;
  bring_to_place(layout_, given->chunk, part, aside_.place(given->place, layout_.output_bytes(given->chunk)));
}

void ChannelMaster::release(std::size_t channel, ChunkId id) {
  Given* given = find(channel, id);
  if (given == nullptr || given->place == Order::in_place) return;
  aside_.give_back(std::exchange(given->place, Order::in_place), layout_.output_bytes(given->chunk));
  for (; !parked_.empty(); parked_.pop_front()) {
    const auto [waiting, assignment, recalled] = parked_.front();
    if (!try_give(waiting, assignment)) break;
    if (recalled != Recall::none) hub_.recall(waiting, find(waiting, assignment.id)->turn, recalled);
  }
}

std::size_t ChannelMaster::poll(std::span<Event> events, std::span<const WorkerId> by_channel) {
  std::size_t count = hub_.poll(events);
  for (Event& event : events.first(count)) {
    const std::uint32_t channel = to_number(event.worker);
    if (event.report.kind == Report::Kind::failed)
      event.failure = std::make_shared<const Failure>(hub_.take_failure(channel));
    event.worker = by_channel[channel];
  }
  for (; count < events.size() && !progress_.empty(); progress_.pop_front()) {
    events[count] = progress_.front();
    events[count++].worker = by_channel[to_number(progress_.front().worker)];
  }
  return count;
}

void ChannelMaster::look() {
  if (given_.empty()) return;
  const double now_s = monotonic_s();
  if (now_s < looks_at_s_) return;
  looks_at_s_ = now_s + progress_look_s;
  progress_.clear();
  for (std::size_t channel = 0; channel < given_.size(); ++channel) look_at(channel);
}

void ChannelMaster::look_at(std::size_t channel) {
  for (const Given& given : given_[channel]) {
    const auto done = TaskSignals::progress_of(*hub_.channel(channel).progress, given.turn);
    if (!done) continue;
    progress_.push_back({.worker = WorkerId{static_cast<std::uint32_t>(channel)},
                         .report = {.id = given.id},
                         .kind = Event::Kind::progressed,
                         .done = *done});
    return;
  }
}

}  // namespace loadshare
