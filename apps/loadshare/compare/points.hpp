#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/predict/run_record_reader.hpp"
#include "models/predictor/farm_model.hpp"
#include "schedulers/table.hpp"

namespace loadshare::tool {

/// One technique in one setting: what was measured, and what is predicted.
struct ComparedPoint {
  std::string scheduler;
  std::string id;                   ///< in its sweep; empty: it is of none
  std::vector<std::size_t> runs;    ///< places in FarmRuns::runs
  std::vector<double> measured_s;   ///< makespans, a run each
  std::vector<double> predicted_s;  ///< ditto, each beside its own run's load
  double measured_median_s = 0;
  double predicted_median_s = 0;
  /// Nine runs of ten are predicted to lie between the two.
  double low_s = 0;
  double high_s = 0;

  /// Signed: more than 0 where the prediction was too long.
  double error() const { return predicted_median_s / measured_median_s - 1; }
  /// How many runs lie between low_s and high_s.
  std::size_t covered() const;
};

/// Runs of `--scheduler auto`: what it chose, and what it foretold itself in the run.
struct AutoRuns {
  std::vector<std::string> chosen;  ///< a run each; empty: the loop was over before
  std::vector<double> measured_s;
  std::vector<double> foretold_s;
};

/// Runs that differ in their technique only.
struct ComparedSetting {
  std::string sweep;       ///< its folder; empty: it is of none
  std::string experiment;  ///< of its sweep; empty: it is of none
  std::string name;        ///< "fig3a, master coordinates, rank 6, beside on=1s,off=1s"
  bool has_load = false;
  std::vector<ComparedPoint> points;
  AutoRuns automatic;

  std::size_t best_measured() const;  ///< place in points
  std::size_t chosen() const;         ///< that the predictor would choose: see predictor::choose()
  /// How much longer the chosen takes than the best; 0: it is the best.
  double regret() const;
  /// The same of the runs of `auto`, survey and choosing included; less than 0 where it beat all others.
  double auto_regret() const;
  /// The share of the pairs of points, apart by more than 2 % as measured, that are predicted in their order;
  /// 1 where there are none.
  double order() const;
};

/// Groups the runs; nothing is predicted yet.
std::vector<ComparedSetting> compared_settings(const FarmRuns& runs);

}  // namespace loadshare::tool
