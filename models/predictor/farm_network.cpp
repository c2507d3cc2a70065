#include "models/predictor/farm_network.hpp"

#include <algorithm>
#include <utility>

namespace loadshare::predictor {

FarmNetwork::FarmNetwork(const Scenario& scenario, ChunkCosts& costs, EventQueue& events, Outcome& outcome)
    : scenario_(scenario), costs_(costs), events_(events), outcome_(outcome) {
  if (scenario.ports == PortOrder::shared && scenario.shared.transfer_s > 0) divide_shared_input();
}

Event FarmNetwork::next_event() {
  if (scenario_.ports == PortOrder::in_turn) return events_.pop();
  SharedPort& port = out_.next_s() <= in_.next_s() ? out_ : in_;
  if (!events_.is_empty() && events_.next().at_s < port.next_s()) return events_.pop();
  return port.pop();
}

double FarmNetwork::send_order(std::uint32_t worker, std::uint16_t slot, const Chunk& chunk, double at_s) {
  const WorkerModel& model = scenario_.workers[worker];
  if (!model.link) return at_s + model.notice_s;
  const Price& price = costs_.order(worker, chunk);
  ++outcome_.messages;
  outcome_.bytes_out += scenario_.bytes.order + costs_.input_bytes(chunk);
  outcome_.port_out_busy_s += price.port_s;
  if (scenario_.ports == PortOrder::shared) {
    events_.push({at_s + price.lead_s + price.way_s(), worker, Event::Kind::order_at_port, slot});
    return under_way_s;
  }
  const double start_s = std::max(at_s + price.lead_s, out_free_s_);
  out_free_s_ = start_s + price.port_s;
  return start_s + price.transfer_s + model.notice_s;
}

void FarmNetwork::order_at_port(const Event& event, const Chunk& chunk) {
  const Price& price = costs_.order(event.worker, chunk);
  out_.enter(event.at_s, before_order_s(event.worker, price) + price.port_s,
             {0, event.worker, Event::Kind::order_here, event.slot});
}

double FarmNetwork::order_here(const Event& event) {
  if (!shared_.empty()) send_rest(event.worker, event.at_s);
  return event.at_s + scenario_.workers[event.worker].notice_s;
}

void FarmNetwork::send_report(std::uint32_t worker, std::uint16_t slot, const Chunk& chunk, double at_s) {
  const Price& price = costs_.report(worker, chunk);
  ++outcome_.messages;
  outcome_.bytes_in += scenario_.bytes.report + costs_.result_bytes(chunk);
  outcome_.port_in_busy_s += price.port_s;
  const double way_s = scenario_.ports == PortOrder::shared ? price.way_s() : 0;
  events_.push({at_s + price.lead_s + way_s, worker, Event::Kind::report_at_port, slot});
}

void FarmNetwork::report_at_port(const Event& event, const Chunk& chunk) {
  const Price& price = costs_.report(event.worker, chunk);
  Event arrival{0, event.worker, Event::Kind::report_at_master, event.slot};
  if (scenario_.ports == PortOrder::shared) return in_.enter(event.at_s, price.port_s, arrival);
  const double start_s = std::max(event.at_s, in_free_s_);
  in_free_s_ = start_s + price.port_s;
  arrival.at_s = start_s + price.transfer_s;
  events_.push(arrival);
}

void FarmNetwork::divide_shared_input() {
  shared_.resize(scenario_.workers.size());
  const auto is_leader = [](const WorkerModel& model) { return model.link && model.leads_host; };
  shared_flows_ = static_cast<std::size_t>(std::ranges::count_if(scenario_.workers, is_leader));
  const double each_s = scenario_.shared.transfer_s / static_cast<double>(shared_flows_);
  const double window_s = std::min(scenario_.shared.window_s, each_s);
  for (std::size_t worker = 0; worker < shared_.size(); ++worker)
    if (is_leader(scenario_.workers[worker])) shared_[worker] = {each_s, window_s, true};
}

void FarmNetwork::send_shared_in_turn() {
  out_free_s_ += scenario_.shared.transfer_s;
  shared_flows_ = 1;
  events_.push({out_free_s_, 0, Event::Kind::shared_sent, 0});
}

void FarmNetwork::send_rest(std::uint32_t worker, double at_s) {
  SharedPart& part = shared_[worker];
  if (std::exchange(part.is_waiting, false))
    out_.enter(at_s, part.port_s, {0, worker, Event::Kind::shared_sent, 0});
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
