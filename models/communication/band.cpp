#include "models/communication/band.hpp"

#include <algorithm>
#include <cmath>

#include "models/granularity/spread.hpp"
#include "models/students_t.hpp"

namespace loadshare::communication {
namespace {

constexpr double tail = 0.05;

/// The order statistic of that number, counted from 1, of sorted values; between two it is interpolated.
double order_statistic(const std::vector<double>& sorted, double number) {
  const double at = std::clamp(number - 1, 0.0, static_cast<double>(sorted.size() - 1));
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], at - static_cast<double>(below));
}

Band quantiles(std::vector<double> ratios) {
  std::ranges::sort(ratios);
  const auto count = static_cast<double>(ratios.size() + 1);
  return {order_statistic(ratios, tail * count), order_statistic(ratios, (1 - tail) * count)};
}

Band normal_band(const std::vector<double>& ratios) {
  double squares = 0;
  for (const double ratio : ratios) squares += std::log(ratio) * std::log(ratio);
  const auto count = static_cast<double>(ratios.size());
  const std::size_t freedom = ratios.size() > 3 ? ratios.size() - 2 : 1;
  const double deviation = std::sqrt(squares / static_cast<double>(freedom) * (1 + 2 / count));
  const double width = students_t_95(freedom) * deviation;
  return {std::exp(-width), std::exp(width)};
}

void drop_not_positive(std::vector<double>& ratios) {
  std::erase_if(ratios, [](double ratio) { return !(ratio > 0); });
}

/// How far off the logarithm of a new launch's median may be.
double launch_width(const std::vector<double>& medians) {
  double squares = 0;
  for (const double median : medians) squares += std::log(median) * std::log(median);
  const auto count = static_cast<double>(medians.size());
  return students_t_95(medians.size() - 1) * std::sqrt(squares / (count - 1) * (1 + 1 / count));
}

Band widened(const Band& band, double width) {
  return {std::exp(-std::hypot(std::log(band.low), width)), std::exp(std::hypot(std::log(band.high), width))};
}

}  // namespace

Band band_of(std::vector<double> ratios) {
  drop_not_positive(ratios);
  if (ratios.empty()) return {};
  return ratios.size() < enough_ratios ? normal_band(ratios) : quantiles(std::move(ratios));
}

Band band_of_launches(const LaunchRatios& ratios) {
  if (ratios.size() == 1) return band_of(ratios.begin()->second);
  std::vector<double> about_their_middle, medians;
  for (auto [launch, of_launch] : ratios) {
    drop_not_positive(of_launch);
    if (of_launch.empty()) continue;
    medians.push_back(granularity::median_of(of_launch));
    for (const double ratio : of_launch) about_their_middle.push_back(ratio / medians.back());
  }
  const Band within = band_of(std::move(about_their_middle));
  return medians.size() < 2 ? within : widened(within, launch_width(medians));
}

}  // namespace loadshare::communication
