#pragma once

namespace loadshare {

/// Keeps a busy thread to a share of the processor: told again and again what it has used, it says when the
/// thread is ahead and for how long to rest. What it was kept from using it may catch up on, within limits:
/// somebody else had it. Pure; seconds throughout.
class Budget {
 public:
  /// `most_ahead_s` and `most_behind_s` are of processor time.
  Budget(double most_ahead_s, double most_behind_s)
      : most_ahead_s_(most_ahead_s), most_behind_s_(most_behind_s) {}

  /// From now on it may use `rate` of the time. A debt is kept.
  void begin(double rate, double now_s, double cpu_s);
  /// Takes account of what was used; returns for how long to rest, 0 mostly.
  double settle(double now_s, double cpu_s);

 private:
  double most_ahead_s_;
  double most_behind_s_;
  double rate_ = 0;
  double last_s_ = 0;
  double last_cpu_s_ = 0;
  double left_s_ = 0;  // of processor time; below 0: ahead
};

}  // namespace loadshare
