#pragma once

#include <optional>

#include "apps/common/matrix/load.hpp"
#include "apps/matvec/options.hpp"
#include "apps/matvec/shape.hpp"
#include "apps/matvec/workload.hpp"

namespace loadshare::matvec {

/// Where matrix and vector come from, on the master: two .npy files, or a seed.
class Inputs {
 public:
  /// Opens the files; throws UsageError where they are not there, are no matrix and vector, or do not fit
  /// together.
  explicit Inputs(const MatvecOptions& options);

  const ProductShape& shape() const { return shape_; }
  /// What y is in a file: it has as many dimensions as x.
  NpyHeader result_form() const;
  template <class T>
  void fill(const Operands<T>& operands) const;

 private:
  std::optional<NpyFile> a_, x_;
  std::uint64_t seed_;
  ProductShape shape_;
};

}  // namespace loadshare::matvec
