#include "apps/loadshare/compare/error_figures.hpp"

#include <cmath>

#include "models/granularity/spread.hpp"

namespace loadshare::tool {
namespace {

ErrorFigures figures_of(std::vector<double> errors) {
  ErrorFigures figures;
  figures.points = errors.size();
  if (errors.empty()) return figures;
  using granularity::quantile_of;
  figures.bias = quantile_of(errors, 0.5);
  for (double& error : errors) error = std::abs(error);
  figures.median = quantile_of(errors, 0.5);
  figures.ninth_decile = quantile_of(errors, 0.9);
  figures.worst = quantile_of(errors, 1);
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
  return figures_of(std::move(all));
}

}  // namespace loadshare::tool
