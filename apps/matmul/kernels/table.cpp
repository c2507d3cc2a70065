#include <algorithm>

#include "apps/matmul/kernel.hpp"
#include "apps/matmul/kernels/blas.hpp"
#include "apps/matmul/kernels/blas_calls.hpp"
#include "apps/matmul/kernels/naive.hpp"
#include "apps/matmul/kernels/packed.hpp"
#include "base/names.hpp"

namespace loadshare::matmul {
namespace {

template <class T>
struct Entry {
  KernelInfo info;
  std::unique_ptr<Kernel<T>> (*make)(Index rows, Index inner);
};

template <class T>
const std::vector<Entry<T>>& table() {
  static const std::vector<Entry<T>> entries = {
      {{"packed", "the first matrix packed once a host, then multiplied in small blocks"},
       [](Index rows, Index inner) -> std::unique_ptr<Kernel<T>> {
         return std::make_unique<PackedKernel<T>>(rows, inner);
       }},
      {{"blas", "one BLAS call a chunk, one BLAS thread a worker"},
       [](Index, Index) -> std::unique_ptr<Kernel<T>> { return std::make_unique<BlasKernel<T>>(); }},
      {{"naive", "the paper's plain loops, the same for every technique"},
       [](Index, Index) -> std::unique_ptr<Kernel<T>> { return std::make_unique<NaiveKernel<T>>(); }},
  };
  return entries;
}

[[noreturn]] void throw_unknown(std::string_view name) {
  std::vector<std::string> names;
  for (const KernelInfo& kernel : kernels()) names.push_back(kernel.name);
  throw unknown_name("kernel", name, names);
}

void check_sizes(Index rows, Index inner) {
  if (fits_blas(rows) && fits_blas(inner)) return;
  throw UsageError(
      "a first matrix of " + std::to_string(rows) + " x " + std::to_string(inner) + " is too large",
      "the kernels count rows and columns up to 2147483647");
}

}  // namespace

const std::vector<KernelInfo>& kernels() {
  static const std::vector<KernelInfo> infos = [] {
    std::vector<KernelInfo> all;
    for (const auto& entry : table<double>()) all.push_back(entry.info);
    return all;
  }();
  return infos;
}

template <class T>
std::unique_ptr<Kernel<T>> make_kernel(std::string_view name, Index rows, Index inner) {
  check_sizes(rows, inner);
  const auto& entries = table<T>();
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry<T>& entry) { return entry.info.name == name; });
  if (found == entries.end()) throw_unknown(name);
  return found->make(rows, inner);
}

template std::unique_ptr<Kernel<double>> make_kernel(std::string_view, Index, Index);
template std::unique_ptr<Kernel<float>> make_kernel(std::string_view, Index, Index);

}  // namespace loadshare::matmul
