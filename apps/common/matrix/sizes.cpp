#include "apps/common/matrix/sizes.hpp"

#include <fmt/format.h>

namespace loadshare {

Bytes matrix_bytes(Index rows, Index cols, ElementType type) {
  const Bytes elements = multiply_bytes(static_cast<Bytes>(rows), static_cast<Bytes>(cols));
  return multiply_bytes(elements, element_size(type));
}

Bytes product_bytes(Index rows, Index inner, Index cols, ElementType type) {
  const Bytes inputs = add_bytes(matrix_bytes(rows, inner, type), matrix_bytes(inner, cols, type));
  return add_bytes(inputs, matrix_bytes(rows, cols, type));
}

std::string shape_text(Index rows, Index cols) {
  return fmt::format("{} x {}", rows, cols);
}

}  // namespace loadshare
