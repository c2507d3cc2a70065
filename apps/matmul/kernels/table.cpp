#include "apps/common/blas/library.hpp"
#include "apps/matmul/kernel.hpp"
#include "apps/matmul/kernels/blas_calls.hpp"
#include "apps/matmul/kernels/packed.hpp"
#include "apps/matmul/kernels/row_major.hpp"
#include "base/names.hpp"

namespace loadshare::matmul {
namespace {

template <class T>
struct Entry : KernelInfo {
  std::unique_ptr<Kernel<T>> (*make)(Index rows, Index inner);
};

template <class T>
const std::vector<Entry<T>>& table() {
  static const std::vector<Entry<T>> entries = {
      {{"packed", "packs the first matrix once per host, then multiplies small blocks"},
       [](Index rows, Index inner) -> std::unique_ptr<Kernel<T>> {
         return std::make_unique<PackedKernel<T>>(rows, inner);
       }},
      {{"blas", "one BLAS call a chunk, one BLAS thread a worker"},
       [](Index, Index) {
         blas::require_core_type();  // here, because a worker that joins does not know the kernel before
         return make_blas_kernel<T>();
       }},
      {{"naive", "the paper's plain loops, the same for every technique"},
       [](Index, Index) { return make_naive_kernel<T>(); }},
  };
  return entries;
}

void check_sizes(Index rows, Index inner) {
  if (fits_blas(rows) && fits_blas(inner)) return;
  throw UsageError(
      "a first matrix of " + std::to_string(rows) + " x " + std::to_string(inner) + " is too large",
      "the kernels count rows and columns up to 2147483647");
}

}  // namespace

const std::vector<KernelInfo>& kernels() {
  static const std::vector<KernelInfo> infos(table<double>().begin(), table<double>().end());
  return infos;
}

template <class T>
std::unique_ptr<Kernel<T>> make_kernel(std::string_view name, Index rows, Index inner) {
  check_sizes(rows, inner);
  return row_named("kernel", name, table<T>()).make(rows, inner);
}

template std::unique_ptr<Kernel<double>> make_kernel(std::string_view, Index, Index);
template std::unique_ptr<Kernel<float>> make_kernel(std::string_view, Index, Index);

}  // namespace loadshare::matmul
