#pragma once

#include "apps/mandelbrot/region.hpp"
#include "schedulers/types.hpp"

namespace loadshare::mandelbrot {

/// The pixels of an image and the points of the plane they stand for: their centres, row 0 being the top.
class Plane {
 public:
  Plane(const Bounds& bounds, Index width, Index height)
      : width_(width),
        height_(height),
        left_(bounds.re_from),
        top_(bounds.im_to),
        step_re_((bounds.re_to - bounds.re_from) / static_cast<double>(width)),
        step_im_((bounds.im_to - bounds.im_from) / static_cast<double>(height)) {}

  Index width() const { return width_; }
  Index height() const { return height_; }
  Index pixels() const { return width_ * height_; }

  double re(Index column) const { return left_ + (static_cast<double>(column) + 0.5) * step_re_; }
  double im(Index row) const { return top_ - (static_cast<double>(row) + 0.5) * step_im_; }

  /// Whether neighbours are apart: doubles end where a region is too small.
  bool tells_pixels_apart() const {
    return re(0) < re(1) && re(width_ - 1) < re(width_) && im(0) > im(1) && im(height_ - 1) > im(height_);
  }

 private:
  Index width_, height_;
  double left_, top_;
  double step_re_, step_im_;
};

}  // namespace loadshare::mandelbrot
