#include "runtime/transport/channels.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace loadshare {

namespace {
// Long enough not to matter to an idle host; a lost wake-up or a signal is noticed within it.
constexpr double sleep_limit_s = 0.1;
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

std::optional<Task> ChannelWorker::next() {
  while (!orders_.has_message())
    waiter_.wait(
        *channel_.worker_bell, [this] { return orders_.has_message(); }, sleep_limit_s);
  const Order order = orders_.pop();
  // The stop lies behind the chunks that are queued; once the run is over nobody waits for those.
  const bool is_over = control_.over().load(std::memory_order_acquire) != 0;
  if (is_over || order.kind == Order::Kind::stop) return std::nullopt;
  return Task{order.id,         order.chunk,     placement_->input(order), placement_->output(order),
              order.transfer_s, order.received_s};
}

void ChannelWorker::done(const Task& task, const Stamps* stamps) {
  Report message;
  message.id = task.id;
  message.kind = placement_->publish(task.chunk, task.output) ? Report::Kind::done : Report::Kind::dropped;
  if (stamps != nullptr) {
    message.is_timed = 1;
    message.stamps = *stamps;
  }
  report(message);
}

void ChannelWorker::failed(std::string_view text) {
  const std::size_t length = std::min(text.size(), failure_text_bytes - 1);
  std::memcpy(channel_.failure_text, text.data(), length);
  channel_.failure_text[length] = '\0';
  Report message;
  message.kind = Report::Kind::failed;
  report(message);
}

void ChannelWorker::report(const Report& message) {
  reports_.push(message);
  control_.master_bell().ring();
}

std::unique_ptr<Placement> make_shared_placement(const RunPlan& plan, DataLayout& layout,
                                                 ControlBlock& control) {
  if (plan.reissue == Reissue::on) return std::make_unique<FirstWins>(layout, control);
  return std::make_unique<InPlace>(layout);
}

ChannelHub::ChannelHub(ControlBlock& control, Waiter waiter) : control_(control), waiter_(waiter) {
  for (std::size_t i = 0; i < control.channels(); ++i) {
    orders_.emplace_back(control.channel(i).orders, control.channel(i).capacity);
    reports_.emplace_back(control.channel(i).reports, control.channel(i).capacity);
  }
}

std::size_t ChannelHub::poll(std::span<Event> events) {
  std::size_t count = 0;
  for (std::size_t channel = 0; channel < reports_.size(); ++channel)
    while (count < events.size() && reports_[channel].has_message())
      events[count++] = {WorkerId{static_cast<std::uint32_t>(channel)}, reports_[channel].pop()};
  return count;
}

bool ChannelHub::has_report() const {
  return std::ranges::any_of(reports_, [](const auto& ring) { return ring.has_message(); });
}

void ChannelHub::give(std::size_t channel, const Order& order) {
  orders_[channel].push(order);
  control_.channel(channel).worker_bell->ring();
}

void ChannelHub::stop() {
  control_.over().store(1, std::memory_order_release);
  Order order;
  order.kind = Order::Kind::stop;
  for (std::size_t channel = 0; channel < orders_.size(); ++channel) give(channel, order);
}

std::string ChannelHub::failure_text(std::size_t channel) const {
  return control_.channel(channel).failure_text;
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

}  // namespace loadshare
