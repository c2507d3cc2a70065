#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/predictor/observations.hpp"
#include "models/predictor/prediction.hpp"
#include "runtime/timing/records.hpp"
#include "schedulers/chunk_scheduler.hpp"
#include "schedulers/table.hpp"

namespace loadshare::predictor {

/// Chooses technique and parameter by itself: a survey of small chunks tells the workers' speeds and what a
/// chunk costs, the predictor runs every candidate over the rest of the loop in virtual time, and the best
/// one, or the simplest of those level with it, does the rest.
///
/// Choosing takes at most `budget` of the predicted run, as the clock that is handed in says: candidates that
/// there is no time for are left out, each technique's first ones are tried first.
class AutoScheduler final : public ChunkScheduler {
 public:
  struct Parameters {
    double budget = 0.01;  ///< share of the predicted makespan
    Observations::Farm farm = {};
  };
  /// `clock`: seconds from any instant. `told` hears of the choice when it is made; both must live as long.
  AutoScheduler(const SchedulerTable& candidates, const LoopShape& shape, const Parameters& parameters,
                std::function<double()> clock, ChoiceRecord& told);

  Index next_size(WorkerId worker, Index remaining) override;
  void completed(const ChunkTiming& timing) override;

 private:
  bool has_surveyed(Index remaining) const;
  Index survey_size(WorkerId worker, Index remaining);
  void choose(Index remaining);
  std::vector<Prediction> predictions(const Scenario& rest, const std::vector<std::string>& specs,
                                      double begun_s) const;

  const SchedulerTable& table_;
  LoopShape shape_;
  Parameters parameters_;
  std::function<double()> clock_;
  ChoiceRecord& told_;
  Observations seen_;
  std::vector<Index> given_;  // survey chunks, by worker
  double begun_s_ = -1;
  std::unique_ptr<ChunkScheduler> chosen_;
};

}  // namespace loadshare::predictor
