#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "models/predictor/chunk_costs.hpp"
#include "models/predictor/event_queue.hpp"
#include "models/predictor/outcome.hpp"
#include "models/predictor/scenario.hpp"
#include "models/predictor/shared_port.hpp"

namespace loadshare::predictor {

/// The messages of a farm and how they meet at the master's port out and port in (PortOrder). In turn, a
/// message's times are sums, and only a report's coming to the port is an event; a shared port tells by
/// events when a message has passed.
class FarmNetwork {
 public:
  /// What is handed in must outlive it.
  FarmNetwork(const Scenario& scenario, ChunkCosts& costs, EventQueue& events);

  /// What happens next: one of the events, or the end of a message at a shared port.
  Event next_event() {
    return scenario_.ports == PortOrder::in_turn ? events_.pop() : next_of_shared_ports();
  }

  static constexpr double under_way_s = std::numeric_limits<double>::infinity();
  /// An order leaves. Returns when the worker sees it, or under_way_s: order_at_port and order_here follow.
  double send_order(std::uint32_t worker, std::uint16_t slot, const Chunk& chunk, double at_s) {
    const WorkerModel& model = scenario_.workers[worker];
    if (!model.link) return at_s + model.notice_s;
    const Price& price = costs_.order(model, chunk);
    out_.count(price, chunk);
    if (scenario_.ports == PortOrder::shared) {
      events_.push({at_s + price.lead_s + price.way_s(), worker, Event::Kind::order_at_port, slot});
      return under_way_s;
    }
    return out_.enter_in_turn(at_s + price.lead_s, price) + model.notice_s;
  }
  void order_at_port(const Event& event, const Chunk& chunk);
  /// When the worker sees the order that is here.
  double order_here(const Event& event);

  /// A report leaves a worker with a link: report_at_port follows.
  void send_report(std::uint32_t worker, std::uint16_t slot, const Chunk& chunk, double at_s) {
    const Price& price = costs_.report(scenario_.workers[worker], chunk);
    in_.count(price, chunk);
    const double way_s = scenario_.ports == PortOrder::shared ? price.way_s() : 0;
    events_.push({at_s + price.lead_s + way_s, worker, Event::Kind::report_at_port, slot});
  }
  /// It passes the port. Returns its coming to the master if that is what happens next; it follows, if not.
  std::optional<Event> report_at_port(const Event& event, const Chunk& chunk) {
    const Price& price = costs_.report(scenario_.workers[event.worker], chunk);
    Event arrival{0, event.worker, Event::Kind::report_at_master, event.slot};
    if (scenario_.ports == PortOrder::shared) {
      in_.shared.enter(event.at_s, price.port_s, arrival);
      return std::nullopt;
    }
    arrival.at_s = in_.enter_in_turn(event.at_s, price);
    if (events_.is_next(arrival)) return arrival;
    events_.push(arrival);
    return std::nullopt;
  }
  /// Puts what passed the ports into the outcome.
  void tell(Outcome& outcome) const;

  /// After all orders of the start: the shared input begins to leave; events shared_sent follow. `has_order`
  /// tells whether a worker gets a chunk first.
  template <typename HasOrder>
  void send_shared_input(const HasOrder& has_order) {
    if (scenario_.shared.transfer_s <= 0) return;
    if (scenario_.ports == PortOrder::in_turn) return send_shared_in_turn();
    for (std::uint32_t worker = 0; worker < shared_.size(); ++worker)
      if (!has_order(worker)) send_rest(worker, 0);
  }
  /// One of them; returns whether it was the last.
  bool shared_sent() { return --shared_flows_ == 0; }

 private:
  /// The master's port out or in, whichever way it serves.
  struct Port {
    double free_s = 0;  // in turn
    SharedPort shared;
    double busy_s = 0;
    Index messages = 0, iterations = 0;

    void count(const Price& price, const Chunk& chunk) {
      busy_s += price.port_s;
      ++messages;
      iterations += chunk.size;
    }
    /// A message comes; returns when it is on the other side.
    double enter_in_turn(double at_s, const Price& price) {
      const double start_s = std::max(at_s, free_s);
      free_s = start_s + price.port_s;
      return start_s + price.transfer_s;
    }
  };
  /// What of the shared input goes to a worker's host by the master, and is yet to leave.
  struct SharedPart {
    double port_s = 0;
    double window_s = 0;      // of it, what leaves before a first order that must ask
    bool is_waiting = false;  // for the first order
  };
  Event next_of_shared_ports();
  void divide_shared_input();
  void send_shared_in_turn();
  void send_rest(std::uint32_t worker, double at_s);
  double before_order_s(std::uint32_t worker, const Price& price);

  const Scenario& scenario_;
  ChunkCosts& costs_;
  EventQueue& events_;
  Port out_;
  Port in_;
  std::vector<SharedPart> shared_;  // by worker; empty: there is none, or in turn
  std::size_t shared_flows_ = 0;
};

}  // namespace loadshare::predictor
