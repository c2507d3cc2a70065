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

/// What a farm application forecasts of its own run, on the master: `--scheduler auto`, which chooses by a
/// survey and the predictor, and how long the run will yet take.
class RunForecast {
 public:
  /// Of runs by these techniques, or by `auto`.
  explicit RunForecast(SchedulerTable techniques = built_in_schedulers());
  RunForecast(const RunForecast&) = delete;
  RunForecast& operator=(const RunForecast&) = delete;

  /// Its techniques and `auto`; whichever is made of them is listened to. For a Farm, which must not
  /// outlive this.
  SchedulerTable schedulers();

  /// Where `auto`, and techniques that want to know what iterations take, look for earlier runs: see
  /// EarlierRuns.
  void look_in(const std::string& word) { earlier_ = EarlierRuns(word); }
  /// What will be run, and how the farm will run it; before it does.
  void set_loop(LoopIdentity loop, const predictor::Observations::Farm& farm) {
    loop_ = std::move(loop);
    farm_ = farm;
  }
  /// Returns the seconds until the run's end, or nothing if there is no basis yet. Simulates the rest again
  /// from time to time, in at most a hundredth of the elapsed time.
  std::optional<double> remaining_s(const LoopProgress& progress);
  /// Adds to a record, complete but for that, what was chosen and what was forecast.
  void tell(RunRecord& record) const;
  /// Leaves what `auto` wants to know of a run that went well to the next one.
  void keep(const RunRecord& record);

 private:
  class Listener;
  std::optional<LoopTimes> times_before(const LoopFacts& loop);
  std::unique_ptr<ChunkScheduler> make_auto(const SchedulerSpec& spec, const LoopFacts& loop);
  std::unique_ptr<ChunkScheduler> listened_to(std::unique_ptr<ChunkScheduler> scheduler,
                                              const std::string& spec, const LoopFacts& loop);
  void forget();
  bool look_ahead(double now_s, Index total);
  void watch(const LoopProgress& progress);

  SchedulerTable techniques_;
  LoopIdentity loop_;
  predictor::Observations::Farm farm_;
  EarlierRuns earlier_{"none"};
  std::string spec_;                // of the run
  std::optional<LoopTimes> times_;  // that its technique was told
  std::optional<predictor::Observations> seen_;
  std::optional<predictor::Eta> eta_;
  std::optional<ChoiceRecord> choice_;
  std::vector<EtaRecord> told_;
  double look_again_s_ = 0;
  double looking_s_ = 0;  // that all looks took, by an estimate from above
  std::vector<predictor::WatchedChunk> watched_;
  Index committed_ = 0;
  double committed_s_ = 0;  // when the latest of them were
};

}  // namespace loadshare
