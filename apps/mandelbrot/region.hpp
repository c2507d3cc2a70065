#pragma once

#include <string>
#include <vector>

namespace loadshare::mandelbrot {

/// A rectangle of the complex plane.
struct Bounds {
  double re_from = 0, re_to = 0;
  double im_from = 0, im_to = 0;
};

/// One row of the table of regions.
struct Region {
  std::string name;  ///< as on the command line; of bounds that were typed, their text
  std::string description;
  Bounds bounds;
};

/// The regions that have names: whole (default) and part.
const std::vector<Region>& regions();

/// A named region or `X0,X1,Y0,Y1`; throws UsageError on an unknown name (the nearest is named) and on bounds
/// that are no rectangle.
Region parse_region(const std::string& text);

}  // namespace loadshare::mandelbrot
