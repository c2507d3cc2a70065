#pragma once

#include "apps/common/matrix/sizes.hpp"

namespace loadshare::matvec {

/// The sizes of a product: A is rows x columns, x has `columns` elements, y `rows`.
struct ProductShape {
  Index rows = 0;
  Index columns = 0;
  ElementType type = ElementType::float64;

  double operations() const { return 2.0 * static_cast<double>(rows) * static_cast<double>(columns); }
  Bytes matrix() const { return matrix_bytes(rows, columns, type); }
  Bytes bytes() const {
    return add_bytes(matrix(), add_bytes(matrix_bytes(columns, 1, type), matrix_bytes(rows, 1, type)));
  }
};

}  // namespace loadshare::matvec
