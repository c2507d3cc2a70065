#pragma once

#include <cstdint>
#include <limits>
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
  /// What is handed in must outlive it; `outcome` it counts in.
  FarmNetwork(const Scenario& scenario, ChunkCosts& costs, EventQueue& events, Outcome& outcome);

  /// What happens next: one of the events, or the end of a message at a shared port.
  Event next_event();

  static constexpr double under_way_s = std::numeric_limits<double>::infinity();
  /// An order leaves. Returns when the worker sees it, or under_way_s: order_at_port and order_here follow.
  double send_order(std::uint32_t worker, std::uint16_t slot, const Chunk& chunk, double at_s);
  void order_at_port(const Event& event, const Chunk& chunk);
  /// When the worker sees the order that is here.
  double order_here(const Event& event);

  /// A report leaves a worker with a link: report_at_port follows.
  void send_report(std::uint32_t worker, std::uint16_t slot, const Chunk& chunk, double at_s);
  /// It passes the port; report_at_master follows.
  void report_at_port(const Event& event, const Chunk& chunk);

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
  /// What of the shared input goes to a worker's host by the master, and is yet to leave.
  struct SharedPart {
    double port_s = 0;
    double window_s = 0;      // of it, what leaves before a first order that must ask
    bool is_waiting = false;  // for the first order
  };
  void divide_shared_input();
  void send_shared_in_turn();
  void send_rest(std::uint32_t worker, double at_s);
  double before_order_s(std::uint32_t worker, const Price& price);

  const Scenario& scenario_;
  ChunkCosts& costs_;
  EventQueue& events_;
  Outcome& outcome_;
  double out_free_s_ = 0;  // in turn
  double in_free_s_ = 0;
  SharedPort out_;
  SharedPort in_;
  std::vector<SharedPart> shared_;  // by worker; empty: there is none, or in turn
  std::size_t shared_flows_ = 0;
};

}  // namespace loadshare::predictor
