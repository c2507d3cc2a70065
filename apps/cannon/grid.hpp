#pragma once

#include <cmath>
#include <string>

#include "schedulers/error.hpp"

namespace loadshare::cannon {

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

}  // namespace loadshare::cannon
