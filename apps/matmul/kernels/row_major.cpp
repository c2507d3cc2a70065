#include "apps/matmul/kernels/row_major.hpp"

#include <algorithm>
#include <vector>

#include "apps/common/vectors.hpp"
#include "apps/matmul/kernels/blas_calls.hpp"
#include "runtime/host/page_memory.hpp"

namespace loadshare::matmul {
namespace {

constexpr Index block = 512;  // sums of one block stay in the first cache while the rows are read

template <class T>
[[gnu::always_inline]] inline void add_block(const T* panel, Index rows, Index stride, Index size,
                                             const LeftFactor& left, const LeftProduct& product) {
  double sums[block] = {};
  double squares[block] = {};
  for (Index i = 0; i < rows; ++i) {
    const T* row = panel + i * stride;
    for (Index k = 0; k < size; ++k) {
      const double value = row[k];
      const double scaled = value * left.scale;
      sums[k] += left.r[i] * value;
      squares[k] += scaled * scaled;
    }
  }
  for (Index k = 0; k < size; ++k) {
    product.sums[k] += sums[k];
    product.squares[k] += squares[k];
  }
}

template <class T>
class RowMajorKernel : public Kernel<T> {
 public:
  void prepare(T*, Index, Index) const final {}
  void unpack(const T* panel, Index rows, Index inner, T* out) const final {
    std::copy_n(panel, rows * inner, out);
  }
  void accumulate_left(const T* panel, Index rows, Index inner, const LeftFactor& left,
                       const LeftProduct& product) const final {
    with_widest_vectors([&]() __attribute__((always_inline)) {
      for (Index first = 0; first < inner; first += block) {
        add_block(panel + first, rows, inner, std::min(block, inner - first), left,
                  {product.sums + first, product.squares + first});
      }
    });
  }
};

template <class T>
class BlasKernel final : public RowMajorKernel<T> {
 public:
  BlasKernel() { blas::use_one_thread(); }

  std::string note() const override { return blas::openblas().note; }

  void multiply(PanelSource<T>& a, const T* b, T* c, Index columns) const override {
    const Index rows = a.rows();
    const Index inner = a.inner();
    if (rows == 0 || columns == 0) return;
    if (inner == 0) {
      std::fill_n(c, rows * columns, T{0});
      return;
    }
    // The single call reads all of A, so every panel must have arrived before.
    const T* first = a.panel(0);
    for (Index i = 1; i < a.panels(); ++i) a.panel(i);
    gemm(Product<T>{rows, inner, columns, first, Storage::row_major, b, inner, c, rows});
  }

  // Copies chunks that are not adjacent into one array, because BLAS packs all of A in every call. That takes
  // as long as about 20 columns of a product of size 2048 (kernel_bench, a Xeon with AVX-512).
  void multiply_together(PanelSource<T>& a, std::span<const ChunkColumns<T>> chunks) const override {
    const std::vector<ChunkColumns<T>> parts = joined(chunks, a.rows(), a.inner());
    if (parts.size() == 1) return multiply(a, parts[0].b, parts[0].c, parts[0].columns);
    Index columns = 0;
    for (const ChunkColumns<T>& part : parts) columns += part.columns;
    thread_local PageMemory<T> copies;
    const Index size = columns * (a.inner() + a.rows());
    if (copies.size() < size) copies = PageMemory<T>(size);
    T* const c = copies.data() + columns * a.inner();
    T* b = copies.data();
    for (const ChunkColumns<T>& part : parts) b = std::copy_n(part.b, part.columns * a.inner(), b);
    multiply(a, copies.data(), c, columns);
    const T* product = c;
    for (const ChunkColumns<T>& part : parts) {
      std::copy_n(product, part.columns * a.rows(), part.c);
      product += part.columns * a.rows();
    }
  }
  Index columns_at_once() const override { return 192; }
};

/// Sums in T, like the plain loop.
template <class T>
T dot(const T* x, const T* y, Index size) {
  T sum = 0;
  for (Index k = 0; k < size; ++k) sum += x[k] * y[k];
  return sum;
}

template <class T>
class NaiveKernel final : public RowMajorKernel<T> {
 public:
  void multiply(PanelSource<T>& a, const T* b, T* c, Index columns) const override {
    const Index inner = a.inner();
    if (inner == 0) {  // there are no panels
      std::fill_n(c, a.rows() * columns, T{0});
      return;
    }
    for (Index p = 0; p < a.panels(); ++p) {
      const T* panel = a.panel(p);
      for (Index j = 0; j < columns; ++j) {
        T* target = c + j * a.rows() + p * panel_rows;
        for (Index i = 0; i < a.rows_in(p); ++i) {
          target[i] = dot(panel + i * inner, b + j * inner, inner);
        }
        a.advanced(a.rows_in(p) * inner);
      }
    }
  }
};

}  // namespace

template <class T>
std::unique_ptr<Kernel<T>> make_blas_kernel() {
  return std::make_unique<BlasKernel<T>>();
}

template <class T>
std::unique_ptr<Kernel<T>> make_naive_kernel() {
  return std::make_unique<NaiveKernel<T>>();
}

template std::unique_ptr<Kernel<double>> make_blas_kernel();
template std::unique_ptr<Kernel<float>> make_blas_kernel();
template std::unique_ptr<Kernel<double>> make_naive_kernel();
template std::unique_ptr<Kernel<float>> make_naive_kernel();

}  // namespace loadshare::matmul
