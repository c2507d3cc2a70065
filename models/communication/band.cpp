#include "models/communication/band.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace loadshare::communication {
namespace {

constexpr double tail = 0.05;

/// Student's t, quantile 0.95, for 1, 2, ... degrees of freedom.
constexpr std::array student_t{6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860,
                               1.833, 1.812, 1.796, 1.782, 1.771, 1.761, 1.753, 1.746};

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
  const double width = student_t.at(freedom - 1) * deviation;
  return {std::exp(-width), std::exp(width)};
}

}  // namespace

Band band_of(std::vector<double> ratios) {
  std::erase_if(ratios, [](double ratio) { return !(ratio > 0); });
  if (ratios.empty()) return {};
  return ratios.size() < enough_ratios ? normal_band(ratios) : quantiles(std::move(ratios));
}

}  // namespace loadshare::communication
