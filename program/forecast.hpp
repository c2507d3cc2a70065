#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/farm/auto_scheduler.hpp"
#include "program/earlier_runs.hpp"
#include "runtime/farm/loop_status.hpp"
#include "runtime/records/records.hpp"
#include "schedulers/table.hpp"

namespace loadshare {

/// A farm application's forecast of its own run, on the master: the choice of `--scheduler auto` by a survey
/// and the predictor, and the time until the run ends.
class RunForecast {
 public:
  /// Forecasts runs by these techniques, or by `auto`.
  explicit RunForecast(SchedulerTable techniques = built_in_schedulers());
  RunForecast(const RunForecast&) = delete;
  RunForecast& operator=(const RunForecast&) = delete;

  /// Returns the techniques and `auto`. Schedulers made from this table are observed. For a Farm, which must
  /// not outlive this object.
  SchedulerTable schedulers();

  /// Sets where `auto`, and techniques that need iteration times, look for earlier runs: see EarlierRuns.
  void look_in(const std::string& word) { earlier_ = EarlierRuns(word); }
  /// Describes the loop and how the farm runs it. Call it before the loop.
  void set_loop(LoopIdentity loop, const predictor::Observations::Farm& farm) {
    loop_ = std::move(loop);
    farm_ = farm;
  }
  /// Returns the seconds until the run's end, or nothing if there is no basis yet. Simulates the rest again
  /// from time to time, in at most a hundredth of the elapsed time.
  std::optional<double> remaining_s(const LoopProgress& progress);
  /// Adds the choice and the forecasts to an otherwise complete record.
  void add_to(RunRecord& record) const;
  /// Stores a successful run for the next run of `auto`.
  void keep(const RunRecord& record);

 private:
  class ObservedScheduler;
  std::optional<LoopTimes> times_before(const LoopFacts& loop);
  std::unique_ptr<ChunkScheduler> make_auto(const SchedulerSpec& spec, const LoopFacts& loop);
  std::unique_ptr<ChunkScheduler> observed(std::unique_ptr<ChunkScheduler> scheduler, const std::string& spec,
                                           const LoopFacts& loop);
  void forget();
  bool look_ahead(double now_s, Index total);
  void watch(const LoopProgress& progress);

  SchedulerTable techniques_;
  LoopIdentity loop_;
  predictor::Observations::Farm farm_;
  EarlierRuns earlier_{"none"};
  std::string spec_;                // of the run's technique
  std::optional<LoopTimes> times_;  // given to the run's technique
  std::optional<predictor::Observations> seen_;
  std::optional<predictor::Eta> eta_;
  std::optional<ChoiceRecord> choice_;
  std::vector<EtaRecord> etas_;
  double look_again_s_ = 0;
  double looking_s_ = 0;  // total time of all forecasts, estimated from above
  std::vector<predictor::WatchedChunk> watched_;
  Index committed_ = 0;
  double committed_s_ = 0;  // when the latest chunk was committed
};

}  // namespace loadshare
