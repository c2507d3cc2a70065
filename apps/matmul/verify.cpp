#include "apps/matmul/verify.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
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

std::string range_text(const Chunk& range) {
  std::string text = std::to_string(range.first);
  if (range.size > 1) text.append("-").append(std::to_string(range.end() - 1));
  return text;
}

std::vector<double> random_signs(Index count, std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  std::vector<double> r(static_cast<std::size_t>(count));
  for (double& value : r) {
    const std::uint64_t bits = engine();
    const double magnitude = 0.5 + std::ldexp(static_cast<double>(bits >> 11), -54);
    value = (bits & 1) != 0 ? magnitude : -magnitude;
  }
  return r;
}

/// r^T A and the Euclidean norms of A's columns.
struct LeftSide {
  std::vector<double> sums;
  std::vector<double> norms;
};

template <class T>
LeftSide multiply_left(const Computed<T>& product, const std::vector<double>& r, double scale) {
  const auto inner = static_cast<std::size_t>(product.a.inner());
  LeftSide left{std::vector<double>(inner, 0.0), std::vector<double>(inner, 0.0)};
  for (Index p = 0; p < product.a.panels(); ++p) {
    product.kernel.accumulate_left(product.a.panel(p), product.a.rows_in(p), product.a.inner(),
                                   {r.data() + p * panel_rows, scale}, {left.sums.data(), left.norms.data()});
  }
  for (double& norm : left.norms) norm = std::sqrt(norm) / scale;
  return left;
}

// Columns so large or small that their squares overflowed or vanished are done again, scaled by a power of
// two.
template <class T, class IsOutOfRange>
void mend_norms(const Computed<T>& product, const std::vector<double>& r, double scale,
                IsOutOfRange is_out_of_range, LeftSide& left) {
  if (std::none_of(left.norms.begin(), left.norms.end(), is_out_of_range)) return;
  const LeftSide scaled = multiply_left(product, r, scale);
  for (std::size_t k = 0; k < left.norms.size(); ++k) {
    if (is_out_of_range(left.norms[k])) left.norms[k] = scaled.norms[k];
  }
}

template <class T>
LeftSide left_side(const Computed<T>& product, const std::vector<double>& r) {
  LeftSide left = multiply_left(product, r, 1);
  if constexpr (std::is_same_v<T, double>) {
    mend_norms(
        product, r, 0x1p600, [](double norm) { return norm < 1e-140; }, left);
    mend_norms(
        product, r, 0x1p-600, [](double norm) { return std::isinf(norm); }, left);
  }
  return left;
}

/// What rounding may do: in proportion to a column's bound, and by products below the smallest number.
struct Rounding {
  double relative;
  double absolute;
};

template <class T>
Rounding rounding(Index rows, Index inner) {
  constexpr double u_product = std::numeric_limits<T>::epsilon() / 2;
  constexpr double u_check = std::numeric_limits<double>::epsilon() / 2;
  const auto terms = static_cast<double>(inner + 1);
  const auto lines = static_cast<double>(rows + 1);
  return {std::sqrt(terms) * u_product + std::sqrt(terms + lines) * u_check,
          lines * terms * static_cast<double>(std::numeric_limits<T>::denorm_min())};
}

double suspicion(const WeightedSums& expected, double actual, const Rounding& rounding) {
  if (!std::isfinite(expected.value) && !std::isfinite(actual)) return 0;
  const double limit = rounding.relative * expected.bound + rounding.absolute;
  const double ratio = std::abs(actual - expected.value) / limit;
  return std::isfinite(ratio) && std::isfinite(limit) ? ratio : std::numeric_limits<double>::infinity();
}

/// For each column the deviation of its sum as a multiple of the limit; above 1 it is suspicious.
template <class T>
std::vector<double> screen(const Computed<T>& product, std::uint64_t seed) {
  const Index rows = product.a.rows();
  const Index inner = product.a.inner();
  const std::vector<double> r = random_signs(rows, seed);
  const LeftSide left = left_side(product, r);
  const Rounding limits = rounding<T>(rows, inner);
  std::vector<double> suspicions;
  suspicions.reserve(static_cast<std::size_t>(product.columns));
  for (Index j = 0; j < product.columns; ++j) {
    const WeightedSums expected =
        weighted_sums(left.sums.data(), left.norms.data(), product.b + j * inner, inner);
    suspicions.push_back(suspicion(expected, inner_product(r.data(), product.c + j * rows, rows), limits));
  }
  return suspicions;
}

std::vector<Index> suspicious_worst_first(const std::vector<double>& suspicions) {
  std::vector<Index> columns;
  for (std::size_t j = 0; j < suspicions.size(); ++j) {
    if (suspicions[j] > 1) columns.push_back(static_cast<Index>(j));
  }
  std::stable_sort(columns.begin(), columns.end(), [&](Index x, Index y) {
    return suspicions[static_cast<std::size_t>(x)] > suspicions[static_cast<std::size_t>(y)];
  });
  return columns;
}

