#include "models/farm/farm_network.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/random.hpp"

namespace loadshare::predictor {

using communication::ReceivePosted;
using communication::SendMode;

namespace {

/// To which the shared input goes at the start.
bool is_leader(const WorkerModel& model) {
  return model.link && model.leads_host && !model.stay.is_late();
}

}  // namespace

void PricedLink::compute(Index size, double polling_latency_s, Index chunks) {
  size_ = size;
  chunks_ = chunks;
  polling_latency_s_ = polling_latency_s;
  constexpr SendMode mode = SendMode::standard;
  const auto count = static_cast<double>(chunks);
  const double data_bytes = bytes_each_ * static_cast<double>(size) / count;
  const double all_bytes = header_bytes_ + data_bytes;
  if (costs_->waits_for_receive(mode, data_bytes))
    last_ = {costs_->receiver_s(mode, ReceivePosted::before, header_bytes_) + polling_latency_s,
             costs_->port_s(all_bytes), costs_->receiver_s(mode, ReceivePosted::after, data_bytes)};
  else
    last_ = {0, costs_->port_s(all_bytes), costs_->receiver_s(mode, ReceivePosted::before, all_bytes)};
  last_ = {count * last_.lead_s, count * last_.port_s, count * last_.transfer_s};
}

ChunkCosts::ChunkCosts(const Scenario& scenario)
    : scenario_(scenario), has_scatter_(scenario.scatter.is_any()) {
  const ChunkBytes& bytes = scenario.bytes;
  for (const auto& costs : scenario.links) {
    orders_.emplace_back(*costs, bytes.order, bytes.input_each);
    reports_.emplace_back(*costs, bytes.report, bytes.result_each);
  }
}

double ChunkCosts::drawn_deviation(const Bundle& bundle, std::mt19937_64& random) const {
  double sigma = scenario_.scatter.deviation(bundle.width());
  if (bundle.chunks > 1) sigma /= std::sqrt(static_cast<double>(bundle.chunks));
  return std::exp(sigma * normal(random) - sigma * sigma / 2);
}

FarmNetwork::FarmNetwork(const Scenario& scenario, ChunkCosts& costs, Events& events)
    : scenario_(scenario),
      costs_(costs),
      events_(events),
      out_{.shared = SharedPort(scenario.port_burst_s)},
      in_{.shared = SharedPort(scenario.port_burst_s)} {
  if (scenario.shared.transfer_s <= 0 || !has_host_to_share()) return;
  shared_copies_ = 1;
  if (!is_in_turn()) divide_shared_input();
}

Event FarmNetwork::next_of_shared_ports() {
  SharedPort& port = out_.shared.next_s() <= in_.shared.next_s() ? out_.shared : in_.shared;
  return events_.next_s() < port.next_s() ? events_.pop() : port.pop();
}

void FarmNetwork::order_at_port(const Event& event, const Bundle& bundle) {
  const Price& price = costs_.order(scenario_.workers[event.worker], bundle);
  const double port_s = before_order_s(event.worker, price) + price.port_s;
  const Event then{0, event.worker, Event::Kind::order_here, event.slot};
  if (scenario_.ports == PortOrder::queued && shared_flows_ == 0)
    out_.shared.stand_in_line(*scenario_.workers[event.worker].link, event.at_s, port_s, then, bundle.chunks);
  else
    out_.shared.enter(event.at_s, port_s, then, bundle.chunks);
}

double FarmNetwork::order_here(const Event& event, const Bundle& bundle) {
  if (!shared_.empty()) send_rest(event.worker, event.at_s);
  return event.at_s + static_cast<double>(bundle.chunks) * scenario_.workers[event.worker].polling_latency_s;
}

void FarmNetwork::leave_out(std::uint32_t worker, const Bundle& bundle, bool is_reported) {
  const WorkerModel& model = scenario_.workers[worker];
  if (!model.link) return;
  out_.busy_s -= costs_.order(model, bundle).port_s;
  if (is_reported) in_.busy_s -= costs_.report(model, bundle).port_s;
}

void FarmNetwork::tell(Outcome& outcome) const {
  const ChunkBytes& bytes = scenario_.bytes;
  const auto sum = [](const Port& port, double each_message, double each_iteration) {
    return each_message * static_cast<double>(port.messages) +
           each_iteration * static_cast<double>(port.iterations);
  };
  outcome.messages = out_.messages + in_.messages;
  outcome.bytes_out = sum(out_, bytes.order, bytes.input_each);
  outcome.bytes_in = sum(in_, bytes.report, bytes.result_each);
  const Index shared_copies = shared_copies_ - (shared_flows_ > 0 ? 1 : 0);
  outcome.port_out_busy_s = out_.busy_s + static_cast<double>(shared_copies) * scenario_.shared.transfer_s;
  outcome.port_in_busy_s = in_.busy_s;
}

bool FarmNetwork::has_host_to_share() const {
  return std::ranges::any_of(scenario_.workers, is_leader);
}

void FarmNetwork::divide_shared_input() {
  shared_.resize(scenario_.workers.size());
  shared_flows_ = static_cast<std::size_t>(std::ranges::count_if(scenario_.workers, is_leader));
  const double each_s = scenario_.shared.transfer_s / static_cast<double>(shared_flows_);
  const double window_s = std::min(scenario_.shared.window_s, each_s);
  for (std::size_t worker = 0; worker < shared_.size(); ++worker)
    if (is_leader(scenario_.workers[worker])) shared_[worker] = {each_s, window_s, true};
}

void FarmNetwork::send_shared_in_turn() {
  out_.free_s += scenario_.shared.transfer_s;
  shared_flows_ = 1;
  events_.push({out_.free_s, 0, Event::Kind::shared_sent, 0});
}

void FarmNetwork::send_shared_late(std::uint32_t worker, double at_s) {
  const Event sent{at_s, worker, Event::Kind::shared_sent_late, 0};
  if (!is_in_turn()) return out_.shared.enter(at_s, scenario_.shared.transfer_s, sent);
  out_.free_s = std::max(out_.free_s, at_s) + scenario_.shared.transfer_s;
  events_.push({out_.free_s, worker, sent.kind, 0});
}

void FarmNetwork::send_rest(std::uint32_t worker, double at_s) {
  SharedPart& part = shared_[worker];
  if (std::exchange(part.is_waiting, false))
    out_.shared.enter(at_s, part.port_s, {0, worker, Event::Kind::shared_sent, 0});
}

// Data that may be sent unasked are on the host's connection before anything of the shared input. Those that
// must ask first find the units there that may be under way at once.
double FarmNetwork::before_order_s(std::uint32_t worker, const Price& price) {
  if (shared_.empty() || price.lead_s <= 0) return 0;
  const double before_s = std::exchange(shared_[worker].window_s, 0);
  shared_[worker].port_s -= before_s;
  return before_s;
}

}  // namespace loadshare::predictor
