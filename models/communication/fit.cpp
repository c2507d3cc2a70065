#include "models/communication/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "models/communication/fits/seed.hpp"
#include "models/communication/fits/segmented.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare::communication {
namespace {

constexpr std::array table{
    FitInfo{"segmented", "lines between jumps and kinks found in the data; outliers count little",
            fit_segmented},
    FitInfo{"seed", "one line by least squares, as the paper's; may be negative for small sizes", fit_seed},
};

void require_one_positive(const Sample& sample) {
  if (!(sample.size >= 0 && std::isfinite(sample.size)))
    throw UsageError(fmt::format("a size is {}", sample.size), "sizes are finite and not negative");
  if (!(sample.seconds > 0 && std::isfinite(sample.seconds)))
    throw UsageError(fmt::format("the time at size {} is {} s", sample.size, sample.seconds),
                     "times are finite and more than 0");
}

}  // namespace

std::span<const FitInfo> fits() {
  return table;
}

const FitInfo& find_fit(const std::string& name) {
  std::vector<std::string> names;
  for (const FitInfo& info : table) {
    if (name == info.name) return info;
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
                     fmt::format("a line takes {} to show how far it is off", fewest_samples),
                     "measure more of them");
  const auto [least, most] = std::ranges::minmax(samples, {}, &Sample::size);
  if (least.size == most.size)
    throw UsageError(fmt::format("all {} points are of size {}", samples.size(), least.size),
                     "a line takes two sizes at least", "measure other sizes too");
}

Curve fit_curve(const std::string& name, std::span<const Sample> samples) {
  const FitInfo& info = find_fit(name);
  require_fittable(samples);
  return info.fit(samples);
}

}  // namespace loadshare::communication
