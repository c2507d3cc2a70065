#pragma once

#include "schedulers/types.hpp"

namespace loadshare::matmul {

/// Rows of the first matrix that are kept, packed and sent as one piece.
inline constexpr Index panel_rows = 64;

/// The first matrix A (rows x inner) as panels of `panel_rows` rows, the last one possibly shorter. A panel
/// starts as row-major rows and is turned, in place and once a host, into the form its kernel reads.
/// Panels lie one after the other in one array. Keep it in `PageMemory`, or at least aligned to 64 bytes: any
/// other place is right too, but slow.
template <class T>
class PanelSource {
 public:
  virtual ~PanelSource() = default;

  virtual Index rows() const = 0;
  virtual Index inner() const = 0;

  /// Panel `index` in the form its kernel reads; waits until it has arrived and is prepared.
  virtual const T* panel(Index index) = 0;

  Index panels() const { return (rows() + panel_rows - 1) / panel_rows; }
  Index rows_in(Index index) const {
    const Index rest = rows() - index * panel_rows;
    return rest < panel_rows ? rest : panel_rows;
  }
};

}  // namespace loadshare::matmul
