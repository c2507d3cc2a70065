#pragma once

#include <algorithm>
#include <utility>

#include "models/predictor/processor.hpp"

namespace loadshare::predictor {

/// The master's processor: serves one after the other, as they come, and, where the master works, computes
/// its own chunks with what that leaves. Asked in the order of time.
class MasterProcessor {
 public:
  MasterProcessor() = default;
  explicit MasterProcessor(Processor processor) : processor_(std::move(processor)) {}

  /// Something that takes so much work came at that time; returns when it is done.
  double serve_s(double at_s, double work_s) {
    const double start_s = std::max(at_s, free_at_s_);
    return work_s > 0 ? do_serve_s(start_s, work_s) : start_s;
  }

  /// Begins a chunk of its own; none may be under way.
  void begin_own(double at_s, double work_s);
  /// When that ends if nothing more comes meanwhile.
  double own_end_s() const { return processor_.projected_finish_s(own_from_s_, own_left_s_); }
  /// It has ended by now: at own_end_s().
  void end_own();

  double busy_s() const { return busy_s_; }  ///< with serving, of the undisturbed processor

 private:
  double do_serve_s(double start_s, double work_s);

  Processor processor_;
  double free_at_s_ = 0;
  double busy_s_ = 0;
  bool is_computing_ = false;
  double own_from_s_ = 0;  // up to here its own chunk has had its time
  double own_left_s_ = 0;
};

}  // namespace loadshare::predictor
