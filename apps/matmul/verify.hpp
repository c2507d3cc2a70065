#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/matmul/element_check.hpp"
#include "base/types.hpp"

namespace loadshare::matmul {

/// What a verification found.
struct ProductCheck {
  std::string method;        ///< "freivalds" or "full"
  Index columns = 0;         ///< columns checked
  std::vector<Chunk> wrong;  ///< the wrong columns as ranges, ascending
  /// The largest deviation found, as a multiple of what rounding may explain: a right product stays below 1.
  /// Infinite where a number is missing (a NaN where none belongs).
  double worst_error = 0;
  /// How many of the wrong columns may be right: see `ColumnCheck::is_undecided`.
  Index undecided_columns = 0;

  bool is_right() const { return wrong.empty(); }
  Index wrong_columns() const;
};

/// "columns 12-15, 40 (5 of 720)", or "none"; at most eight ranges are spelled out. Says of undecided columns
/// that they are.
std::string describe_wrong(const ProductCheck& check);

/// Ascending positions as ranges.
std::vector<Chunk> as_ranges(const std::vector<Index>& ascending);

/// Compares every element of the product with a reference in double precision (see `check_elements`): as much
/// work as the product itself. Take `Reference::loops` where the product came from BLAS; that is slower
/// still.
template <class T>
ProductCheck verify_full(const Computed<T>& product, Reference reference = Reference::blas);

/// Freivalds' check from the left (R. Freivalds, "Probabilistic machines can use less running time", IFIP
/// 1977): with a random r it compares (r^T A) b_j with r^T c_j for every column j, reading A, B and C once.
/// It names the wrong columns.
///
/// Screening: r_i has a random sign and a magnitude in [1/2, 1), so that whatever the rounding errors e_i of
/// a column are, r^T e stays within a few times their Euclidean norm (Hoeffding's inequality). If the
/// roundings of one sum are independent, that norm is far below sqrt(inner) u sum_k |b_kj| |a_k|, where a_k
/// is column k of A (Higham and Mary, SIAM J. Sci. Comput. 41, 2019). More than this is suspicious: one
/// element off by three times as much is always seen, and several cancel but rarely.
///
/// Confirmation: since structured data can round with a bias, suspicious columns are compared element by
/// element (see `check_elements`), the worst first, until a batch of them is right; the rest, no more
/// conspicuous than those, is then right too. After 64 wrong columns the other suspicious ones count as wrong
/// without this. So rounding alone never makes a column wrong.
///
/// Columns whose sums are not finite, as a NaN or an infinity in A makes all of them, are compared element by
/// element with `reference`.
template <class T>
ProductCheck verify_freivalds(const Computed<T>& product, std::uint64_t seed,
                              Reference reference = Reference::blas);

/// The rows of A whose prepared panels do not unpack to the numbers they were made of, bit by bit.
/// `source(first, rows, out)` writes these rows as they were given, row-major.
template <class T>
std::vector<Chunk> wrongly_prepared_rows(const Kernel<T>& kernel, PanelSource<T>& a,
                                         const std::function<void(Index, Index, T*)>& source);

/// "row 64 (1 of 150) of the first matrix, packed wrong"
std::string describe_wrongly_prepared(const std::vector<Chunk>& rows, Index all_rows);

}  // namespace loadshare::matmul
