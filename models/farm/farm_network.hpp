#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "base/event_queue.hpp"
#include "base/types.hpp"
#include "models/farm/chunk_bundles.hpp"
#include "models/farm/scenario.hpp"
#include "models/messages/message_costs.hpp"

namespace loadshare::predictor {

/// Something that happens at a worker's message or chunk.
struct Event {
  enum class Kind : std::uint16_t {
    order_at_port,
    order_here,
    report_at_port,
    report_at_master,
    own_chunk_done,
    shared_sent,
    shared_input_here,
    // Of workers that come and go:
    comes,
    goes,
    shared_sent_late,  ///< to the host of one that has come
    shared_here_late,
    worker_free,  ///< to begin a chunk
    recall_here,
    ticks,       ///< the dispatcher wanted to be told of this time
    handed_back  ///< its slot is the place among those on their way
  };
  double at_s = 0;  ///< at least 0
  std::uint32_t worker = 0;
  Kind kind = Kind::report_at_port;
  std::uint16_t slot = 0;  ///< of the worker's chunks

  /// At the same time the lower worker's event is the first.
  std::uint64_t rank() const {
    return std::uint64_t{worker} << 32 | std::uint64_t{static_cast<std::uint16_t>(kind)} << 16 | slot;
  }
  static Event of(double at_s, std::uint64_t rank) {
    return {at_s, static_cast<std::uint32_t>(rank >> 32),
            static_cast<Kind>(static_cast<std::uint16_t>(rank >> 16)), static_cast<std::uint16_t>(rank)};
  }
};
using Events = EventQueue<Event>;

/// The cost of sending a chunk's order or report: a short header and the data after it. For a bundle, the sum
/// over its chunks.
struct Price {
  double lead_s = 0;      ///< from the sending until the data enter the port
  double port_s = 0;      ///< for which they keep others from the port
  double transfer_s = 0;  ///< from entering it until they are there

  /// The part of transfer_s in which they are neither in the port nor wait for it.
  double way_s() const { return std::max(0.0, transfer_s - port_s); }
};

/// The prices of one link's messages in one direction. The last one is kept in mind: techniques ask for the
/// same size again and again.
class PricedLink {
 public:
  /// Prices messages of `header_bytes` and `bytes_each` an iteration. `costs` must outlive it.
  PricedLink(const communication::MessageCosts& costs, double header_bytes, double bytes_each)
      : costs_(&costs), header_bytes_(header_bytes), bytes_each_(bytes_each) {}

  /// Returns the price of `size` iterations in `chunks` chunks. The receiver finds a header after
  /// `polling_latency_s`, and only then requests data beyond the eager limit.
  const Price& price(Index size, double polling_latency_s, Index chunks = 1) {
    if (size != size_ || polling_latency_s != polling_latency_s_ || chunks != chunks_)
      compute(size, polling_latency_s, chunks);
    return last_;
  }

 private:
  void compute(Index size, double polling_latency_s, Index chunks);

  const communication::MessageCosts* costs_;
  double header_bytes_;
  double bytes_each_;
  Index size_ = -1, chunks_ = 1;
  double polling_latency_s_ = 0;
  Price last_;
};

/// What a chunk costs a worker of a scenario: computing, and its messages.
class ChunkCosts {
 public:
  /// `scenario` must outlive it.
  explicit ChunkCosts(const Scenario& scenario);

  /// Seconds of the worker's processor when it is undisturbed.
  double work_s(std::uint32_t worker, const Bundle& bundle) const {
    const WorkerModel& model = scenario_.workers[worker];
    return scenario_.loop.seconds(bundle.chunk) * scenario_.widths[model.width].at(bundle.width()) /
           model.speed;
  }
  /// Draws the ratio of the bundle's time to its mean.
  double deviation(const Bundle& bundle, std::mt19937_64& random) const {
    return has_scatter_ ? drawn_deviation(bundle, random) : 1;
  }

  // Of workers that have a link.
  const Price& order(const WorkerModel& worker, const Bundle& bundle) {
    return orders_[*worker.link].price(bundle.chunk.size, worker.polling_latency_s, bundle.chunks);
  }
  const Price& report(const WorkerModel& worker, const Bundle& bundle) {
    return reports_[*worker.link].price(bundle.chunk.size, scenario_.master.far.polling_latency_s,
                                        bundle.chunks);
  }

 private:
  double drawn_deviation(const Bundle& bundle, std::mt19937_64& random) const;

