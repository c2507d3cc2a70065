#pragma once

#include <algorithm>
#include <array>
#include <cstddef>

namespace loadshare {

/// Quantile 0.95 of Student's t with so many degrees of freedom >= 1; beyond the table by t = z + 1.6 /
/// freedom, within 0.01.
constexpr double students_t_95(std::size_t freedom) {
  constexpr std::array table{6.314, 2.920, 2.353, 2.132, 2.015, 1.943, 1.895, 1.860,
                             1.833, 1.812, 1.796, 1.782, 1.771, 1.761, 1.753, 1.746};
  const std::size_t at = std::max<std::size_t>(1, freedom);
  return at <= table.size() ? table[at - 1] : 1.645 + 1.6 / static_cast<double>(at);
}

/// The same quantile over that of the normal distribution.
constexpr double students_t_over_normal(std::size_t freedom) {
  return students_t_95(freedom) / 1.645;
}

}  // namespace loadshare
