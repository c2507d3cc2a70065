#include "apps/loadshare/compare/error_figures.hpp"

#include <algorithm>
#include <cmath>

namespace loadshare::tool {
namespace {

/// The value below which the share `p` of the sorted values lies, interpolated between ranks p (n - 1).
double quantile(const std::vector<double>& sorted, double p) {
  const double rank = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

ErrorFigures figures_of(std::vector<double> errors) {
  ErrorFigures figures;
  figures.points = errors.size();
  if (errors.empty()) return figures;
  std::ranges::sort(errors);
  figures.bias = quantile(errors, 0.5);
  for (double& error : errors) error = std::abs(error);
  std::ranges::sort(errors);
  figures.median = quantile(errors, 0.5);
  figures.ninth_decile = quantile(errors, 0.9);
  figures.worst = errors.back();
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
