#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"

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
  /// So many multiplications of elements are done since the last call.
  virtual void advanced(Index /*multiplications*/) {}

  Index panels() const { return (rows() + panel_rows - 1) / panel_rows; }
  Index rows_in(Index index) const {
    const Index rest = rows() - index * panel_rows;
    return rest < panel_rows ? rest : panel_rows;
  }
};

/// A row vector to multiply a panel from the left with.
struct LeftFactor {
  const double* r;   ///< one number a row of the panel
  double scale = 1;  ///< applied to the panel's elements before they are squared, against overflow
};

/// Sums of one number a column of A: sums[k] = sum of r_i a_ik, squares[k] = sum of (scale a_ik)^2.
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

/// The same columns in fewer parts: neighbours, in B as in C, are one.
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

/// Multiplies the first matrix by some columns of the second: C = A B.
/// B is column-major, inner x columns, leading dimension inner; C is column-major, rows x columns, leading
/// dimension rows; neither needs any alignment beyond its type's. A comes in panels. One object serves all
/// workers of a process: its methods are thread-safe (scratch memory is a thread's own).
template <class T>
class Kernel {
 public:
  virtual ~Kernel() = default;

  /// Turns one row-major panel (rows x inner) in place into the form `multiply` reads.
  virtual void prepare(T* panel, Index rows, Index inner) const = 0;

  /// C = A B for `columns` columns; overwrites C, whatever it held (NaN too). inner == 0 gives zeros.
  virtual void multiply(PanelSource<T>& a, const T* b, T* c, Index columns) const = 0;

  /// The same of several chunks, which need not be neighbours: in one pass over A where the kernel can.
  virtual void multiply_together(PanelSource<T>& a, std::span<const ChunkColumns<T>> chunks) const {
    for (const ChunkColumns<T>& chunk : chunks) multiply(a, chunk.b, chunk.c, chunk.columns);
  }

  /// How many columns one pass over A serves; where fewer are multiplied at a time, it is read more often.
  virtual Index columns_at_once() const { return 1; }

  /// A prepared panel as it came: row-major, rows x inner, written to `out`. For verification.
  virtual void unpack(const T* panel, Index rows, Index inner, T* out) const = 0;

  /// Adds a prepared panel's share of r^T A and of the columns' square sums, in double precision and without
  /// unpacking. For verification, which reads all of A once.
  virtual void accumulate_left(const T* panel, Index rows, Index inner, const LeftFactor& left,
                               const LeftProduct& product) const = 0;

  /// What a person should know, e.g. that libxsmm had no kernel here and BLAS serves; empty: nothing.
  virtual std::string note() const { return {}; }

  /// How it cuts a product into blocks on this host; empty: it does not.
  virtual std::string blocks() const { return {}; }
};

/// One row of the table of kernels.
struct KernelInfo {
  std::string name;
  std::string description;
};

/// The kernels there are: packed (default), blas, naive.
const std::vector<KernelInfo>& kernels();

/// Makes a kernel for A of rows x inner; throws UsageError on an unknown name (the nearest is named).
template <class T>
std::unique_ptr<Kernel<T>> make_kernel(std::string_view name, Index rows, Index inner);

}  // namespace loadshare::matmul
