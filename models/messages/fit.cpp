#include "models/messages/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/names.hpp"
#include "base/statistics.hpp"
#include "models/messages/fits/least_squares.hpp"
#include "models/messages/fits/segmented.hpp"

namespace loadshare::communication {
namespace {

constexpr std::array table{
    FitInfo{"segmented", "lines between jumps and kinks found in the data; outliers count little",
            fit_segmented},
    FitInfo{"least-squares", "one line, as in the paper; may be negative for small sizes", fit_least_squares},
};

void require_one_positive(const Sample& sample) {
  if (!(sample.size >= 0 && std::isfinite(sample.size)))
    throw UsageError(fmt::format("a size is {}", sample.size), "sizes are finite and not negative");
  if (!(sample.seconds > 0 && std::isfinite(sample.seconds)))
    throw UsageError(fmt::format("the time at size {} is {} s", sample.size, sample.seconds),
                     "times are finite and more than 0");
}

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

std::span<const FitInfo> fits() {
  return table;
}

const FitInfo& find_fit(const std::string& name) {
  std::vector<std::string> names;
  const std::string today = name == "seed" ? "least-squares" : name;  // as it was called
  for (const FitInfo& info : table) {
    if (today == info.name) return info;
    names.emplace_back(info.name);
  }
  throw unknown_name("--fit", name, names);
}

void require_positive(std::span<const Sample> samples) {
  std::ranges::for_each(samples, require_one_positive);
}

void require_fittable(std::span<const Sample> samples) {
  require_positive(samples);
  if (samples.size() < fewest_samples)
    throw UsageError(fmt::format("too few points: {}", samples.size()),
                     fmt::format("a line needs {} to show its error", fewest_samples),
                     "measure more of them");
  const auto [least, most] = std::ranges::minmax(samples, {}, &Sample::size);
  if (least.size == most.size)
    throw UsageError(fmt::format("all {} points are of size {}", samples.size(), least.size),
                     "a line needs at least two sizes", "measure other sizes too");
}

Curve fit_curve(const std::string& name, std::span<const Sample> samples) {
  const FitInfo& info = find_fit(name);
  require_fittable(samples);
  return info.fit(samples);
}

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
    medians.push_back(median_of(of_launch));
    for (const double ratio : of_launch) about_their_middle.push_back(ratio / medians.back());
  }
  const Band within = band_of(std::move(about_their_middle));
  return medians.size() < 2 ? within : widened(within, launch_width(medians));
}

}  // namespace loadshare::communication
