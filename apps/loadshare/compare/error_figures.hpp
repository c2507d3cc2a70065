#pragma once

#include <vector>

#include "apps/loadshare/compare/points.hpp"

namespace loadshare::tool {

/// How far predictions were off, and what following them would have cost; absolute values.
struct ErrorFigures {
  std::size_t points = 0;
  double bias = 0;  ///< median of the signed errors
  double median = 0;
  double ninth_decile = 0;
  double worst = 0;
};

/// Of the points of settings with a load, or of those without.
ErrorFigures makespan_errors(const std::vector<ComparedSetting>& settings, bool has_load);

/// Regrets of the settings with two techniques or more; `bias` is their median too.
ErrorFigures regrets(const std::vector<ComparedSetting>& settings);

}  // namespace loadshare::tool
