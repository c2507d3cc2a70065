#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/farm/farm_model.hpp"
#include "models/farm/farm_runs.hpp"
#include "schedulers/table.hpp"

namespace loadshare::predictor {

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

/// Runs of `--scheduler auto`: what it chose, and what it forecast itself in the run.
struct AutoRuns {
  std::vector<std::string> chosen;  ///< a run each; empty: the loop was over before
  std::vector<double> measured_s;
  std::vector<double> forecast_s;
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
  std::size_t chosen() const;         ///< that the predictor would choose: see choose()
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

/// Names the points whose workers lost more than a twentieth of their time to other programs, in the median
/// of the runs that had no load of their own: predictions are of hosts without those programs. Empty: none.
std::string disturbance_of(const std::vector<ComparedSetting>& settings, const FarmRuns& runs);

/// What the models of a comparison are fitted to.
class Basis {
 public:
  /// `own`: runs of the loop that are compared with nothing; none: each technique is predicted from the
  /// others of its setting, so that no run predicts itself. Both must outlive it.
  Basis(const FarmRuns& measured, const FarmRuns& own);

  /// The runs that the point's model is fitted to; none where they are not own, and the setting has no other
  /// technique. Throws UsageError where the point is of another loop than they.
  std::vector<RunRecord> runs_for(const ComparedSetting& setting, const ComparedPoint& point) const;
  /// Whether they are the same for all points.
  bool is_own() const { return !own_.empty(); }

 private:
  void require_same_loop(const RunRecord& run, const std::string& what) const;

  const FarmRuns& measured_;
  const std::vector<RunRecord>& own_;
};

/// How far predictions were off, or what following them cost: relative to what was measured, signed, more
/// than 0 where the prediction was too long.
struct ErrorFigures {
  std::size_t points = 0;
  double signed_median = 0;
  double first_decile = 0;  ///< signed
  double last_decile = 0;   ///< signed
  double median = 0;        ///< of the absolute values
  double ninth_decile = 0;  ///< ditto
  double worst = 0;         ///< with its sign
};

ErrorFigures figures_of(std::vector<double> errors);

/// Of the points of settings with a load, or of those without.
ErrorFigures makespan_errors(const std::vector<ComparedSetting>& settings, bool has_load);
// Regrets: median, ninth decile and worst are those of the signed values, for less than 0 is a win.
/// Of settings with two techniques or more, when the predictor's choice is followed.
ErrorFigures regrets(const std::vector<ComparedSetting>& settings);
/// Of settings with runs of `auto`.
ErrorFigures auto_regrets(const std::vector<ComparedSetting>& settings);
/// Of what `auto` forecast, a run each.
ErrorFigures auto_errors(const std::vector<ComparedSetting>& settings);
/// Of the end that was forecast while runs went on; all that they recorded.
ErrorFigures eta_errors(const std::vector<RunRecord>& runs);

/// How many runs lie in their points' predicted intervals, of points that have one.
struct Coverage {
  std::size_t covered = 0;
  std::size_t runs = 0;
};
Coverage coverage(const std::vector<ComparedSetting>& settings);

}  // namespace loadshare::predictor
