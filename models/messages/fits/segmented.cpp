#include "models/messages/fits/segmented.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/statistics.hpp"
#include "models/messages/fit.hpp"

namespace loadshare::communication {
namespace {

constexpr double bend = 2.385;
constexpr int most_rounds = 12;
/// A line that changes by less at both ends has arrived.
constexpr double small_change = 1e-4;

/// The line of those sums, whose x counts from the origin.
Line rising_line(const LineSums& sums, double origin) {
  const auto [start, slope] = sums.rising_line();
  return {origin, start, slope};
}

/// The middle one of a point and its neighbours: a first line through them is not led astray by one.
double smoothed_s(std::span<const Point> points, std::size_t at) {
  const double own = points[at].seconds;
  if (at == 0 || at + 1 == points.size()) return own;
  const auto [low, high] = std::minmax(points[at - 1].seconds, points[at + 1].seconds);
  return std::clamp(own, low, high);
}

Line first_line(std::span<const Point> points, double origin) {
  LineSums sums;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double seconds = smoothed_s(points, i);
    sums.add(points[i].size - origin, seconds, 1 / (seconds * seconds));
  }
  return rising_line(sums, origin);
}

/// What deviations are relative to; a line that is 0 somewhere is no measure there.
double base_s(const Line& line, const Point& point) {
  return std::max(line.at(point.size), point.seconds / 100);
}

/// Squared, in units of the noise and of the bend. Of the ratio's logarithm, so that ten times too much
/// counts as a tenth does: else a line through a few high outliers would seem better than one below them.
double squared_deviation(const Line& line, const Point& point) {
  const double deviation = std::log(point.seconds / base_s(line, point)) / point.noise / bend;
  return deviation * deviation;
}

Line reweighted(std::span<const Point> points, const Line& line) {
  LineSums sums;
  for (const Point& point : points) {
    const double unit_s = base_s(line, point) * point.noise;
    const double weight = 1 / (unit_s * unit_s) / (1 + squared_deviation(line, point));
    sums.add(point.size - line.origin, point.seconds, weight);
  }
  return rising_line(sums, line.origin);
}

bool is_near(const Line& a, const Line& b, double size) {
  return std::abs(a.at(size) - b.at(size)) <= small_change * std::max(a.at(size), b.at(size));
}

/// Two sizes lie on any line. Where a size's median is of few samples an outlier is left in it, and two among
/// three or four sizes make a line of their own.
constexpr std::size_t fewest_sizes = 3;
constexpr std::size_t fewest_unrepeated_sizes = 5;
constexpr std::size_t repeated = 5;
/// The work grows with its third power; calibrations have about a hundred.
constexpr std::size_t most_points = 150;

RobustLine line_of(std::span<const Point> points, std::size_t begin, std::size_t end) {
  return robust_line(points.subspan(begin, end - begin), points[begin].size);
}

Segment segment_of(const Line& line, double first_size, double last_size) {
  return {first_size, last_size, line.slope_s, line.start_s - line.slope_s * line.origin, 1, 1};
}

/// Where the right one begins, between the left one's last size and its own first. Between two lines that do
/// not cross there, a jump up in the middle leaves both within what was measured; before a jump down the
/// right line must not be prolonged, for it might lead below 0.
double border(const Segment& left, const Segment& right) {
  const double begin = left.last_size, end = right.first_size;
  const double crossing = (left.k_s - right.k_s) / (right.c_s - left.c_s);
  if (crossing > begin && crossing <= end) return crossing;
  const bool is_jump_up = right.c_s * begin + right.k_s > left.c_s * begin + left.k_s;
  return is_jump_up ? (begin + end) / 2 : end;
}

std::vector<Segment> segments_of(std::span<const Point> points, std::size_t fewest) {
  const double penalty = 3 * std::log(static_cast<double>(points.size()));
  const std::vector<std::size_t> begins =
      best_partition(points.size(), fewest, penalty,
                     [&](std::size_t begin, std::size_t end) { return line_of(points, begin, end).loss; });
  std::vector<Segment> segments;
  for (std::size_t i = 0; i < begins.size(); ++i) {
    const std::size_t end = i + 1 < begins.size() ? begins[i + 1] : points.size();
    segments.push_back(
        segment_of(line_of(points, begins[i], end).line, points[begins[i]].size, points[end - 1].size));
  }
  for (std::size_t i = 1; i < segments.size(); ++i)
    segments[i].first_size = border(segments[i - 1], segments[i]);
  return segments;
}

/// A first line that would be negative for small sizes gives way to one through the origin: late, where its
/// slope is halved by that, for until then it is the better guess; at the latest where the samples end.
void keep_from_negative(std::vector<Segment>& segments) {
  Segment& first = segments.front();
  if (first.k_s >= 0) return;
  first.first_size = std::min(first.first_size, 2 * -first.k_s / first.c_s);
  const double end = first.first_size;
  segments.insert(segments.begin(), {0, end, (first.c_s * end + first.k_s) / end, 0, 1, 1});
}

/// A segment of too few samples of some launch for quantiles of its own takes those of the whole curve.
void set_bands(std::vector<Segment>& segments, std::span<const Sample> samples) {
  const Curve curve(segments);
  std::vector<LaunchRatios> ratios(segments.size());
  LaunchRatios all;
  for (const Sample& sample : samples) {
    const double ratio = sample.seconds / curve.seconds(sample.size);
    all[sample.launch].push_back(ratio);
    ratios[curve.index_of(sample.size)][sample.launch].push_back(ratio);
  }
  const Band of_all = band_of_launches(all);
  const auto is_enough = [&](const LaunchRatios& each) {
    return each.size() == all.size() && std::ranges::all_of(each, [](const auto& launch) {
             return launch.second.size() >= enough_ratios;
           });
  };
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const Band band = is_enough(ratios[i]) ? band_of_launches(ratios[i]) : of_all;
    segments[i].low = band.low;
    segments[i].high = band.high;
  }
}

}  // namespace

