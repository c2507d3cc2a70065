#pragma once

#include "apps/matmul/kernel.hpp"

namespace loadshare::matmul {

/// One BLAS call a chunk, one BLAS thread a worker. Every call packs the whole first matrix again, so its
/// time is far from linear in the chunk's width: choose it to compare with `packed`, or for wide chunks.
/// Expects the panels one after the other in one array, as every source of this project keeps them.
template <class T>
class BlasKernel final : public Kernel<T> {
 public:
  BlasKernel();

  void prepare(T* panel, Index rows, Index inner) const override;
  void multiply(PanelSource<T>& a, const T* b, T* c, Index columns) const override;
  void unpack(const T* panel, Index rows, Index inner, T* out) const override;
  void accumulate_left(const T* panel, Index rows, Index inner, const LeftFactor& left,
                       const LeftProduct& product) const override;
};

}  // namespace loadshare::matmul
