#include "models/messages/two_states.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/statistics.hpp"
#include "models/messages/fit.hpp"
#include "models/messages/fits/points.hpp"

namespace loadshare::communication {
namespace {

/// Of fewer times of a size two groups are chance.
constexpr std::size_t fewest_times = 8;
/// Of a size's times, in the smaller group.
constexpr double least_share = 0.15;
/// Between the longest time of the one and the shortest of the other.
constexpr double apart = 2;
/// From the smallest to the largest size with both states: what is free of buffers differs by less.
constexpr double widest = 2;
/// Sizes with both states are one step where they are this near, or no other size lies between them.
constexpr double near = 1.5;

using TimesBySize = std::map<double, std::vector<double>>;

/// Two times next to each other, farther apart than any others that leave enough on either side.
struct Gap {
  double from_s = 0;
  double to_s = 0;
};

std::optional<Gap> gap_of(std::vector<double> times_s) {
  if (times_s.size() < fewest_times) return std::nullopt;
  std::ranges::sort(times_s);
  const auto least = static_cast<std::size_t>(std::ceil(least_share * static_cast<double>(times_s.size())));
  Gap longest{1, 1};
  for (std::size_t i = least; i + least <= times_s.size(); ++i)
    if (times_s[i] / times_s[i - 1] > longest.to_s / longest.from_s) longest = {times_s[i - 1], times_s[i]};
  return longest.to_s > apart * longest.from_s ? std::optional(longest) : std::nullopt;
}

/// Sizes with a gap that are near each other; the border is not known yet.
std::vector<TwoStates> candidates(const TimesBySize& times) {
  std::vector<TwoStates> found;
  double last_size = 0;
  for (const auto& [size, times_s] : times) {
    const double before = std::exchange(last_size, size);
    const auto gap = gap_of(times_s);
    if (!gap) continue;
    const double between_s = std::sqrt(gap->from_s * gap->to_s);
    if (found.empty() || (found.back().last_size != before && size > near * found.back().last_size))
      found.push_back({size, size, size, between_s});
    found.back().last_size = size;
  }
  return found;
}

/// From the size on whose times are told apart who is gone takes no more than in proportion, who waits more.
bool is_in_one_state(double size, const std::vector<double>& times_s, const TwoStates& states) {
  const bool waits = size > states.last_size;
  const double between_s = states.between_s * std::max(1.0, size / states.first_size);
  const auto others = std::ranges::count_if(times_s, [&](double s) { return (s > between_s) != waits; });
  const double most = times_s.size() < fewest_times ? 0.5 : least_share;
  return static_cast<double>(others) < most * static_cast<double>(times_s.size());
}

/// There are sizes on either side, however far away, and smaller ones are all gone, larger ones all wait.
bool is_one_step(const TimesBySize& times, const TwoStates& states) {
  if (times.begin()->first == states.first_size || times.rbegin()->first == states.last_size) return false;
  return std::ranges::all_of(times, [&](const auto& entry) {
    const auto& [size, times_s] = entry;
    return states.is_mixed(size) || is_in_one_state(size, times_s, states);
  });
}

/// That the fewest times contradict.
double border_of(const TimesBySize& times, const TwoStates& states) {
  std::ptrdiff_t contradicting = 0;
  for (const auto& [size, times_s] : times)
    if (states.is_mixed(size))
      contradicting += std::ranges::count_if(times_s, [&](double s) { return s <= states.between_s; });
  std::ptrdiff_t fewest = contradicting;  // with the border before all
  double border = states.first_size;
  for (auto at = times.lower_bound(states.first_size); at != times.end() && states.is_mixed(at->first);
       ++at) {
    for (const double seconds : at->second) contradicting += seconds > states.between_s ? 1 : -1;
    if (contradicting >= fewest) continue;
    fewest = contradicting;
    const auto next = std::next(at);
    border = next == times.end() ? at->first : std::midpoint(at->first, next->first);
  }
  return border;
}

/// What is known of one size alone: its median, each launch counting alike, for all.
Segment constant(std::span<const Sample> samples) {
  std::vector<double> seconds;
  for (const Sample& sample : level_launches(samples)) seconds.push_back(sample.seconds);
  const double median_s = median_of(seconds);
  LaunchRatios ratios;
  for (const Sample& sample : samples) ratios[sample.launch].push_back(sample.seconds / median_s);
  const Band band = band_of_launches(ratios);
  return {samples.front().size, samples.front().size, 0, median_s, band.low, band.high};
}

/// A segment's part from that size on becomes one of its own.
void cut(std::vector<Segment>& segments, double size) {
  const auto after = std::ranges::upper_bound(segments, size, {}, &Segment::first_size);
  if (after == segments.begin() || std::prev(after)->first_size == size) return;
  Segment right = *std::prev(after);
  right.first_size = size;
  std::prev(after)->last_size = std::min(std::prev(after)->last_size, size);
  segments.insert(after, right);
}

/// Where both states were seen a new sample may be in either.
Curve widened(const Curve& curve, const TwoStates& states, const Curve& gone, const Curve& waiting) {
  std::vector<Segment> segments(curve.segments().begin(), curve.segments().end());
  const double behind = std::nextafter(states.last_size, std::numeric_limits<double>::infinity());
  for (const double size : {states.first_size, behind}) cut(segments, size);
  for (Segment& segment : segments) {
    if (!states.is_mixed(segment.first_size)) continue;
    const double own_s = segment.c_s * segment.first_size + segment.k_s;
    const auto ratio_of = [&](const Curve& other, double Segment::*side) {
      const double size = segment.first_size;
      return own_s > 0 ? other.seconds(size) * (other.segments()[other.index_of(size)].*side) / own_s : 1;
    };
    segment.low = std::min(segment.low, ratio_of(gone, &Segment::low));
    segment.high = std::max(segment.high, ratio_of(waiting, &Segment::high));
  }
  return {std::move(segments), curve.first_size()};
}

}  // namespace

std::optional<TwoStates> find_two_states(std::span<const Sample> samples) {
  TimesBySize times;
  for (const Sample& sample : samples) times[sample.size].push_back(sample.seconds);
  std::optional<TwoStates> found;
  for (TwoStates& states : candidates(times)) {
    if (states.last_size > widest * states.first_size || !is_one_step(times, states)) continue;
    states.border_size = border_of(times, states);
    if (!found || states.between_s > found->between_s) found = states;
  }
  return found;
}

Curve fit_or_constant(const std::string& fit, const NamedSamples& part) {
  const auto is_of_first = [&](const Sample& one) { return one.size == part.samples.front().size; };
  if (std::ranges::all_of(part.samples, is_of_first)) return Curve({constant(part.samples)});
  try {
    return fit_curve(fit, part.samples);
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}: {}", part.name, error.what()));
  }
}

Curve joined(const Curve& left, const Curve& right, double border) {
  std::vector<Segment> segments;
  for (const Segment& segment : left.segments())
    if (segments.empty() || segment.first_size < border) segments.push_back(segment);
  const auto of_right = right.segments().subspan(right.index_of(border));
  const std::size_t first = segments.size();
  segments.insert(segments.end(), of_right.begin(), of_right.end());
  segments[first].first_size = border;
  return {std::move(segments), left.first_size()};
}

Curve fit_two_states(const std::string& fit, std::span<const Sample> samples, const TwoStates& states) {
  NamedSamples gone{{}, "sends that complete immediately"}, waiting{{}, "sends that wait for the wire"};
  for (const Sample& sample : samples) (states.is_waiting(sample) ? waiting : gone).samples.push_back(sample);
  if (gone.samples.empty() || waiting.samples.empty()) return fit_curve(fit, samples);
  const Curve of_gone = fit_or_constant(fit, gone), of_waiting = fit_or_constant(fit, waiting);
  return widened(joined(of_gone, of_waiting, states.border_size), states, of_gone, of_waiting);
}

}  // namespace loadshare::communication
