#include "apps/matmul/verify.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <span>
#include <type_traits>

#include "apps/matmul/kernels/blas_calls.hpp"
#include "apps/matmul/kernels/sums.hpp"

namespace loadshare::matmul {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr Index batch_columns = 512;  // columns checked in one pass over A

/// What is to be known of a row of A or a column of B.
struct Line {
  long double norm = 0;  ///< Euclidean, of the finite elements; may be greater than any double
  bool is_finite = true;
};

// The norm is scaled by a power of two so that no square overflows or vanishes.
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
  const int exponent = std::clamp(std::ilogb(largest), -1000, 1000);  // its power's inverse must be finite
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
/// number. Wide, for the norms' product may be no double.
template <class T>
long double tolerance(const Line& a, const Line& b, Index inner) {
  return unit_roundoff<T>(inner) * a.norm * b.norm +
         static_cast<long double>(inner + 2) * std::numeric_limits<T>::denorm_min();
}

/// One element of the product: its row of A, its column of B.
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

/// Of finite operands without overflow.
template <class T>
ColumnCheck check_ordinary(T computed, double expected, long double tolerance) {
  if (!std::isfinite(computed)) return wrong;
  return {static_cast<double>(std::abs(computed - static_cast<long double>(expected)) / tolerance)};
}

/// Of finite operands whose sum, or a part of it, may be greater than any T.
template <class T>
ColumnCheck check_overflow(T computed, const Operands& operands, long double tolerance) {
  const long double exact = wide_inner_product(operands);
  if (std::isfinite(computed)) return {static_cast<double>(std::abs(computed - exact) / tolerance)};
  const bool overflows = std::abs(exact) + tolerance >= std::numeric_limits<T>::max();
  if (overflows && std::isinf(computed)) return std::signbit(computed) == (exact < 0) ? ColumnCheck{} : wrong;
  return undecided;
}

/// The sum of those products that have an operand which is infinite or no number: what all of them come to.
double special_sum(const Operands& of) {
  double sum = 0;
  for (Index k = 0; k < of.inner && !std::isnan(sum); ++k)
    if (!std::isfinite(of.a[k]) || !std::isfinite(of.b[k])) sum += of.a[k] * of.b[k];
  return sum;
}

/// Where an operand is infinite or no number, so is `expected`.
template <class T>
ColumnCheck check_special(T computed, double expected, bool may_overflow) {
  const double value = computed;
  if (std::isnan(value) && std::isnan(expected)) return {};
  if (std::isinf(expected) && value == expected) return {};
  // An infinity, and finite products that overflow with the other sign, make a NaN in some orders.
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

std::string range_text(const Chunk& range) {
  std::string text = std::to_string(range.first);
  if (range.size > 1) text.append("-").append(std::to_string(range.end() - 1));
  return text;
}

Index total(const std::vector<Chunk>& ranges) {
  return std::accumulate(ranges.begin(), ranges.end(), Index{0},
                         [](Index sum, const Chunk& range) { return sum + range.size; });
}

/// "columns 12-15, 40 (5 of 720)"; at most eight ranges are spelled out.
std::string describe(const std::string& line, const std::vector<Chunk>& ranges, Index all) {
  constexpr std::size_t spelled_out = 8;
  const Index count = total(ranges);
  std::string text = line + (count == 1 ? " " : "s ");
  const std::size_t shown = std::min(spelled_out, ranges.size());
  for (std::size_t i = 0; i < shown; ++i) text.append(i == 0 ? "" : ", ").append(range_text(ranges[i]));
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
  const double limit = rounding.relative * expected.bound + rounding.absolute;
  const double ratio = std::abs(actual - expected.value) / limit;
  return std::isfinite(ratio) && std::isfinite(limit) ? ratio : std::numeric_limits<double>::infinity();
}

/// For each column the deviation of its sum as a multiple of the limit; above 1 it is suspicious, and
/// infinite where sums are not finite.
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

Verdict judge(const char* method, const std::vector<ColumnCheck>& checks) {
  Verdict verdict{method, static_cast<Index>(checks.size()), {}, 0, 0};
  std::vector<Index> wrong_columns;
  for (std::size_t j = 0; j < checks.size(); ++j) {
    verdict.worst_error = std::max(verdict.worst_error, checks[j].deviation);
    verdict.undecided_columns += checks[j].is_undecided ? 1 : 0;
    if (checks[j].deviation > 1) wrong_columns.push_back(static_cast<Index>(j));
  }
  verdict.wrong = as_ranges(wrong_columns);
  return verdict;
}

/// What is known of every column so far: its suspicion, and where it was looked at, what that found.
template <class T>
class Findings {
 public:
  Findings(const Computed<T>& product, const std::vector<double>& suspicions) : product_(product) {
    for (const double suspicion : suspicions) checks_.push_back({suspicion});
  }

  /// Compares these columns element by element. Whether any of them is wrong.
  bool look_at(std::span<const Index> columns, Reference reference) {
    const std::vector<ColumnCheck> found =
        check_elements(product_, {columns.begin(), columns.end()}, reference);
    for (std::size_t i = 0; i < columns.size(); ++i) check(columns[i]) = found[i];
    return std::ranges::any_of(found, [](const ColumnCheck& one) { return one.deviation > 1; });
  }

  /// Tells wrong columns from those that rounding made suspicious; see the header for when it stops.
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

  Verdict verdict(const char* method) const { return judge(method, checks_); }

 private:
  ColumnCheck& check(Index column) { return checks_[static_cast<std::size_t>(column)]; }

  const Computed<T>& product_;
  std::vector<ColumnCheck> checks_;
};

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

Index Verdict::wrong_columns() const {
  return total(wrong);
}

std::string describe_wrong(const Verdict& verdict) {
  if (verdict.is_right()) return "none";
  const std::string text = describe("column", verdict.wrong, verdict.columns);
  if (verdict.undecided_columns == 0) return text;
  return text + (verdict.undecided_columns < verdict.wrong_columns() ? ", some" : "") +
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
Verdict verify_full(const Computed<T>& product, Reference reference) {
  std::vector<Index> columns(static_cast<std::size_t>(product.columns));
  std::iota(columns.begin(), columns.end(), Index{0});
  return judge("full", check_elements(product, columns, reference));
}

template Verdict verify_full(const Computed<double>&, Reference);
template Verdict verify_full(const Computed<float>&, Reference);

template <class T>
Verdict verify_freivalds(const Computed<T>& product, std::uint64_t seed, Reference reference) {
  const std::vector<double> suspicions = screen(product, seed);
  const std::vector<Index> suspects = suspicious_worst_first(suspicions);
  const auto finite = std::ranges::find_if(
      suspects, [&](Index column) { return std::isfinite(suspicions[static_cast<std::size_t>(column)]); });
  Findings<T> findings(product, suspicions);
  findings.look_at({suspects.begin(), finite}, reference);
  findings.confirm({finite, suspects.end()});
  return findings.verdict("freivalds");
}

template Verdict verify_freivalds(const Computed<double>&, std::uint64_t, Reference);
template Verdict verify_freivalds(const Computed<float>&, std::uint64_t, Reference);

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
