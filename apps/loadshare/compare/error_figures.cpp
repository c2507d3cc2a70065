#include "apps/loadshare/compare/error_figures.hpp"

#include <algorithm>
#include <cmath>

#include "models/granularity/spread.hpp"

namespace loadshare::tool {

ErrorFigures figures_of(std::vector<double> errors) {
  ErrorFigures figures;
  figures.points = errors.size();
  if (errors.empty()) return figures;
  using granularity::quantile_of;
  figures.signed_median = quantile_of(errors, 0.5);
  figures.first_decile = quantile_of(errors, 0.1);
  figures.last_decile = quantile_of(errors, 0.9);
  figures.worst = *std::ranges::max_element(errors, {}, [](double error) { return std::abs(error); });
  for (double& error : errors) error = std::abs(error);
  figures.median = quantile_of(errors, 0.5);
  figures.ninth_decile = quantile_of(errors, 0.9);
  return figures;
}

namespace {

/// Less than 0 is no error, but a win: the last decile and the worst are the largest.
ErrorFigures figures_of_regrets(std::vector<double> regrets) {
  ErrorFigures figures = figures_of(regrets);
  if (regrets.empty()) return figures;
  figures.median = figures.signed_median;
  figures.ninth_decile = figures.last_decile;
  figures.worst = *std::ranges::max_element(regrets);
  return figures;
}

}  // namespace

ErrorFigures makespan_errors(const std::vector<ComparedSetting>& settings, bool has_load) {
  std::vector<double> errors;
  for (const ComparedSetting& setting : settings)
    if (setting.has_load == has_load)
      for (const ComparedPoint& point : setting.points) errors.push_back(point.error());
  return figures_of(std::move(errors));
}

ErrorFigures regrets(const std::vector<ComparedSetting>& settings) {
  std::vector<double> all;
  for (const ComparedSetting& setting : settings)
    if (setting.points.size() > 1) all.push_back(setting.regret());
  return figures_of_regrets(std::move(all));
}

ErrorFigures auto_regrets(const std::vector<ComparedSetting>& settings) {
  std::vector<double> all;
  for (const ComparedSetting& setting : settings)
    if (!setting.automatic.measured_s.empty()) all.push_back(setting.auto_regret());
  return figures_of_regrets(std::move(all));
}

ErrorFigures auto_errors(const std::vector<ComparedSetting>& settings) {
  std::vector<double> errors;
  for (const ComparedSetting& setting : settings)
    for (std::size_t i = 0; i < setting.automatic.chosen.size(); ++i)
      if (!setting.automatic.chosen[i].empty())
        errors.push_back(setting.automatic.foretold_s[i] / setting.automatic.measured_s[i] - 1);
  return figures_of(std::move(errors));
}

ErrorFigures eta_errors(const std::vector<RunRecord>& runs) {
  std::vector<double> errors;
  for (const RunRecord& run : runs)
    for (const EtaRecord& eta : run.etas) errors.push_back(eta.makespan_s / run.makespan_s - 1);
  return figures_of(std::move(errors));
}

Coverage coverage(const std::vector<ComparedSetting>& settings) {
  Coverage all;
  for (const ComparedSetting& setting : settings)
    for (const ComparedPoint& point : setting.points) {
      if (point.low_s == point.high_s) continue;  // nothing is left to chance there: it has no interval
      all.covered += point.covered();
      all.runs += point.runs.size();
    }
  return all;
}

}  // namespace loadshare::tool
