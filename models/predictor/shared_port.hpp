#pragma once

#include <algorithm>
#include <limits>

#include "models/predictor/event_queue.hpp"

namespace loadshare::predictor {

/// A host's port, whose bandwidth the messages under way have in equal parts: processor sharing, by virtual
/// time (Parekh and Gallager, "A generalized processor sharing approach to flow control", 1993). A message's
/// end in it stands fixed when the message comes, whatever comes after it, so each costs two steps of a heap.
/// Asked in the order of time.
class SharedPort {
 public:
  /// A message that has the port for `port_s` when it is alone comes at `at_s`; `then` is what to do when the
  /// last of it has passed.
  void enter(double at_s, double port_s, Event then) {
    pass(at_s);
    then.at_s = served_s_ + port_s;
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
    foresee();
    return then;
  }

 private:
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
  double next_s_ = std::numeric_limits<double>::infinity();
};

}  // namespace loadshare::predictor
