#pragma once

#include <algorithm>
#include <limits>

#include "models/predictor/event_queue.hpp"

namespace loadshare::predictor {

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
  /// last of it has passed.
  void enter(double at_s, double port_s, Event then) {
    pass(at_s);
    then.at_s = served_s_ + port_s - saved_for(port_s);
    ends_.push(then);
    foresee();
  }
  /// When the next message has passed, if no other comes before; infinity where there is none.
  double next_s() const { return next_s_; }
  /// What to do then. There must be a message.
  Event pop() {
    Event then = ends_.pop();
    served_s_ = then.at_s;
    then.at_s = now_s_ = next_s_;
    silent_since_s_ = now_s_;
    foresee();
    return then;
  }

 private:
  /// What of a message that comes now passes at once.
  double saved_for(double port_s) {
    if (burst_s_ <= 0 || !ends_.is_empty()) return 0;
    saved_s_ = std::min(burst_s_, saved_s_ + now_s_ - silent_since_s_);
    silent_since_s_ = now_s_;
    const double at_once_s = std::min(saved_s_, port_s);
    saved_s_ -= at_once_s;
    return at_once_s;
  }
  void pass(double to_s) {
    if (!ends_.is_empty()) served_s_ += (to_s - now_s_) / static_cast<double>(ends_.size());
    now_s_ = to_s;
  }
  void foresee() {
    next_s_ = std::numeric_limits<double>::infinity();
    if (ends_.is_empty()) return;
    const double left_s = std::max(0.0, ends_.next_s() - served_s_);
    next_s_ = now_s_ + left_s * static_cast<double>(ends_.size());
  }

  EventQueue ends_;      // at_s: in virtual time, the service that each message there has had
  double served_s_ = 0;  // virtual time now
  double now_s_ = 0;
  double burst_s_;
  double saved_s_;  // that it may let pass at once, as of silent_since_s_; none while it is busy
  double silent_since_s_ = 0;
  double next_s_ = std::numeric_limits<double>::infinity();
};

}  // namespace loadshare::predictor
