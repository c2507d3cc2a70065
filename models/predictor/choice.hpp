#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "models/predictor/prediction.hpp"

namespace loadshare::predictor {

/// Which of several predictions to take.
struct Choice {
  std::size_t best = 0;            ///< the least median
  std::vector<std::size_t> level;  ///< cannot be told from it, itself included, in the order given
  std::size_t chosen = 0;          ///< of these the best of the technique that stands first in the table

  bool is_tie() const { return level.size() > 1; }
};

/// By how much a prediction may be longer than the best and still be level with it: a model knows no better.
inline constexpr double level_ratio = 1.01;

/// Chooses among predictions on the same replicates, at least one. Level with the best is who takes at most
/// `level_ratio` times as long in the median over the pairs of replicates.
Choice choose(std::span<const Prediction> predictions, const SchedulerTable& table);

}  // namespace loadshare::predictor
