#include "models/predictor/choice.hpp"

#include <algorithm>
#include <utility>

#include "models/granularity/spread.hpp"

namespace loadshare::predictor {

namespace {

double median_ratio(const Prediction& one, const Prediction& best) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < one.makespans_s.size(); ++i)
    ratios.push_back(one.makespans_s[i] / best.makespans_s[i]);
  return granularity::median_of(std::move(ratios));
}

std::ptrdiff_t place_in(const SchedulerTable& table, const std::string& spec) {
  const std::string technique = table.parse(spec).name;
  return std::ranges::find(table.entries(), technique, &SchedulerEntry::name) - table.entries().begin();
}

}  // namespace

Choice choose(std::span<const Prediction> predictions, const SchedulerTable& table) {
  Choice choice;
  const auto best = std::ranges::min_element(predictions, {}, &Prediction::makespan_s);
  choice.best = static_cast<std::size_t>(best - predictions.begin());
  for (std::size_t i = 0; i < predictions.size(); ++i)
    if (i == choice.best || median_ratio(predictions[i], *best) <= level_ratio) choice.level.push_back(i);
  choice.chosen = *std::ranges::min_element(choice.level, {}, [&](std::size_t i) {
    return std::pair(place_in(table, predictions[i].scheduler), predictions[i].makespan_s);
  });
  return choice;
}

}  // namespace loadshare::predictor
