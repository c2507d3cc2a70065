#pragma once

#include <cstdint>

#include "apps/matmul/verify/computed.hpp"
#include "apps/matmul/verify/verdict.hpp"

namespace loadshare::matmul {

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
/// A column whose expected sum is not finite is right if and only if its computed sum is not finite either.
template <class T>
Verdict verify_freivalds(const Computed<T>& product, std::uint64_t seed);

}  // namespace loadshare::matmul
