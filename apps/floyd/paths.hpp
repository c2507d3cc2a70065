#pragma once

#include <optional>
#include <span>
#include <vector>

#include "apps/floyd/graph.hpp"
#include "apps/spmd/command_line.hpp"
#include "apps/spmd/parts.hpp"
#include "apps/spmd/session.hpp"

namespace loadshare::floyd {

enum class Verification { none, sample, full };

/// Options of `floyd`.
struct FloydOptions {
  spmd::Options run;
  Index size = 1000;  ///< vertices
  double density = 0.1;
  spmd::RunPart part = spmd::RunPart::whole;
  Verification verification = Verification::sample;
  std::optional<Index> spoil_vertex;  ///< for testing: vertex with a path that is spoiled before verification

  Graph graph() const { return {size, density, static_cast<std::uint64_t>(run.seed)}; }
};

/// Some consecutive rows of the matrix of path lengths.
struct Rows {
  Length* lengths;
  Index rows;
  Index columns;
};

/// Allows paths through vertex `via`, whose row is `via_row`: each length becomes the minimum of itself and
/// the way to `via` plus the way from there. `via_row` may be one of the rows, because it does not change.
void relax(const Rows& rows, Index via, const Length* via_row);

/// One rank's rows of all shortest paths by Floyd's algorithm (R. W. Floyd, "Algorithm 97: Shortest path",
/// CACM 5, 1962). In each step one row is broadcast from where it is; the other ranks receive it in a buffer.
/// With --part whole, rank 0's rows are in the matrix.
class Paths {
 public:
  /// Makes the matrix of edges: with --part whole on rank 0, otherwise each rank its own rows. Throws
  /// UsageError if there are more ranks than vertices.
  Paths(const FloydOptions& options, spmd::Session& session);

  /// Returns this rank's number of rows.
  Index run();

  /// Returns this rank's computed rows: its own, or with --part whole all rows on rank 0 and none on the
  /// others.
  std::span<Length> result() { return is_whole() ? std::span(all_) : own(); }
  spmd::Part result_rows() const;

 private:
  bool is_whole() const { return options_.part == spmd::RunPart::whole; }
  bool has_all() const { return is_whole() && session_.is_first(); }
  spmd::Part rows() const;
  std::span<Length> own() { return std::span(has_all() ? all_ : own_).first(elements(rows().size)); }
  std::size_t elements(Index rows) const { return static_cast<std::size_t>(rows * options_.size); }
  void make_edges(spmd::Part rows, std::span<Length> out) const;
  std::span<Length> row_for_all(Index vertex);

  const FloydOptions& options_;
  spmd::Session& session_;
  std::vector<Length> all_;  // on rank 0 with --part whole
  std::vector<Length> own_;  // otherwise
  std::vector<Length> received_;
};

}  // namespace loadshare::floyd
