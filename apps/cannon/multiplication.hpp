#pragma once

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/cannon/kernel.hpp"
#include "apps/cannon/matrix_files.hpp"
#include "apps/common/matrix/generate.hpp"
#include "apps/spmd/parts.hpp"
#include "apps/spmd/session.hpp"
#include "base/error.hpp"

namespace loadshare::cannon {

enum class Verification { none, freivalds };

/// What `cannon` is asked to do.
struct CannonOptions {
  spmd::Options run;
  Index size = 720;  ///< of the square matrices; those in files have their own
  FileNames files;
  std::string kernel = "blas";
  Verification verification = Verification::freivalds;
  std::optional<Index> spoil_row;  ///< for testing: a row of the product to spoil before verifying
};

/// The ranks as a square, row after row, its edges joined: beyond the last column is the first.
class Grid {
 public:
  /// Throws UsageError, naming the nearest that would do, where `ranks` is no square.
  Grid(int ranks, int rank) : side_(side_of(ranks)), row_(rank / side_), column_(rank % side_) {}

  int side() const { return side_; }
  int row() const { return row_; }
  int column() const { return column_; }
  /// The rank so many columns to the right and rows below; negative: to the left, above.
  int neighbour(int right, int below) const { return wrap(row_ + below) * side_ + wrap(column_ + right); }
  int wrap(int place) const { return (place % side_ + side_) % side_; }

 private:
  static int side_of(int ranks) {
    const int side = static_cast<int>(std::sqrt(static_cast<double>(ranks)));
    if (side * side == ranks) return side;
    throw UsageError("cannon needs a square number of ranks", std::to_string(ranks) + " is none",
                     "use " + std::to_string(side * side) + " or " + std::to_string((side + 1) * (side + 1)));
  }

  int side_;
  int row_;
  int column_;
};

/// C = A B by Cannon's algorithm (L. E. Cannon, "A cellular computer to implement the Kalman filter
/// algorithm", 1969), this rank's block of each. The blocks of A are first shifted left by their row, those
/// of B up by their column; then, as often as the grid has rows, each rank multiplies what it has and passes
/// A to the left and B up. Blocks differ by a row or a column where the grid's side does not divide the size.
class Multiplication {
 public:
  /// Makes or gets this rank's blocks of A and B. Throws UsageError where the ranks are no square, or too
  /// many.
  Multiplication(const CannonOptions& options, spmd::Session& session, MatrixFiles& files);

  /// Bytes that a rank takes.
  static Bytes bytes_a_rank(const CannonOptions& options, int side);

  /// Computes this rank's block of C; returns how many elements that are.
  Index run();

  const Grid& grid() const { return grid_; }
  spmd::Part rows() const { return part(grid_.row()); }
  spmd::Part columns() const { return part(grid_.column()); }
  /// Of the product, row-major.
  std::span<double> c() { return c_; }
  /// Puts the product into its file, if it has one. Every rank calls it, and those below.
  void store();
  /// The blocks of A and B that were this rank's at first, made again: after a run it holds others.
  std::span<const double> make_a();
  std::span<const double> make_b();

 private:
  using Values = std::vector<double>;

  std::span<const double> make(Operand operand, Values& values);
  spmd::Part part(int index) const { return spmd::part_of(options_.size, grid_.side(), index); }
  void skew();
  void pass_on(int step);
  void multiply(int step);
  // Passes on the block with `inner` columns of A (rows of B), and gets the one with `next_inner`.
  void shift_a(int by, int inner, int next_inner);
  void shift_b(int by, int inner, int next_inner);
  int inner_of(int step) const { return grid_.wrap(grid_.row() + grid_.column() + step); }

  const CannonOptions& options_;
  spmd::Session& session_;
  MatrixFiles& files_;
  Grid grid_;
  Kernel kernel_;
  Values a_, b_, c_;
  Values arriving_;
  Values repeated_;  // where a step's repetitions add up
};

}  // namespace loadshare::cannon
