#pragma once

#include "runtime/profile/format.hpp"
#include "runtime/profile/interpose/kernels.hpp"

namespace loadshare::profile {

/// How far this kernel's clock is ahead of rank 0's, now: by messages between the kernels' leaders and rank
/// 0, which all must call it. All zero on rank 0's kernel and on ranks that lead none.
ClockOffset exchange_clocks(const Kernels& kernels);

}  // namespace loadshare::profile
