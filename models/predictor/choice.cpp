#include "models/predictor/choice.hpp"

#include <algorithm>

namespace loadshare::predictor {

namespace {

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

double median_ratio(const Prediction& one, const Prediction& best) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < one.makespans_s.size(); ++i)
    ratios.push_back(one.makespans_s[i] / best.makespans_s[i]);
  return median(std::move(ratios));
}

}  // namespace

Choice choose(std::span<const Prediction> predictions) {
  Choice choice;
  const auto best = std::ranges::min_element(predictions, {}, &Prediction::makespan_s);
  choice.best = static_cast<std::size_t>(best - predictions.begin());
  for (std::size_t i = 0; i < predictions.size(); ++i)
    if (i == choice.best || median_ratio(predictions[i], *best) <= level_ratio) choice.level.push_back(i);
  choice.chosen = choice.level.front();
  return choice;
}

}  // namespace loadshare::predictor
