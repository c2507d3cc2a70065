#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/matmul/element_check.hpp"
#include "base/types.hpp"

namespace loadshare::matmul {

/// The result of a verification.
struct ProductCheck {
  std::string method;        ///< "freivalds" or "full"
  Index columns = 0;         ///< number of checked columns
  std::vector<Chunk> wrong;  ///< the wrong columns as ranges, ascending
  /// The largest deviation, as a multiple of what rounding may explain. It is below 1 for a correct product,
  /// and infinite if an element is NaN and should not be.
  double worst_error = 0;
  /// Number of the wrong columns that may be correct: see `ColumnCheck::is_undecided`.
  Index undecided_columns = 0;

  bool is_right() const { return wrong.empty(); }
  Index wrong_columns() const;
};

/// Returns "columns 12-15, 40 (5 of 720)", or "none", with at most eight ranges. Mentions undecided columns.
std::string describe_wrong(const ProductCheck& check);

/// Returns ascending positions as ranges.
std::vector<Chunk> as_ranges(const std::vector<Index>& ascending);

/// Compares every element of the product with a reference in double precision (see `check_elements`), which
/// takes as much work as the product itself. Use `Reference::loops` if the product was computed by BLAS; it
/// is even slower.
template <class T>
ProductCheck verify_full(const Computed<T>& product, Reference reference = Reference::blas);

/// Freivalds' check from the left (R. Freivalds, "Probabilistic machines can use less running time", IFIP
/// 1977): for a random r, compares (r^T A) b_j with r^T c_j for every column j, reading A, B and C once.
/// Returns the wrong columns.
///
/// 1. Screening. r_i has a random sign and a magnitude in [1/2, 1), so that for any rounding errors e_i of a
///    column, r^T e stays within a few times their Euclidean norm (Hoeffding's inequality). If the roundings
///    of one sum are independent, that norm is far below sqrt(inner) u sum_k |b_kj| |a_k|, where a_k is
///    column k of A (Higham and Mary, SIAM J. Sci. Comput. 41, 2019). A larger deviation is suspicious. A
///    single element that deviates by three times as much is always found; several errors rarely cancel.
/// 2. Confirmation. Because structured data can round with a bias, suspicious columns are compared element by
///    element (see `check_elements`), the worst first, until all columns of a batch are correct. The rest are
///    less suspicious and count as correct. After 64 wrong columns, the other suspicious ones count as wrong
///    without a comparison. So rounding alone never makes a column wrong.
///
/// Columns whose sums are not finite, such as all columns if A contains a NaN or an infinity, are compared
/// element by element with `reference`.
template <class T>
ProductCheck verify_freivalds(const Computed<T>& product, std::uint64_t seed,
                              Reference reference = Reference::blas);

/// Returns the rows of A whose prepared panels do not unpack to the original numbers, bit by bit.
/// `source(first, rows, out)` writes these rows in their original form, row-major.
template <class T>
std::vector<Chunk> wrongly_prepared_rows(const Kernel<T>& kernel, PanelSource<T>& a,
                                         const std::function<void(Index, Index, T*)>& source);

/// Returns "row 64 (1 of 150) of the first matrix, packed wrong".
std::string describe_wrongly_prepared(const std::vector<Chunk>& rows, Index all_rows);

}  // namespace loadshare::matmul
