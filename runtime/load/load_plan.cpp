#include "runtime/load/load_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/quantities.hpp"

namespace loadshare {

double parse_share(std::string_view what, std::string_view text) {
  const std::optional<double> number = parse_number(text);
  if (!number)
    throw UsageError(fmt::format("{} is '{}'", what, text), "it is a number between 0 and 1", "try 0.5");
  const double share = *number;
  if (share >= 1)
    throw UsageError(fmt::format("{} is {}", what, text),
                     "a load that takes everything leaves the worker nothing",
                     fmt::format("give at most {}", most_load_share));
  if (share <= 0 || share > most_load_share)
    throw UsageError(fmt::format("{} is {}", what, text),
                     "it is the part of the processor that the load takes",
                     fmt::format("give more than 0 and at most {}", most_load_share));
  return share;
}

int threads_for(double share) {
  constexpr double rounding = 1e-9;
  return share > 0 ? std::max(1, static_cast<int>(std::ceil(share / (1 - share) - rounding))) : 0;
}

LoadPlan::LoadPlan(std::vector<LoadStep> steps, double period_s, double phase_s)
    : steps_(std::move(steps)), period_s_(period_s), phase_s_(phase_s) {}

LoadPlan LoadPlan::on_off(double on_s, double off_s, double share, double phase_s) {
  return LoadPlan({{0, share}, {on_s, 0}}, on_s + off_s, phase_s);
}

LoadPlan LoadPlan::constant(double share) {
  return LoadPlan({{0, share}}, 0, 0);
}

LoadPlan LoadPlan::trace(std::vector<LoadStep> steps) {
  return LoadPlan(std::move(steps), 0, 0);
}

LoadStep LoadPlan::change(Index number) const {
  const auto count = static_cast<Index>(steps_.size());
  const LoadStep& step = steps_[static_cast<std::size_t>(number % count)];
  return {step.at_s + static_cast<double>(number / count) * period_s_ - phase_s_, step.share};
}

// Counts the changes instead of adding their times: rounding would skip a change, or find one twice.
Index LoadPlan::change_at(double time_s) const {
  const auto count = static_cast<Index>(steps_.size());
  const auto periods = is_periodic() ? static_cast<Index>((time_s + phase_s_) / period_s_) : 0;
  const Index end = is_periodic() ? (periods + 2) * count : count;
  Index next = std::max(Index{0}, periods - 1) * count;
  while (next < end && change(next).at_s <= time_s) ++next;
  return next - 1;
}

double LoadPlan::share_at(double time_s) const {
  if (time_s < 0) return 0;
  const Index last = change_at(time_s);
  return last < 0 ? 0 : change(last).share;
}

std::optional<LoadStep> LoadPlan::next_change(double time_s) const {
  if (time_s < 0) return LoadStep{0, share_at(0)};
  const Index next = change_at(time_s) + 1;
  if (!is_periodic() && next >= static_cast<Index>(steps_.size())) return std::nullopt;
  return change(next);
}

double LoadPlan::most_share() const {
  return std::ranges::max(steps_, {}, &LoadStep::share).share;
}

LoadPlan::Dose& LoadPlan::Dose::operator+=(const Dose& other) {
  on_s += other.on_s;
  taken_s += other.taken_s;
  return *this;
}

LoadPlan::Dose LoadPlan::dose(double from_s, double to_s) const {
  Dose dose;
  double at_s = std::max(0.0, from_s);
  while (at_s < to_s) {
    const double share = share_at(at_s);
    const std::optional<LoadStep> next = next_change(at_s);
    const double end_s = next ? std::min(next->at_s, to_s) : to_s;
    if (share > 0) dose += {end_s - at_s, share * (end_s - at_s)};
    at_s = end_s;
  }
  return dose;
}

}  // namespace loadshare
