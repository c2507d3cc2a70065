#include "apps/matmul/verify/elements.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "apps/matmul/kernels/blas_calls.hpp"
#include "apps/matmul/kernels/sums.hpp"

namespace loadshare::matmul {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Index batch_columns = 512;  // columns checked in one pass over A

// The Euclidean norm, scaled by a power of two so that no square overflows or vanishes.
double norm(const double* x, Index size) {
  double largest = 0;
  for (Index i = 0; i < size; ++i) largest = std::max(largest, std::abs(x[i]));
  if (largest == 0 || !std::isfinite(largest)) return largest;
  const int exponent = std::clamp(std::ilogb(largest), -1000, 1000);  // its power's inverse must be finite
  const double scale = std::scalbn(1.0, -exponent);
  double sum = 0;
  for (Index i = 0; i < size; ++i) {
    const double scaled = scale * x[i];
    sum += scaled * scaled;
  }
  return std::scalbn(std::sqrt(sum), exponent);
}

/// Some columns of B and their norms, in double precision.
struct Batch {
  std::vector<double> b;
  std::vector<double> norms;
};

template <class T>
Batch gather(const Computed<T>& product, const Index* columns, Index count) {
  const Index inner = product.a.inner();
  Batch batch;
  batch.b.reserve(static_cast<std::size_t>(count * inner));
  for (Index j = 0; j < count; ++j) {
    const T* column = product.b + columns[j] * inner;
    batch.b.insert(batch.b.end(), column, column + inner);
    batch.norms.push_back(norm(batch.b.data() + j * inner, inner));
  }
  return batch;
}

/// One panel of A in double precision, row-major.
template <class T>
std::vector<double> unpacked(const Computed<T>& product, Index panel) {
  const Index rows = product.a.rows_in(panel);
  std::vector<T> raw(static_cast<std::size_t>(rows * product.a.inner()));
  product.kernel.unpack(product.a.panel(panel), rows, product.a.inner(), raw.data());
  if constexpr (std::is_same_v<T, double>) return raw;
  return {raw.begin(), raw.end()};
}

struct Block {
  const double* a;
  Index rows;
  Index inner;
  const double* b;
  Index columns;
};

void multiply_by_loops(const Block& block, double* c) {
  for (Index j = 0; j < block.columns; ++j) {
    for (Index i = 0; i < block.rows; ++i) {
      *c++ = inner_product(block.a + i * block.inner, block.b + j * block.inner, block.inner);
    }
  }
}

void multiply_by_blas(const Block& block, double* c) {
  gemm(Product<double>{block.rows, block.inner, block.columns, block.a, Storage::row_major, block.b,
                       block.inner, c, block.rows});
}

void multiply(const Block& block, Reference reference, double* c) {
  if (block.inner == 0) {
    std::fill_n(c, block.rows * block.columns, 0.0);
  } else if (reference == Reference::blas) {
    multiply_by_blas(block, c);
  } else {
    multiply_by_loops(block, c);
  }
}

template <class T>
double unit_roundoff(Index inner) {
  constexpr double u = std::numeric_limits<T>::epsilon() / 2;
  constexpr double both = std::is_same_v<T, double> ? 2 : 1;
  return both * static_cast<double>(inner + 2) * u;
}

/// How far an element of row a and column b may be off: rounding, and products lost below the smallest
/// number.
template <class T>
double tolerance(double norm_a, double norm_b, Index inner) {
  const auto [smaller, larger] = std::minmax(norm_a, norm_b);
  return unit_roundoff<T>(inner) * larger * smaller +
         static_cast<double>(inner + 2) * static_cast<double>(std::numeric_limits<T>::denorm_min());
}

/// The deviation of one element as a multiple of what rounding may explain.
template <class T>
double deviation(T computed, double expected, double tolerance) {
  const double value = computed;
  const bool is_expected = std::isfinite(static_cast<T>(expected));
  if (is_expected && std::isfinite(value)) return std::abs(value - expected) / tolerance;
  if (!is_expected && !std::isfinite(value)) return 0;
  // On the verge of overflow either may have crossed it.
  constexpr double largest = std::numeric_limits<T>::max();
  const bool is_on_verge = std::isfinite(expected) && std::abs(expected) + tolerance >= largest;
  return is_on_verge && !std::isnan(value) ? 0 : infinity;
}

template <class T>
void check_panel(const Computed<T>& product, Index panel, const Batch& batch, const Index* columns,
                 Reference reference, double* worst) {
  const Index rows = product.a.rows_in(panel);
  const Index inner = product.a.inner();
  const auto count = static_cast<Index>(batch.norms.size());
  const std::vector<double> a = unpacked(product, panel);
  std::vector<double> expected(static_cast<std::size_t>(rows * count));
  multiply({a.data(), rows, inner, batch.b.data(), count}, reference, expected.data());
  for (Index i = 0; i < rows; ++i) {
    const double row_norm = norm(a.data() + i * inner, inner);
    for (Index j = 0; j < count; ++j) {
      const double limit = tolerance<T>(row_norm, batch.norms[static_cast<std::size_t>(j)], inner);
      const T computed = product.c[columns[j] * product.a.rows() + panel * panel_rows + i];
      worst[j] =
          std::max(worst[j], deviation(computed, expected[static_cast<std::size_t>(j * rows + i)], limit));
    }
  }
}

}  // namespace

template <class T>
std::vector<double> check_elements(const Computed<T>& product, const std::vector<Index>& columns,
                                   Reference reference) {
  std::vector<double> worst(columns.size(), 0.0);
  const auto total = static_cast<Index>(columns.size());
  for (Index first = 0; first < total; first += batch_columns) {
    const Index* batch_first = columns.data() + first;
    const Batch batch = gather(product, batch_first, std::min(batch_columns, total - first));
    for (Index p = 0; p < product.a.panels(); ++p) {
      check_panel(product, p, batch, batch_first, reference, worst.data() + first);
    }
  }
  return worst;
}

template std::vector<double> check_elements(const Computed<double>&, const std::vector<Index>&, Reference);
template std::vector<double> check_elements(const Computed<float>&, const std::vector<Index>&, Reference);

}  // namespace loadshare::matmul
