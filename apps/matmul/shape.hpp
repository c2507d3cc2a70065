#pragma once

#include "apps/common/matrix/sizes.hpp"

namespace loadshare::matmul {

/// The sizes of a product: A is rows x inner, B inner x columns, C rows x columns.
struct ProductShape {
  Index rows = 0;
  Index inner = 0;
  Index columns = 0;
  ElementType type = ElementType::float64;

  double operations() const {
    return 2.0 * static_cast<double>(rows) * static_cast<double>(inner) * static_cast<double>(columns);
  }
};

}  // namespace loadshare::matmul
