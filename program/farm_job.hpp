#pragma once

#include <atomic>
#include <string_view>

#include "base/quantities.hpp"
#include "program/forecast.hpp"
#include "program/interruption.hpp"
#include "program/run_report.hpp"
#include "runtime/farm/farm.hpp"

namespace loadshare {

/// Throws UsageError if a farm's data, `bytes` on the master's host, do not fit: "`what` needs 3 TiB of
/// memory (22.9 GiB are available on this host) `suggestion`". Call it before anything is allocated.
void require_farm_memory(Bytes bytes, const std::string& what, std::string_view suggestion);

/// One run of a farm application on one rank: shown while it goes on, ended in good order by Ctrl-C.
class FarmJob {
 public:
  /// `report` is the master's; null elsewhere.
  FarmJob(Farm& farm, RunReport* report, RunForecast& forecast)
      : farm_(farm), report_(report), forecast_(forecast) {}

  /// Farm::run, with its progress told and then taken off the screen.
  RunRecord run(Workload& workload);
  /// For the time after the run, on the master: throws Error(interrupted), "after the product was computed",
  /// if that is `since`.
  void require_uninterrupted(std::string_view since) const;

 private:
  Farm& farm_;
  RunReport* report_;
  RunForecast& forecast_;
  const std::atomic<bool>& interrupted_ = watch_interruptions();
};

}  // namespace loadshare
