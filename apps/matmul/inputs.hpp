#pragma once

#include <optional>

#include "apps/common/matrix/load.hpp"
#include "apps/matmul/options.hpp"
#include "apps/matmul/shape.hpp"
#include "apps/matmul/workload.hpp"

namespace loadshare::matmul {

/// Where the matrices come from, on the master: two .npy files, or a seed.
class Inputs {
 public:
  /// Opens the files; throws UsageError where they are not there, not matrices, or do not fit together.
  explicit Inputs(const MatmulOptions& options);

  const ProductShape& shape() const { return shape_; }
  /// Fills A (row-major) and B (column-major).
  template <class T>
  void fill(const Matrices<T>& matrices) const;

 private:
  std::optional<NpyFile> a_, b_;
  std::uint64_t seed_;
  ProductShape shape_;
};

}  // namespace loadshare::matmul
