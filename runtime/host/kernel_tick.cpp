#include "runtime/host/kernel_tick.hpp"

#include <time.h>

namespace loadshare {
namespace {

constexpr double usual_tick_s = 4e-3;
constexpr double least_tick_s = 0.5e-3;  // kernels are built for 100 to 1000 Hz
constexpr double most_tick_s = 20e-3;

}  // namespace

double tick_told_by(double resolution_s) {
  const bool is_tick = resolution_s >= least_tick_s && resolution_s <= most_tick_s;
  return is_tick ? resolution_s : usual_tick_s;
}

double kernel_tick_s() {
  timespec resolution{};
  if (clock_getres(CLOCK_MONOTONIC_COARSE, &resolution) != 0) return usual_tick_s;
  return tick_told_by(static_cast<double>(resolution.tv_sec) +
                      1e-9 * static_cast<double>(resolution.tv_nsec));
}

}  // namespace loadshare
