#include "apps/cannon/kernel.hpp"

#include <array>
#include <vector>

#include "apps/common/blas/library.hpp"
#include "base/names.hpp"

namespace loadshare::cannon {

namespace {

void multiply_by_blas(const BlockProduct& p) {
  const auto rows = static_cast<int>(p.rows);
  const auto inner = static_cast<int>(p.inner);
  const auto columns = static_cast<int>(p.columns);
  const blas::CallRoom room;
  blas::openblas().library.dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, rows, columns, inner, 1.0, p.a,
                                 inner, p.b, columns, 1.0, p.c, columns);
}

void multiply_naively(const BlockProduct& p) {
  for (Index i = 0; i < p.rows; ++i)
    for (Index k = 0; k < p.inner; ++k) {
      const double factor = p.a[i * p.inner + k];
      for (Index j = 0; j < p.columns; ++j) p.c[i * p.columns + j] += factor * p.b[k * p.columns + j];
    }
}

constexpr std::array table{
    KernelInfo{"blas", "one call of dgemm for each step, on one thread", multiply_by_blas},
    KernelInfo{"naive", "three loops, to be slow and simple", multiply_naively},
};

}  // namespace

std::span<const KernelInfo> kernels() {
  return table;
}

Kernel find_kernel(const std::string& name) {
  return row_named("kernel", name, table).multiply;
}

}  // namespace loadshare::cannon
