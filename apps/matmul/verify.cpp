#include "apps/matmul/verify.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <type_traits>

#include "apps/matmul/kernels/sums.hpp"
#include "base/chunk_text.hpp"

namespace loadshare::matmul {
namespace {

Index total(const std::vector<Chunk>& ranges) {
  return std::accumulate(ranges.begin(), ranges.end(), Index{0},
                         [](Index sum, const Chunk& range) { return sum + range.size; });
}

/// Returns "columns 12-15, 40 (5 of 720)", with at most eight ranges.
std::string describe(const std::string& line, const std::vector<Chunk>& ranges, Index all) {
  constexpr std::size_t spelled_out = 8;
  const Index count = total(ranges);
  std::string text = line + (count == 1 ? " " : "s ");
  const std::size_t shown = std::min(spelled_out, ranges.size());
  for (std::size_t i = 0; i < shown; ++i) text.append(i == 0 ? "" : ", ").append(numbers_text(ranges[i]));
  if (shown < ranges.size()) text.append(", ...");
  return text + " (" + std::to_string(count) + " of " + std::to_string(all) + ")";
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

// Computes the norms of columns again, scaled by a power of two, if their squares overflowed or vanished.
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

/// The error that rounding may cause: in proportion to a column's bound, and by products below the smallest
/// number.
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
  const double limit = rounding.relative * expected.bound + rounding.absolute;
  const double ratio = std::abs(actual - expected.value) / limit;
  return std::isfinite(ratio) && std::isfinite(limit) ? ratio : std::numeric_limits<double>::infinity();
}

/// Returns for each column the deviation of its sum as a multiple of the limit. Above 1 it is suspicious; it
/// is infinite if sums are not finite.
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

ProductCheck judge(const char* method, const std::vector<ColumnCheck>& checks) {
  ProductCheck check{method, static_cast<Index>(checks.size()), {}, 0, 0};
  std::vector<Index> wrong_columns;
  for (std::size_t j = 0; j < checks.size(); ++j) {
    check.worst_error = std::max(check.worst_error, checks[j].deviation);
    check.undecided_columns += checks[j].is_undecided ? 1 : 0;
    if (checks[j].deviation > 1) wrong_columns.push_back(static_cast<Index>(j));
  }
  check.wrong = as_ranges(wrong_columns);
  return check;
}

/// Results for every column so far: its suspicion, and, if it was compared, its deviation.
template <class T>
class Findings {
 public:
  Findings(const Computed<T>& product, const std::vector<double>& suspicions) : product_(product) {
    for (const double suspicion : suspicions) checks_.push_back({suspicion});
  }

  /// Compares these columns element by element. Returns whether any of them is wrong.
  bool look_at(std::span<const Index> columns, Reference reference) {
    const std::vector<ColumnCheck> found =
        check_elements(product_, {columns.begin(), columns.end()}, reference);
    for (std::size_t i = 0; i < columns.size(); ++i) check(columns[i]) = found[i];
    return std::ranges::any_of(found, [](const ColumnCheck& one) { return one.deviation > 1; });
  }

  /// Separates wrong columns from those that rounding made suspicious. The header states when it stops.
  void confirm(std::span<const Index> suspects) {
    constexpr std::size_t batch = 16;
    constexpr std::ptrdiff_t enough = 64;
    std::ptrdiff_t looked_at_wrong = 0;
    while (!suspects.empty() && looked_at_wrong < enough) {
      const auto next = suspects.first(std::min(batch, suspects.size()));
      suspects = suspects.subspan(next.size());
      if (!look_at(next, Reference::loops)) {
        for (const Index column : suspects) check(column) = {};
        return;
      }
      looked_at_wrong +=
          std::ranges::count_if(next, [&](Index column) { return check(column).deviation > 1; });
    }
  }

  ProductCheck result(const char* method) const { return judge(method, checks_); }

 private:
  ColumnCheck& check(Index column) { return checks_[static_cast<std::size_t>(column)]; }

  const Computed<T>& product_;
  std::vector<ColumnCheck> checks_;
};

}  // namespace

Index ProductCheck::wrong_columns() const {
  return total(wrong);
}

std::string describe_wrong(const ProductCheck& check) {
  if (check.is_right()) return "none";
  const std::string text = describe("column", check.wrong, check.columns);
  if (check.undecided_columns == 0) return text;
  return text + (check.undecided_columns < check.wrong_columns() ? ", some" : "") +
         " undecided: their sums overflow in some orders of summation, in others not";
}

std::string describe_wrongly_prepared(const std::vector<Chunk>& rows, Index all_rows) {
  return describe("row", rows, all_rows) + " of the first matrix, packed wrong";
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
ProductCheck verify_full(const Computed<T>& product, Reference reference) {
  std::vector<Index> columns(static_cast<std::size_t>(product.columns));
  std::iota(columns.begin(), columns.end(), Index{0});
  return judge("full", check_elements(product, columns, reference));
}

template ProductCheck verify_full(const Computed<double>&, Reference);
template ProductCheck verify_full(const Computed<float>&, Reference);

template <class T>
ProductCheck verify_freivalds(const Computed<T>& product, std::uint64_t seed, Reference reference) {
  const std::vector<double> suspicions = screen(product, seed);
  const std::vector<Index> suspects = suspicious_worst_first(suspicions);
  const auto finite = std::ranges::find_if(
      suspects, [&](Index column) { return std::isfinite(suspicions[static_cast<std::size_t>(column)]); });
  Findings<T> findings(product, suspicions);
  findings.look_at({suspects.begin(), finite}, reference);
  findings.confirm({finite, suspects.end()});
  return findings.result("freivalds");
}

template ProductCheck verify_freivalds(const Computed<double>&, std::uint64_t, Reference);
template ProductCheck verify_freivalds(const Computed<float>&, std::uint64_t, Reference);

template <class T>
std::vector<Chunk> wrongly_prepared_rows(const Kernel<T>& kernel, PanelSource<T>& a,
                                         const std::function<void(Index, Index, T*)>& source) {
  if (a.inner() == 0) return {};
  const auto panel_size = static_cast<std::size_t>(panel_rows * a.inner());
  std::vector<T> given(panel_size), prepared(panel_size);
  std::vector<Index> wrong_rows;
  for (Index p = 0; p < a.panels(); ++p) {
    const Index rows = a.rows_in(p);
    source(p * panel_rows, rows, given.data());
    kernel.unpack(a.panel(p), rows, a.inner(), prepared.data());
    for (Index i = 0; i < rows; ++i)
      if (std::memcmp(given.data() + i * a.inner(), prepared.data() + i * a.inner(),
                      static_cast<std::size_t>(a.inner()) * sizeof(T)) != 0)
        wrong_rows.push_back(p * panel_rows + i);
  }
  return as_ranges(wrong_rows);
}

template std::vector<Chunk> wrongly_prepared_rows(const Kernel<double>&, PanelSource<double>&,
                                                  const std::function<void(Index, Index, double*)>&);
template std::vector<Chunk> wrongly_prepared_rows(const Kernel<float>&, PanelSource<float>&,
                                                  const std::function<void(Index, Index, float*)>&);

}  // namespace loadshare::matmul
