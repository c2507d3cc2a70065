#pragma once

#include "apps/matmul/kernel.hpp"

namespace loadshare::matmul {

/// The load-sharing paper's computation: the same plain loops, one inner product an element, whatever the
/// technique. Choose it to study scheduling; it is some twenty times slower than `packed`.
template <class T>
class NaiveKernel final : public Kernel<T> {
 public:
  void prepare(T* panel, Index rows, Index inner) const override;
  void multiply(PanelSource<T>& a, const T* b, T* c, Index columns) const override;
  void unpack(const T* panel, Index rows, Index inner, T* out) const override;
  void accumulate_left(const T* panel, Index rows, Index inner, const LeftFactor& left,
                       const LeftProduct& product) const override;
};

}  // namespace loadshare::matmul
