#pragma once

#include <cstddef>
#include <string>

#include "base/names.hpp"
#include "base/quantities.hpp"
#include "base/types.hpp"

namespace loadshare {

enum class ElementType { float32, float64 };

constexpr std::size_t element_size(ElementType type) {
  return type == ElementType::float32 ? sizeof(float) : sizeof(double);
}

/// The values of --type.
inline constexpr Choices<ElementType, 2> element_types{
    {{"float64", ElementType::float64}, {"float32", ElementType::float32}}};

/// Returns "float32" or "float64".
inline std::string name_of(ElementType type) {
  return name_among(element_types, type);
}

/// The element type of a C++ type: float or double.
template <class T>
inline constexpr ElementType element_type = ElementType::float64;
template <>
inline constexpr ElementType element_type<float> = ElementType::float32;

/// Returns the bytes of a rows x cols matrix, 0 if it is empty. Dimensions must not be negative.
Bytes matrix_bytes(Index rows, Index cols, ElementType type);

/// Returns the bytes of A (rows x inner), B (inner x cols) and C (rows x cols) together.
Bytes product_bytes(Index rows, Index inner, Index cols, ElementType type);

/// Returns "3 x 4".
std::string shape_text(Index rows, Index cols);

}  // namespace loadshare
