#include "apps/floyd/paths.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

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

void require_rows(Index size, int ranks) {
  if (size < ranks)
    throw UsageError(fmt::format("--size is {}", size),
                     fmt::format("each of {} ranks needs at least one row", ranks),
                     "use a larger --size or fewer ranks");
}

}  // namespace

// Selected explicitly, because a resolver made by target_clones would run before a sanitizer's runtime is
// ready.
void relax(const Rows& rows, Index via, const Length* via_row) {
  if (__builtin_cpu_supports("avx512f")) return relax_avx512(rows, via, via_row);
  if (__builtin_cpu_supports("avx2")) return relax_avx2(rows, via, via_row);
  relax_all(rows, via, via_row);
}

Paths::Paths(const FloydOptions& options, spmd::Session& session) : options_(options), session_(session) {
  require_rows(options.size, session.ranks());
  const auto row_bytes = static_cast<Bytes>(options.size) * sizeof(Length);
  const auto longest = static_cast<Bytes>(spmd::longest_part(options.size, session.ranks()));
  session.require_memory_for((longest + 1) * row_bytes,
                             is_whole() ? static_cast<Bytes>(options.size) * row_bytes : 0,
                             fmt::format("a graph of {} vertices", options.size));
  received_.resize(elements(1));
  if (has_all()) {
    all_.resize(elements(options.size));
    make_edges({0, options.size}, all_);
  } else {
    own_.resize(elements(rows().size));
  }
  if (!is_whole()) make_edges(rows(), own_);
}

spmd::Part Paths::rows() const {
  return spmd::part_of(options_.size, session_.ranks(), session_.rank());
}

spmd::Part Paths::result_rows() const {
  if (!is_whole()) return rows();
  return {0, session_.is_first() ? options_.size : 0};
}

void Paths::make_edges(spmd::Part rows, std::span<Length> out) const {
  for (Index row = 0; row < rows.size; ++row)
    edges_from(options_.graph(), rows.first + row, out.subspan(elements(row), elements(1)));
}

Index Paths::run() {
  const std::vector<Index> sizes = spmd::part_sizes(options_.size, session_.ranks(), options_.size);
  if (is_whole()) session_.exchange().scatter(std::span<const Length>(all_), sizes, own());
  for (Index via = 0; via < options_.size; ++via) {
    session_.progress(via, options_.size);
    const std::span<const Length> via_row = row_for_all(via);
    session_.clock().compute([&] {
      for (Index time = 0; time < options_.run.work; ++time)
        relax({own().data(), rows().size, options_.size}, via, via_row.data());
    });
  }
  if (is_whole()) session_.exchange().gather(std::span<const Length>(own()), sizes, std::span(all_));
  return rows().size;
}

std::span<Length> Paths::row_for_all(Index vertex) {
  const auto owner = static_cast<int>(spmd::owner_of(options_.size, session_.ranks(), vertex));
  const bool is_here = owner == session_.rank();
  const std::span<Length> row =
      is_here ? own().subspan(elements(vertex - rows().first), elements(1)) : std::span(received_);
  session_.exchange().broadcast(row, owner);
  return row;
}

}  // namespace loadshare::floyd