/// Tells wrong columns from those that rounding made suspicious; see the header for when it stops.
template <class T>
class Confirmation {
 public:
  Confirmation(const Computed<T>& product, std::vector<double>& deviations)
      : product_(product), deviations_(deviations) {}

  std::vector<Index> wrong_among(const std::vector<Index>& suspects) {
    constexpr std::size_t batch = 16;
    constexpr std::size_t enough = 64;
    std::vector<Index> wrong;
    auto next = suspects.begin();
    bool is_settled = false;
    while (next != suspects.end() && !is_settled && wrong.size() < enough) {
      const auto end = next + std::min<std::ptrdiff_t>(batch, suspects.end() - next);
      const bool is_inconclusive = deviation(*(end - 1)) == std::numeric_limits<double>::infinity();
      is_settled = !check({next, end}, wrong) && !is_inconclusive;
      next = end;
    }
    for (; next != suspects.end(); ++next) settle(*next, is_settled, wrong);
    std::sort(wrong.begin(), wrong.end());
    return wrong;
  }

 private:
  double& deviation(Index column) { return deviations_[static_cast<std::size_t>(column)]; }

  void settle(Index column, bool is_right, std::vector<Index>& wrong) {
    if (is_right) {
      deviation(column) = 0;
    } else {
      wrong.push_back(column);
    }
  }

  // Whether any of the columns is wrong; those are added to `wrong`.
  bool check(const std::vector<Index>& columns, std::vector<Index>& wrong) {
    const std::vector<double> found = check_elements(product_, columns, Reference::loops);
    const std::size_t before = wrong.size();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      deviation(columns[i]) = found[i];
      if (found[i] > 1) wrong.push_back(columns[i]);
    }
    return wrong.size() > before;
  }

  const Computed<T>& product_;
  std::vector<double>& deviations_;
};

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

Index Verdict::wrong_columns() const {
  return std::accumulate(wrong.begin(), wrong.end(), Index{0},
                         [](Index sum, const Chunk& range) { return sum + range.size; });
}

std::string describe_wrong(const Verdict& verdict) {
  if (verdict.is_right()) return "none";
  constexpr std::size_t spelled_out = 8;
  const Index count = verdict.wrong_columns();
  std::string text = count == 1 ? "column " : "columns ";
  const std::size_t shown = std::min(spelled_out, verdict.wrong.size());
  for (std::size_t i = 0; i < shown; ++i) {
    text.append(i == 0 ? "" : ", ").append(range_text(verdict.wrong[i]));
  }
  if (shown < verdict.wrong.size()) text.append(", ...");
  return text + " (" + std::to_string(count) + " of " + std::to_string(verdict.columns) + ")";
}

std::vector<Chunk> as_ranges(const std::vector<Index>& ascending) {
  std::vector<Chunk> ranges;
  for (const Index position : ascending) {
    if (!ranges.empty() && ranges.back().end() == position) {
      ++ranges.back().size;
    } else {
      ranges.push_back({position, 1});
    }
  }
  return ranges;
}

template <class T>
Verdict verify_full(const Computed<T>& product, Reference reference) {
  std::vector<Index> columns(static_cast<std::size_t>(product.columns));
  std::iota(columns.begin(), columns.end(), Index{0});
  const std::vector<double> deviations = check_elements(product, columns, reference);

  std::vector<Index> wrong;
  std::copy_if(columns.begin(), columns.end(), std::back_inserter(wrong),
               [&](Index column) { return deviations[static_cast<std::size_t>(column)] > 1; });
  Verdict verdict{"full", product.columns, as_ranges(wrong), 0};
  for (const double deviation : deviations) verdict.worst_error = std::max(verdict.worst_error, deviation);
  return verdict;
}

template Verdict verify_full(const Computed<double>&, Reference);
template Verdict verify_full(const Computed<float>&, Reference);

template <class T>
Verdict verify_freivalds(const Computed<T>& product, std::uint64_t seed) {
  std::vector<double> deviations = screen(product, seed);
  const std::vector<Index> suspects = suspicious_worst_first(deviations);
  const std::vector<Index> wrong = Confirmation<T>(product, deviations).wrong_among(suspects);
  Verdict verdict{"freivalds", product.columns, as_ranges(wrong), 0};
  for (const double deviation : deviations) verdict.worst_error = std::max(verdict.worst_error, deviation);
  return verdict;
}

template Verdict verify_freivalds(const Computed<double>&, std::uint64_t);
template Verdict verify_freivalds(const Computed<float>&, std::uint64_t);

}  // namespace loadshare::matmul
