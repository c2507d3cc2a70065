#pragma once

#include <vector>

namespace loadshare::tool {

/// A piece of work that is always the same: multiplications and additions of doubles that stay in the first
/// level of any cache, so that it tells the processor's speed and nothing of memory or of what others do to
/// it. Some 0.2 ms of a processor of today.
class SpeedKernel final {
 public:
  SpeedKernel();

  /// Floating-point operations of one piece.
  static double operations();
  void compute();
  /// Whether everything that was computed came out right; so nothing of it can be left out either.
  bool is_right() const;

 private:
  std::vector<double> values_;
  std::vector<double> added_;
};

}  // namespace loadshare::tool
