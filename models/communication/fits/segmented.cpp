#include "models/communication/fits/segmented.hpp"

#include <algorithm>
#include <cmath>

#include "models/communication/band.hpp"
#include "models/communication/fits/partition.hpp"
#include "models/communication/fits/points.hpp"
#include "models/communication/fits/robust_line.hpp"

namespace loadshare::communication {
namespace {

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
