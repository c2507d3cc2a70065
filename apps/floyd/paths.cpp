#include "apps/floyd/paths.hpp"

#include <fmt/format.h>

#include "apps/floyd/relax.hpp"
#include "schedulers/error.hpp"

namespace loadshare::floyd {

namespace {

void require_rows(Index size, int ranks) {
  if (size < ranks)
    throw UsageError(fmt::format("--size is {}", size),
                     fmt::format("{} ranks have a row each at least", ranks),
                     "take a larger --size or fewer ranks");
}

}  // namespace

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
