#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace loadshare::communication {

struct SizeRange {
  double least_bytes = 0;
  double most_bytes = 0;
};

/// One measurement: a size, in whatever unit, and seconds.
struct Sample {
  double size = 0;
  double seconds = 0;
  std::size_t launch = 0;  ///< of the program that measured it: times differ from one to the next
};

/// A line t(n) = c n + k over the sizes from its first up to the next segment's first, and how samples
/// scatter about it.
struct Segment {
  double first_size = 0;
  double last_size = 0;  ///< the largest that was measured in it
  double c_s = 0;        ///< seconds a unit of size
  double k_s = 0;
  /// Quantiles 0.05 and 0.95 of sample / line: a new sample, of a new launch where there were several, lies
  /// between `low` and `high` times the line nine times of ten.
  double low = 1;
  double high = 1;
};

/// What a curve says of one size.
struct Estimate {
  double seconds = 0;
  /// Nine new samples of ten lie between the two. Of an extrapolated size nothing is promised, 0 to infinity:
  /// how samples scatter tells nothing of jumps and kinks where none was taken.
  double low_s = 0;
  double high_s = 0;
  bool is_extrapolated = false;  ///< the size lies outside what was measured

  /// The standard deviation of a sample's logarithm that the interval tells of; 0 where it tells nothing.
  double deviation() const;
};

/// Times over sizes, as a fit of samples gives them: segments in the order of their sizes.
class Curve final {
 public:
  /// `segments` as said above, at least one; the smallest size measured is the first one's first.
  explicit Curve(std::vector<Segment> segments);
  /// Segments that say more of sizes below the smallest measured, `first_size`, than a prolonged line does.
  Curve(std::vector<Segment> segments, double first_size);

  /// At any size; outside the segments the outermost one is prolonged.
  Estimate at(double size) const;
  /// The same without its interval, for who asks a million times.
  double seconds(double size) const;

  std::span<const Segment> segments() const { return segments_; }
  /// Which segment that size belongs to.
  std::size_t index_of(double size) const;
  /// The smallest and the largest that was measured.
  double first_size() const { return first_size_; }
  double last_size() const { return segments_.back().last_size; }
  /// Whether the size lies within what was measured.
  bool covers(double size) const { return size >= first_size() && size <= last_size(); }

  /// The size below which the line is negative, and that above which it is: a fit that does not keep from it
  /// can say so. Nothing where it never is.
  std::optional<double> negative_below() const;
  std::optional<double> negative_above() const;

 private:
  const Segment& segment_of(double size) const { return segments_[index_of(size)]; }

  std::vector<Segment> segments_;
  double first_size_;
};

}  // namespace loadshare::communication
