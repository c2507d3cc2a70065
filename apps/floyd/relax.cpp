#include "apps/floyd/relax.hpp"

#include <algorithm>

namespace loadshare::floyd {

namespace {

[[gnu::always_inline]] inline void relax_all(const Rows& rows, Index via, const Length* via_row) {
  for (Index row = 0; row < rows.rows; ++row) {
    Length* const lengths = rows.lengths + row * rows.columns;
    const Length there = lengths[via];
    if (there == no_path || lengths == via_row) continue;
#pragma GCC ivdep
    for (Index to = 0; to < rows.columns; ++to) lengths[to] = std::min(lengths[to], there + via_row[to]);
  }
}

[[gnu::target("avx512f")]] void relax_avx512(const Rows& rows, Index via, const Length* via_row) {
  relax_all(rows, via, via_row);
}

[[gnu::target("avx2")]] void relax_avx2(const Rows& rows, Index via, const Length* via_row) {
  relax_all(rows, via, via_row);
}

}  // namespace

// Chosen by hand: a resolver made by target_clones would run before a sanitizer's runtime is up.
void relax(const Rows& rows, Index via, const Length* via_row) {
  if (__builtin_cpu_supports("avx512f")) return relax_avx512(rows, via, via_row);
  if (__builtin_cpu_supports("avx2")) return relax_avx2(rows, via, via_row);
  relax_all(rows, via, via_row);
}

}  // namespace loadshare::floyd