  const Scenario& scenario_;
  bool has_scatter_;
  std::vector<PricedLink> orders_;  // by link
  std::vector<PricedLink> reports_;
};

/// A host's port, whose bandwidth the messages under way have in equal parts: processor sharing, by virtual
/// time (Parekh and Gallager, "A generalized processor sharing approach to flow control", 1993). A message's
/// end in it stands fixed when the message comes, whatever comes after it, so each costs two steps of a heap.
/// Asked in the order of time.
///
/// A port that has been silent may let so much pass at once as it could have in that time, up to its burst: a
/// token bucket, as shapers and real queues have it. A short silence then costs nothing.
class SharedPort {
 public:
  /// `burst_s`: of how long a silence it makes up for.
  explicit SharedPort(double burst_s = 0) : burst_s_(burst_s), saved_s_(burst_s) {}

  /// A message that has the port for `port_s` when it is alone comes at `at_s`; `then` is what to do when the
  /// last of it has passed. The messages of a bundle count as one, whose burst may be as many times as
  /// large, because the link was silent before each of them.
  void enter(double at_s, double port_s, Event then, Index messages = 1) {
    pass(at_s);
    then.at_s = served_s_ + port_s - saved_for(port_s, messages);
    ends_.push(then);
    update_next();
  }
  /// The same of a message that stands in one of several lines: it waits until those before it there have
  /// passed, and the line as a whole has a part as each message beside it.
  void stand_in_line(std::size_t number, double at_s, double port_s, Event then, Index messages = 1) {
    if (number >= lines_.size()) lines_.resize(number + 1);
    lines_[number].push_back({port_s, then, messages});
    if (lines_[number].size() == 1) enter(at_s, port_s, then, messages);
  }
  /// When the next message has passed, if no other comes before; infinity where there is none.
  double next_s() const { return next_s_; }
  /// What to do then. There must be a message.
  Event pop() {
    Event then = ends_.pop();
    served_s_ = then.at_s;
    then.at_s = now_s_ = next_s_;
    silent_since_s_ = now_s_;
    update_next();
    for (std::deque<InLine>& line : lines_)
      if (!line.empty() && line.front().then.rank() == then.rank()) return let_next_in(line), then;
    return then;
  }

 private:
  struct InLine {
    double port_s = 0;
    Event then;
    Index messages = 1;
  };

  void let_next_in(std::deque<InLine>& line) {
    line.pop_front();
    if (line.empty()) return;
    const InLine& next = line.front();
    enter(now_s_, next.port_s, next.then, next.messages);
  }
  /// Returns how much of messages that arrive now passes immediately, as a burst.
  double saved_for(double port_s, Index messages) {
    if (burst_s_ <= 0 || !ends_.is_empty()) return 0;
    saved_s_ = std::min(burst_s_ * static_cast<double>(messages), saved_s_ + now_s_ - silent_since_s_);
    silent_since_s_ = now_s_;
    const double at_once_s = std::min(saved_s_, port_s);
    saved_s_ -= at_once_s;
    return at_once_s;
  }
  void pass(double to_s) {
    if (!ends_.is_empty()) served_s_ += (to_s - now_s_) / static_cast<double>(ends_.size());
    now_s_ = to_s;
  }
  void update_next() {
    next_s_ = std::numeric_limits<double>::infinity();
    if (ends_.is_empty()) return;
    const double left_s = std::max(0.0, ends_.next_s() - served_s_);
    next_s_ = now_s_ + left_s * static_cast<double>(ends_.size());
  }

  std::vector<std::deque<InLine>> lines_;  // the first of each is in ends_
  Events ends_;          // at_s: in virtual time, the service that each message there has had
  double served_s_ = 0;  // virtual time now
  double now_s_ = 0;
  double burst_s_;
  double saved_s_;  // that it may let pass at once, as of silent_since_s_; none while it is busy
  double silent_since_s_ = 0;
  double next_s_ = std::numeric_limits<double>::infinity();
};

/// The messages of a farm and how they meet at the master's port out and port in (PortOrder). In turn, a
/// message's times are sums, and only a report's coming to the port is an event; a shared port tells by
/// events when a message has passed.
class FarmNetwork {
 public:
  /// What is handed in must outlive it.
  FarmNetwork(const Scenario& scenario, ChunkCosts& costs, Events& events);

  /// What happens next: one of the events, or the end of a message at a shared port.
  Event next_event() { return is_in_turn() ? events_.pop() : next_of_shared_ports(); }

