#include "apps/matmul/element_check.hpp"

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

/// Facts about a row of A or a column of B.
struct Line {
  long double norm = 0;  ///< Euclidean norm of the finite elements; may be greater than any double
  bool is_finite = true;
};

// Scales by a power of two so that no square overflows or vanishes.
Line measure(const double* x, Index size) {
  Line line;
  double largest = 0;
  for (Index i = 0; i < size; ++i) {
    if (std::isfinite(x[i]))
      largest = std::max(largest, std::abs(x[i]));
    else
      line.is_finite = false;
  }
  if (largest == 0) return line;
  const int exponent = std::clamp(std::ilogb(largest), -1000, 1000);  // the power's inverse must be finite
  const double scale = std::scalbn(1.0, -exponent);
  double sum = 0;
  for (Index i = 0; i < size; ++i) {
    const double scaled = std::isfinite(x[i]) ? scale * x[i] : 0;
    sum += scaled * scaled;
  }
  line.norm = std::scalbn(static_cast<long double>(std::sqrt(sum)), exponent);
  return line;
}

/// Some columns of B in double precision.
struct Batch {
  std::vector<double> b;
  std::vector<Line> lines;
};

template <class T>
Batch gather(const Computed<T>& product, const Index* columns, Index count) {
  const Index inner = product.a.inner();
  Batch batch;
  batch.b.reserve(static_cast<std::size_t>(count * inner));
  for (Index j = 0; j < count; ++j) {
    const T* column = product.b + columns[j] * inner;
    batch.b.insert(batch.b.end(), column, column + inner);
    batch.lines.push_back(measure(batch.b.data() + j * inner, inner));
  }
  return batch;
}

/// Returns one panel of A in double precision, row-major.
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

/// Returns how far an element of row a and column b may deviate: by rounding, and by products below the
/// smallest number. In long double, because the product of the norms may exceed a double.
template <class T>
long double tolerance(const Line& a, const Line& b, Index inner) {
  return unit_roundoff<T>(inner) * a.norm * b.norm +
         static_cast<long double>(inner + 2) * std::numeric_limits<T>::denorm_min();
}

/// The operands of one element: a row of A and a column of B.
struct Operands {
  const double* a;
  const double* b;
  Index inner;
};

long double wide_inner_product(const Operands& of) {
  long double sum = 0;
  for (Index k = 0; k < of.inner; ++k) sum += static_cast<long double>(of.a[k]) * of.b[k];
  return sum;
}

constexpr ColumnCheck wrong{infinity, false};
constexpr ColumnCheck undecided{infinity, true};

/// Checks finite operands without overflow.
template <class T>
ColumnCheck check_ordinary(T computed, double expected, long double tolerance) {
  if (!std::isfinite(computed)) return wrong;
  return {static_cast<double>(std::abs(computed - static_cast<long double>(expected)) / tolerance)};
}

/// Checks finite operands whose sum, or a part of it, may exceed any T.
template <class T>
ColumnCheck check_overflow(T computed, const Operands& operands, long double tolerance) {
  const long double exact = wide_inner_product(operands);
  if (std::isfinite(computed)) return {static_cast<double>(std::abs(computed - exact) / tolerance)};
  const bool overflows = std::abs(exact) + tolerance >= std::numeric_limits<T>::max();
  if (overflows && std::isinf(computed)) return std::signbit(computed) == (exact < 0) ? ColumnCheck{} : wrong;
  return undecided;
}

/// Returns the sum of the products that have an infinite or NaN operand. It equals the sum of all products.
double special_sum(const Operands& of) {
  double sum = 0;
  for (Index k = 0; k < of.inner && !std::isnan(sum); ++k)
    if (!std::isfinite(of.a[k]) || !std::isfinite(of.b[k])) sum += of.a[k] * of.b[k];
  return sum;
}

/// Checks an element with an infinite or NaN operand; then `expected` is infinite or NaN, too.
template <class T>
ColumnCheck check_special(T computed, double expected, bool may_overflow) {
  const double value = computed;
  if (std::isnan(value) && std::isnan(expected)) return {};
  if (std::isinf(expected) && value == expected) return {};
  // An infinity, and finite products that overflow with the other sign, give NaN in some orders of summation.
  return may_overflow && std::isinf(expected) && std::isnan(value) ? undecided : wrong;
}

void add(ColumnCheck& all, const ColumnCheck& one) {
  all.deviation = std::max(all.deviation, one.deviation);
  all.is_undecided |= one.is_undecided;
}

template <class T>
void check_panel(const Computed<T>& product, Index panel, const Batch& batch, const Index* columns,
                 Reference reference, ColumnCheck* checks) {
  const Index rows = product.a.rows_in(panel);
  const Index inner = product.a.inner();
  const auto count = static_cast<Index>(batch.lines.size());
  const std::vector<double> a = unpacked(product, panel);
  std::vector<double> expected(static_cast<std::size_t>(rows * count));
  multiply({a.data(), rows, inner, batch.b.data(), count}, reference, expected.data());
  for (Index i = 0; i < rows; ++i) {
    const Line row = measure(a.data() + i * inner, inner);
    for (Index j = 0; j < count; ++j) {
      const Line& column = batch.lines[static_cast<std::size_t>(j)];
      const long double limit = tolerance<T>(row, column, inner);
      const bool may_overflow = row.norm * column.norm + limit >= std::numeric_limits<T>::max();
      const T computed = product.c[columns[j] * product.a.rows() + panel * panel_rows + i];
      const double reference_value = expected[static_cast<std::size_t>(j * rows + i)];
      const Operands operands{a.data() + i * inner, batch.b.data() + j * inner, inner};
      const bool is_special = !row.is_finite || !column.is_finite;
      add(checks[j],
          is_special
              ? check_special(computed, may_overflow ? special_sum(operands) : reference_value, may_overflow)
          : may_overflow ? check_overflow(computed, operands, limit)
                         : check_ordinary(computed, reference_value, limit));
    }
  }
}

}  // namespace

template <class T>
std::vector<ColumnCheck> check_elements(const Computed<T>& product, const std::vector<Index>& columns,
                                        Reference reference) {
  std::vector<ColumnCheck> checks(columns.size());
  const auto total = static_cast<Index>(columns.size());
  for (Index first = 0; first < total; first += batch_columns) {
    const Index* batch_first = columns.data() + first;
    const Batch batch = gather(product, batch_first, std::min(batch_columns, total - first));
    for (Index p = 0; p < product.a.panels(); ++p) {
      check_panel(product, p, batch, batch_first, reference, checks.data() + first);
    }
  }
  return checks;
}

template std::vector<ColumnCheck> check_elements(const Computed<double>&, const std::vector<Index>&,
                                                 Reference);
template std::vector<ColumnCheck> check_elements(const Computed<float>&, const std::vector<Index>&,
                                                 Reference);

}  // namespace loadshare::matmul