std::vector<std::size_t> best_partition(std::size_t count, std::size_t least, double penalty,
                                        const PartCost& cost) {
  if (count < 2 * least) return {0};
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<double> best(count + 1, never);         // of the first so many places
  std::vector<std::size_t> last_begin(count + 1, 0);  // of the last part in that
  best[0] = 0;
  for (std::size_t end = least; end <= count; ++end)
    for (std::size_t begin = 0; begin + least <= end; ++begin) {
      if (best[begin] == never) continue;
      const double total = best[begin] + penalty + cost(begin, end);
      if (total >= best[end]) continue;
      best[end] = total;
      last_begin[end] = begin;
    }
  std::vector<std::size_t> begins;
  for (std::size_t end = count; end > 0; end = last_begin[end]) begins.push_back(last_begin[end]);
  std::ranges::reverse(begins);
  return begins;
}

RobustLine robust_line(std::span<const Point> points, double origin) {
  RobustLine result{first_line(points, origin), 0};
  for (int round = 0; round < most_rounds; ++round) {
    const Line last = result.line;
    result.line = reweighted(points, last);
    if (is_near(last, result.line, points.front().size) && is_near(last, result.line, points.back().size))
      break;
  }
  for (const Point& point : points)
    result.loss += bend * bend * std::log1p(squared_deviation(result.line, point));
  return result;
}

Curve fit_segmented(std::span<const Sample> samples) {
  const std::vector<Point> points = points_of(samples, most_points);
  const bool is_repeated = samples.size() >= repeated * points.size();
  std::vector<Segment> segments = segments_of(points, is_repeated ? fewest_sizes : fewest_unrepeated_sizes);
  const auto [least, most] = std::ranges::minmax(samples, {}, &Sample::size);
  segments.front().first_size = least.size;
  segments.back().last_size = most.size;
  keep_from_negative(segments);
  set_bands(segments, samples);
  return {std::move(segments), least.size};
}

}  // namespace loadshare::communication
