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

/// Options of `cannon`.
struct CannonOptions {
  spmd::Options run;
  Index size = 720;  ///< of random square matrices; files determine their own
  FileNames files;
  std::string kernel = "blas";
  Verification verification = Verification::freivalds;
  std::optional<Index> spoil_row;  ///< for testing: row of the product that is spoiled before verification
};

/// The ranks as a square in row-major order. Its edges are joined: the first column follows the last.
class Grid {
 public:
  /// Throws UsageError, naming the nearest valid number, if `ranks` is not a square.
  Grid(int ranks, int rank) : side_(side_of(ranks)), row_(rank / side_), column_(rank % side_) {}

  int side() const { return side_; }
  int row() const { return row_; }
  int column() const { return column_; }
  /// Returns the rank `right` columns to the right and `below` rows below; negative: to the left, above.
  int neighbour(int right, int below) const { return wrap(row_ + below) * side_ + wrap(column_ + right); }
  int wrap(int place) const { return (place % side_ + side_) % side_; }

 private:
  static int side_of(int ranks) {
    const int side = static_cast<int>(std::sqrt(static_cast<double>(ranks)));
    if (side * side == ranks) return side;
    throw UsageError("cannon needs a square number of ranks", std::to_string(ranks) + " is not one",
                     "use " + std::to_string(side * side) + " or " + std::to_string((side + 1) * (side + 1)));
  }

  int side_;
  int row_;
  int column_;
};

/// One rank's blocks in C = A B by Cannon's algorithm (L. E. Cannon, "A cellular computer to implement the
/// Kalman filter algorithm", 1969):
///
/// 1. The blocks of A are shifted left by their row, those of B up by their column.
/// 2. Once for each row of the grid, every rank multiplies its blocks, then passes A to the left and B up.
///
/// Block sizes differ by one row or column if the grid's side does not divide the size.
class Multiplication {
 public:
  /// Makes or receives this rank's blocks of A and B. Throws UsageError if the number of ranks is not a
  /// square or too large.
  Multiplication(const CannonOptions& options, spmd::Session& session, MatrixFiles& files);

  /// Returns the bytes that a rank needs.
  static Bytes bytes_a_rank(const CannonOptions& options, int side);

  /// Computes this rank's block of C. Returns its number of elements.
  Index run();

  const Grid& grid() const { return grid_; }
  spmd::Part rows() const { return part(grid_.row()); }
  spmd::Part columns() const { return part(grid_.column()); }
  /// Returns this rank's block of the product, row-major.
  std::span<double> c() { return c_; }
  /// Stores the product in its file, if there is one. Collective, like the functions below.
  void store();
  /// Makes this rank's initial blocks of A and B again: after a run it has other blocks.
  std::span<const double> make_a();
  std::span<const double> make_b();

 private:
  using Values = std::vector<double>;

  std::span<const double> make(Operand operand, Values& values);
  spmd::Part part(int index) const { return spmd::part_of(options_.size, grid_.side(), index); }
  void skew();
  void pass_on(int step);
  void multiply(int step);
  // Passes on the block with `inner` columns of A (rows of B), and receives the one with `next_inner`.
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
  Values repeated_;  // sums of repeated steps
};

}  // namespace loadshare::cannon
