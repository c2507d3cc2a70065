#include "apps/matmul/verify/freivalds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <type_traits>

#include "apps/matmul/kernels/sums.hpp"
#include "apps/matmul/verify/elements.hpp"

namespace loadshare::matmul {
namespace {

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
