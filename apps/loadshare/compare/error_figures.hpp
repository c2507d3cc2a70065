#pragma once

#include <vector>

#include "apps/loadshare/compare/points.hpp"

namespace loadshare::tool {

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
/// Of what `auto` foretold, a run each.
ErrorFigures auto_errors(const std::vector<ComparedSetting>& settings);
/// Of the end that was foretold while runs went on; all that they recorded.
ErrorFigures eta_errors(const std::vector<RunRecord>& runs);

/// How many runs lie in their points' predicted intervals, of points that have one.
struct Coverage {
  std::size_t covered = 0;
  std::size_t runs = 0;
};
Coverage coverage(const std::vector<ComparedSetting>& settings);

}  // namespace loadshare::tool
