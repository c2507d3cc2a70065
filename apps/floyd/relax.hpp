#pragma once

#include "apps/floyd/graph.hpp"

namespace loadshare::floyd {

/// Some rows of the matrix of path lengths, one after the other.
struct Rows {
  Length* lengths;
  Index rows;
  Index columns;
};

/// Lets paths to all vertices go by way of vertex `via`, whose own row is `via_row`: each length becomes the
/// least of itself and the way there plus the way on. `via_row` may be one of the rows: it does not change.
void relax(const Rows& rows, Index via, const Length* via_row);

}  // namespace loadshare::floyd
