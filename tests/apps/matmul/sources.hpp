#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "apps/matmul/kernel.hpp"

namespace loadshare::matmul::testing {

/// A first matrix in memory of its own, prepared panel by panel by a kernel. Without any particular
/// alignment.
template <class T>
class MemoryPanels final : public PanelSource<T> {
 public:
  MemoryPanels(std::vector<T> row_major, Index rows, Index inner, const Kernel<T>& kernel)
      : values_(std::move(row_major)), rows_(rows), inner_(inner) {
    for (Index p = 0; p < this->panels(); ++p) {
      kernel.prepare(values_.data() + p * panel_rows * inner, this->rows_in(p), inner);
    }
  }

  Index rows() const override { return rows_; }
  Index inner() const override { return inner_; }
  const T* panel(Index index) override { return values_.data() + index * panel_rows * inner_; }

 private:
  std::vector<T> values_;
  Index rows_;
  Index inner_;
};

/// Seeded numbers in [-scale, scale).
template <class T>
std::vector<T> random_values(Index count, std::uint64_t seed, double scale = 1) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> uniform(-scale, scale);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) value = static_cast<T>(uniform(engine));
  return values;
}

}  // namespace loadshare::matmul::testing
