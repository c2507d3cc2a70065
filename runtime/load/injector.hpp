#pragma once

#include <memory>

#include "runtime/load/load_plan.hpp"
#include "runtime/load/spinner.hpp"
#include "schedulers/types.hpp"

namespace loadshare {

/// What a load did, as it measured it itself.
struct LoadMeasure {
  double on_s = 0;        ///< how long it was on
  double asked_s = 0;     ///< of a processor that is its own, what it was to take of that time
  double cpu_s = 0;       ///< processor time that it took
  double late_p99_s = 0;  ///< how late its changes came, at the 99th percentile
  double late_max_s = 0;  ///< and at worst
  Index cycles = 0;       ///< how often it came on
};

/// Carries out a plan: competes with whatever runs on its processor, in this process. Its threads begin with
/// it and end with stop().
class Injector {
 public:
  /// `zero_s`: the plan's time zero on this host's clock (monotonic_s).
  Injector(const LoadPlan& plan, const LoadPlace& place, double zero_s);
  ~Injector();
  Injector(const Injector&) = delete;
  Injector& operator=(const Injector&) = delete;

  /// Ends it, and says what it did. Call once.
  LoadMeasure stop();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace loadshare
