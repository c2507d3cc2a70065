#pragma once

#include "apps/matmul/kernel.hpp"

namespace loadshare::matmul {

/// A finished product C = A B, as the kernel that computed it saw it: A in prepared panels, B column-major
/// with leading dimension inner, C column-major with leading dimension rows.
template <class T>
struct Computed {
  const Kernel<T>& kernel;
  PanelSource<T>& a;
  const T* b;
  const T* c;
  Index columns;
};

}  // namespace loadshare::matmul
