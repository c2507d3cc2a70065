#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

namespace loadshare::matmul {

/// Number of rows of the first matrix that are stored, packed and sent as one panel.
inline constexpr Index panel_rows = 64;

/// The first matrix A (rows x inner) as panels of `panel_rows` rows; the last one may be shorter. A panel
/// arrives as row-major rows. It is converted in place, once per host, to the form that its kernel reads.
/// Panels are consecutive in one array. Use `PageMemory` for it, or an alignment of 64 bytes: any other
/// address is correct, but slow.
template <class T>
class PanelSource {
 public:
  virtual ~PanelSource() = default;

  virtual Index rows() const = 0;
  virtual Index inner() const = 0;

  /// Returns panel `index` in the form its kernel reads. Blocks until it has arrived and is prepared.
  virtual const T* panel(Index index) = 0;
  /// Reports the number of element multiplications since the last call.
  virtual void advanced(Index /*multiplications*/) {}

  Index panels() const { return (rows() + panel_rows - 1) / panel_rows; }
  Index rows_in(Index index) const {
    const Index rest = rows() - index * panel_rows;
    return rest < panel_rows ? rest : panel_rows;
  }
};

/// A row vector that is multiplied with a panel from the left.
struct LeftFactor {
  const double* r;   ///< one number per row of the panel
  double scale = 1;  ///< applied to the panel's elements before they are squared, to avoid overflow
};

/// One number per column of A: sums[k] = sum of r_i a_ik, squares[k] = sum of (scale a_ik)^2.
struct LeftProduct {
  double* sums;
  double* squares;
};

/// Some columns of B and of C.
template <class T>
struct ChunkColumns {
  const T* b;
  T* c;
  Index columns;
};

/// Joins neighbouring columns: chunks that are adjacent in B are adjacent in C, too.
template <class T>
std::vector<ChunkColumns<T>> joined(std::span<const ChunkColumns<T>> chunks, Index rows, Index inner) {
  std::vector<ChunkColumns<T>> parts;
  for (const ChunkColumns<T>& chunk : chunks) {
    const auto is_next_to = [&](const ChunkColumns<T>& last) {
      return chunk.b == last.b + last.columns * inner && chunk.c == last.c + last.columns * rows;
    };
    if (!parts.empty() && is_next_to(parts.back()))
      parts.back().columns += chunk.columns;
    else
      parts.push_back(chunk);
  }
  return parts;
}

/// Multiplies the first matrix by some columns of the second: C = A B. B is column-major, inner x columns,
/// with leading dimension inner. C is column-major, rows x columns, with leading dimension rows. Neither
/// needs more alignment than its type. A comes in panels. One object serves all workers of a process: its
/// methods are thread-safe, and each thread has its own scratch memory.
template <class T>
class Kernel {
 public:
  virtual ~Kernel() = default;

  /// Converts one row-major panel (rows x inner) in place into the form that `multiply` reads.
  virtual void prepare(T* panel, Index rows, Index inner) const = 0;

  /// Computes C = A B for `columns` columns. Overwrites C, even NaN. inner == 0 gives zeros.
  virtual void multiply(PanelSource<T>& a, const T* b, T* c, Index columns) const = 0;

  /// Multiplies several chunks, which need not be adjacent, in one pass over A if the kernel can.
  virtual void multiply_together(PanelSource<T>& a, std::span<const ChunkColumns<T>> chunks) const {
    for (const ChunkColumns<T>& chunk : chunks) multiply(a, chunk.b, chunk.c, chunk.columns);
  }

  /// Returns how many columns share one pass over A. With narrower chunks A is read more often.
  virtual Index columns_at_once() const { return 1; }

  /// Writes a prepared panel in its original form to `out`: row-major, rows x inner. For verification.
  virtual void unpack(const T* panel, Index rows, Index inner, T* out) const = 0;

  /// Adds a prepared panel's share of r^T A and of the columns' square sums, in double precision and without
  /// unpacking. For verification, which reads all of A once.
  virtual void accumulate_left(const T* panel, Index rows, Index inner, const LeftFactor& left,
                               const LeftProduct& product) const = 0;

  /// Returns a note for the user, for example that BLAS is used because libxsmm has no kernel here; empty:
  /// none.
  virtual std::string note() const { return {}; }

  /// Returns how the kernel divides a product into blocks on this host; empty: it does not.
  virtual std::string blocks() const { return {}; }
};

/// One row of the table of kernels.
struct KernelInfo {
  std::string name;
  std::string description;
};

/// Returns the available kernels: packed (default), blas, naive.
const std::vector<KernelInfo>& kernels();

/// Makes a kernel for A of rows x inner. Throws UsageError for an unknown name, suggesting the nearest.
template <class T>
std::unique_ptr<Kernel<T>> make_kernel(std::string_view name, Index rows, Index inner);

}  // namespace loadshare::matmul
