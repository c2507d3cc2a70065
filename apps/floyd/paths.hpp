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

/// What `floyd` is asked to do.
struct FloydOptions {
  spmd::Options run;
  Index size = 1000;  ///< vertices
  double density = 0.1;
  spmd::RunPart part = spmd::RunPart::whole;
  Verification verification = Verification::sample;
  std::optional<Index> spoil_vertex;  ///< for testing: of whose paths one is spoiled before verifying

  Graph graph() const { return {size, density, static_cast<std::uint64_t>(run.seed)}; }
};

/// Some rows of the matrix of path lengths, one after the other.
struct Rows {
  Length* lengths;
  Index rows;
  Index columns;
};

/// Lets paths to all vertices go by way of vertex `via`, whose own row is `via_row`: each length becomes the
/// least of itself and the way there plus the way on. `via_row` may be one of the rows: it does not change.
void relax(const Rows& rows, Index via, const Length* via_row);

/// All shortest paths of a graph by Floyd's algorithm (R. W. Floyd, "Algorithm 97: Shortest path", CACM 5,
/// 1962), this rank's rows of the matrix. In each step one row is sent to all ranks, from where it lies; the
/// others receive it beside their own. Where the whole is run, rank 0's rows lie in the matrix.
class Paths {
 public:
  /// Makes the matrix of edges: on rank 0 where the whole is run, else each rank its own rows. Throws
  /// UsageError where there are more ranks than vertices.
  Paths(const FloydOptions& options, spmd::Session& session);

  /// Returns how many rows were this rank's.
  Index run();

  /// The rows that are computed now, and which they are: where the whole was run, all of them on rank 0 and
  /// none elsewhere; else every rank has its own.
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
  std::vector<Length> all_;  // on rank 0, where the whole is run
  std::vector<Length> own_;  // elsewhere
  std::vector<Length> received_;
};

}  // namespace loadshare::floyd
