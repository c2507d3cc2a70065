#pragma once

#include <optional>
#include <vector>

#include "models/predictor/observations.hpp"
#include "runtime/timing/records.hpp"
#include "schedulers/table.hpp"

namespace loadshare::predictor {

/// How long a run that goes on will yet take: the predictor runs the whole loop with what the run has told of
/// its workers. How much later or earlier as much was done really as in virtual time shifts the end. So the
/// last stretch, when some workers have nothing to do any more, is foreseen, which no rate of progress can.
class Eta {
 public:
  /// Of a run of so many iterations by that technique; `schedulers` must outlive it.
  Eta(const SchedulerTable& schedulers, std::string spec, Index iterations);

  /// Looks ahead anew with what was observed until `now_s`. Costs a simulation of the whole run.
  void look_ahead(const Observations& seen, double now_s);
  /// When the run will end, seconds since its start, if the latest of `done` committed iterations was so at
  /// `done_s`, and none since then until `now_s`; nothing before it has looked ahead.
  std::optional<double> end_s(Index done, double done_s, double now_s) const;

 private:
  struct Step {
    double at_s = 0;
    Index done = 0;
  };
  void add_step(const ChunkRecord& chunk);

  const SchedulerTable& schedulers_;
  std::string spec_;
  Index iterations_;
  std::vector<Step> steps_;  // of the run in virtual time, ascending; thinned, so some thousand at most
  Step last_;
  Index chunks_ = 0, each_ = 1;  // of so many chunks, every each_-th is a step
};

}  // namespace loadshare::predictor
