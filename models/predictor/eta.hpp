#pragma once

#include <optional>
#include <vector>

#include "models/predictor/observations.hpp"
#include "schedulers/table.hpp"

namespace loadshare::predictor {

/// How long a run that goes on will yet take: the predictor runs the whole loop with what the run has told of
/// its workers, finds the moment at which as much was done there as is done now, and takes what comes after
/// it, stretched by how much later or earlier that moment really came. So the end, when some workers have
/// nothing to do any more, is foreseen, which no rate of progress can.
class Eta {
 public:
  /// Of a run of so many iterations by that technique; `schedulers` must outlive it.
  Eta(const SchedulerTable& schedulers, std::string spec, Index iterations);

  /// Looks ahead anew with what was observed. Costs a simulation of the whole run.
  void look_ahead(const Observations& seen);
  /// Seconds until the end, `now_s` since the start with `done` iterations committed; nothing before it has
  /// looked ahead.
  std::optional<double> remaining_s(double now_s, Index done) const;

 private:
  struct Step {
    double at_s = 0;
    Index done = 0;
  };
  const SchedulerTable& schedulers_;
  std::string spec_;
  Index iterations_;
  std::vector<Step> steps_;  // of the run in virtual time, ascending
};

}  // namespace loadshare::predictor
