#pragma once

#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "apps/matmul/kernel.hpp"
#include "apps/matmul/kernels/block_shape.hpp"
#include "apps/matmul/kernels/generated.hpp"
#include "base/types.hpp"
#include "runtime/host/page_memory.hpp"

namespace loadshare::matmul {

/// Transposes a row-major panel (rows x inner) in place into columns, with a few KiB of scratch memory for
/// any length. All workers of a host prepare panels at the same time, so a copy per worker would be most of
/// their memory. Returns false, and does nothing, if `inner` is not a multiple of `rows`.
template <class T>
bool transpose_in_place(T* panel, Index rows, Index inner);

/// How the packed kernel computes block products.
enum class BlockCode { generated, blas };

/// The default kernel. It packs the first matrix once per host and multiplies block by block with generated
/// code, so that a chunk's time is nearly proportional to its width.
///
/// A prepared panel is column-major, rows x inner without gaps, so that every block of the inner dimension is
/// contiguous. If libxsmm has no code for a size, BLAS multiplies panel by panel.
template <class T>
class PackedKernel final : public Kernel<T> {
 public:
  PackedKernel(Index rows, Index inner, BlockCode code = BlockCode::generated,
               const BlockShape& shape = block_shape(Core::here(), sizeof(T)));

  void prepare(T* panel, Index rows, Index inner) const override;
  void multiply(PanelSource<T>& a, const T* b, T* c, Index columns) const override;
  void multiply_together(PanelSource<T>& a, std::span<const ChunkColumns<T>> chunks) const override;
  Index columns_at_once() const override { return is_generated() ? shape_.group : 1; }
  void unpack(const T* panel, Index rows, Index inner, T* out) const override;
  void accumulate_left(const T* panel, Index rows, Index inner, const LeftFactor& left,
                       const LeftProduct& product) const override;
  std::string note() const override;
  std::string blocks() const override;

 private:
  /// Code for panels of one height: for all blocks of the inner dimension but the last, and for the last.
  struct PanelCode {
    GeneratedBlock<T> step;
    GeneratedBlock<T> last;
  };

  /// One call of generated code: some columns of B in their original form, and of C.
  struct Call {
    const T* b;
    T* c;
    Index columns;
    Index first;  ///< position among all columns that are multiplied together
  };
  using Calls = std::span<const Call>;
  /// A part of the inner dimension.
  struct Slab {
    Index first;
    Index end;
  };

  /// Memory for packed columns of B, reused by later calls of any worker.
  class SpareMemory {
   public:
    /// Returns memory for `size` elements with undefined content.
    PageMemory<T> take(Index size);
    void give_back(PageMemory<T> memory);

   private:
    std::mutex mutex_;
    std::vector<PageMemory<T>> free_;
  };

  PanelCode code_for(Index panel_height) const;
  bool is_generated() const;
  std::vector<Call> calls_for(std::span<const ChunkColumns<T>> chunks) const;
  void multiply_group(PanelSource<T>& a, Calls calls) const;
  void multiply_slab(PanelSource<T>& a, Calls calls, Index columns, const Slab& slab) const;
  void multiply_panel(const T* a, Index height, const T* packed_b, Calls calls, Index columns,
                      const Slab& slab, Index first_row) const;
  void multiply_by_blas(PanelSource<T>& a, const T* b, T* c, Index columns) const;

  Index rows_;
  Index inner_;
  BlockShape shape_;
  Index step_;  ///< inner dimension of a block; all but the last are equal
  BlockCode wanted_;
  PanelCode whole_;  ///< for panels of `panel_rows` rows
  PanelCode rest_;   ///< for the last panel, if it is shorter
  mutable SpareMemory spare_;
};

}  // namespace loadshare::matmul
