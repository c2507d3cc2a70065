#pragma once

#include "schedulers/types.hpp"

namespace loadshare::matmul {

/// Transposes a row-major panel (rows x inner) in place, so that its columns lie one after the other, with a
/// few KiB of scratch memory whatever its length: while all workers of a host prepare panels at once, a copy
/// of a panel each would be most of what they take. Returns false, and does nothing, where `inner` is no
/// multiple of `rows`.
template <class T>
bool transpose_in_place(T* panel, Index rows, Index inner);

}  // namespace loadshare::matmul