  static constexpr double under_way_s = std::numeric_limits<double>::infinity();
  /// An order leaves. Returns when the worker sees it, or under_way_s: order_at_port and order_here follow.
  double send_order(std::uint32_t worker, std::uint16_t slot, const Bundle& bundle, double at_s) {
    const WorkerModel& model = scenario_.workers[worker];
    const double polling_s = static_cast<double>(bundle.chunks) * model.polling_latency_s;
    if (!model.link) return at_s + polling_s;
    const Price& price = costs_.order(model, bundle);
    out_.count(price, bundle);
    if (!is_in_turn()) {
      events_.push({at_s + price.lead_s + price.way_s(), worker, Event::Kind::order_at_port, slot});
      return under_way_s;
    }
    return out_.enter_in_turn(at_s + price.lead_s, price) + polling_s;
  }
  void order_at_port(const Event& event, const Bundle& bundle);
  /// When the worker sees the order that is here.
  double order_here(const Event& event, const Bundle& bundle);

  /// A report leaves a worker with a link: report_at_port follows.
  void send_report(std::uint32_t worker, std::uint16_t slot, const Bundle& bundle, double at_s) {
    const Price& price = costs_.report(scenario_.workers[worker], bundle);
    in_.count(price, bundle);
    const double way_s = is_in_turn() ? 0 : price.way_s();
    events_.push({at_s + price.lead_s + way_s, worker, Event::Kind::report_at_port, slot});
  }
  /// It passes the port. Returns its coming to the master if that is what happens next; it follows, if not.
  std::optional<Event> report_at_port(const Event& event, const Bundle& bundle) {
    const Price& price = costs_.report(scenario_.workers[event.worker], bundle);
    Event arrival{0, event.worker, Event::Kind::report_at_master, event.slot};
    if (!is_in_turn()) {
      in_.shared.enter(event.at_s, price.port_s, arrival, bundle.chunks);
      return std::nullopt;
    }
    arrival.at_s = in_.enter_in_turn(event.at_s, price);
    if (events_.is_next(arrival)) return arrival;
    events_.push(arrival);
    return std::nullopt;
  }
  /// Removes a bundle that had not returned when the run ended from the traffic. Its report was sent only if
  /// `is_reported`. The run did not wait for these messages.
  void leave_out(std::uint32_t worker, const Bundle& bundle, bool is_reported);
  /// Puts what passed the ports into the outcome.
  void tell(Outcome& outcome) const;

  /// After all orders of the start: the shared input begins to leave; events shared_sent follow. `has_order`
  /// tells whether a worker gets a chunk first.
  template <typename HasOrder>
  void send_shared_input(const HasOrder& has_order) {
    if (scenario_.shared.transfer_s <= 0 || !has_host_to_share()) return;
    if (is_in_turn()) return send_shared_in_turn();
    for (std::uint32_t worker = 0; worker < shared_.size(); ++worker)
      if (!has_order(worker)) send_rest(worker, 0);
  }
  /// One of them; returns whether it was the last.
  bool shared_sent() { return --shared_flows_ == 0; }
  /// The whole of it, to the host of one worker that has come; shared_sent_late follows.
  void send_shared_late(std::uint32_t worker, double at_s);
  void shared_sent_late() { ++shared_copies_; }
  /// Whether it goes to hosts that are there from the start.
  bool sends_shared_input() const { return shared_copies_ > 0; }
  /// The worker is lost: what of the shared input was to go to its host first, and has not begun to, counts
  /// as sent.
  void lose_shared(std::uint32_t worker, double at_s) {
    if (!shared_.empty() && std::exchange(shared_[worker].is_waiting, false))
      events_.push({at_s, worker, Event::Kind::shared_sent, 0});
  }
  /// How long a message without data takes from the master to the worker, or back.
  double word_s(std::uint32_t worker) {
    const WorkerModel& model = scenario_.workers[worker];
    return model.link ? costs_.order(model, {}).transfer_s : 0;
  }

 private:
  /// The master's port out or in, whichever way it serves.
  struct Port {
    double free_s = 0;  // in turn
    SharedPort shared;
    double busy_s = 0;
    Index messages = 0, iterations = 0;

    void count(const Price& price, const Bundle& bundle) {
      busy_s += price.port_s;
      messages += bundle.chunks;
      iterations += bundle.chunk.size;
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
  bool is_in_turn() const { return scenario_.ports == PortOrder::in_turn; }
  Event next_of_shared_ports();
  bool has_host_to_share() const;
  void divide_shared_input();
  void send_shared_in_turn();
  void send_rest(std::uint32_t worker, double at_s);
  double before_order_s(std::uint32_t worker, const Price& price);

  const Scenario& scenario_;
  ChunkCosts& costs_;
  Events& events_;
  Port out_;
  Port in_;
  std::vector<SharedPart> shared_;  // by worker; empty: there is none, or in turn
  std::size_t shared_flows_ = 0;
  Index shared_copies_ = 0;  // that have left the master; the first, which goes to all hosts, counts at once
};

}  // namespace loadshare::predictor
