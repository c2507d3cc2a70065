#include "runtime/transport/lanes.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

namespace loadshare {

namespace {
// Long enough not to matter to an idle host; a lost wake-up or a signal is noticed within it.
constexpr double sleep_limit_s = 0.1;
}  // namespace

LaneWorker::LaneWorker(WorkerId worker, std::size_t lane, ControlBlock& control, SharedInput& shared,
                       WaitPolicy policy, std::unique_ptr<Placement> placement)
    : worker_(worker),
      lane_(control.lane(lane)),
      control_(control),
      shared_(shared),
      waiter_(policy),
      placement_(std::move(placement)),
      orders_(lane_.orders, lane_.capacity),
      reports_(lane_.reports, lane_.capacity) {}

std::optional<Task> LaneWorker::next() {
  while (!orders_.has_message())
    waiter_.wait(
        *lane_.worker_bell, [this] { return orders_.has_message(); }, sleep_limit_s);
  const Order order = orders_.pop();
  // The stop lies behind the chunks that are queued; once the run is over nobody waits for those.
  const bool is_over = control_.over().load(std::memory_order_acquire) != 0;
  if (is_over || order.kind == Order::Kind::stop) return std::nullopt;
  return Task{order.id,         order.chunk,     placement_->input(order), placement_->output(order),
              order.transfer_s, order.received_s};
}

void LaneWorker::done(const Task& task, const Stamps* stamps) {
  Report message;
  message.id = task.id;
  message.kind = placement_->settle(task.chunk, task.output) ? Report::Kind::done : Report::Kind::dropped;
  if (stamps != nullptr) {
    message.is_timed = 1;
    message.stamps = *stamps;
  }
  report(message);
}

void LaneWorker::failed(std::string_view text) {
  const std::size_t length = std::min(text.size(), failure_text_bytes - 1);
  std::memcpy(lane_.failure_text, text.data(), length);
  lane_.failure_text[length] = '\0';
  Report message;
  message.kind = Report::Kind::failed;
  report(message);
}

void LaneWorker::report(const Report& message) {
  reports_.push(message);
  control_.master_bell().ring();
}

std::unique_ptr<Placement> make_shared_placement(const RunPlan& plan, Cargo& cargo, ControlBlock& control) {
  if (plan.reissue == Reissue::on) return std::make_unique<FirstWins>(cargo, control);
  return std::make_unique<InPlace>(cargo);
}

LaneHub::LaneHub(ControlBlock& control, Waiter waiter) : control_(control), waiter_(waiter) {
  for (std::size_t i = 0; i < control.lanes(); ++i) {
    orders_.emplace_back(control.lane(i).orders, control.lane(i).capacity);
    reports_.emplace_back(control.lane(i).reports, control.lane(i).capacity);
  }
}

std::size_t LaneHub::poll(std::span<Event> events) {
  std::size_t count = 0;
  for (std::size_t lane = 0; lane < reports_.size(); ++lane)
    while (count < events.size() && reports_[lane].has_message())
      events[count++] = {WorkerId{static_cast<std::uint32_t>(lane)}, reports_[lane].pop()};
  return count;
}

bool LaneHub::has_report() const {
  return std::ranges::any_of(reports_, [](const auto& ring) { return ring.has_message(); });
}

void LaneHub::give(std::size_t lane, const Order& order) {
  orders_[lane].push(order);
  control_.lane(lane).worker_bell->ring();
}

void LaneHub::stop() {
  control_.over().store(1, std::memory_order_release);
  Order order;
  order.kind = Order::Kind::stop;
  for (std::size_t lane = 0; lane < orders_.size(); ++lane) give(lane, order);
}

std::string LaneHub::failure_text(std::size_t lane) const {
  return control_.lane(lane).failure_text;
}

void LaneHub::wait(double limit_s) {
  waiter_.wait(
      control_.master_bell(), [this] { return has_report(); }, limit_s);
}

void LaneHub::nap(double limit_s) {
  const auto is_ready = [this] { return has_report(); };
  if (waiter_.may_sleep())
    control_.master_bell().sleep(is_ready, limit_s);
  else
    waiter_.wait(control_.master_bell(), is_ready, 0);
}

}  // namespace loadshare
