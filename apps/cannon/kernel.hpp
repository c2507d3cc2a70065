#pragma once

#include <span>
#include <string>

#include "base/types.hpp"

namespace loadshare::cannon {

/// The product C += A B. A is rows x inner, B inner x columns, C rows x columns, each row-major without gaps.
/// Every dimension fits in an int.
struct BlockProduct {
  Index rows;
  Index inner;
  Index columns;
  const double* a;
  const double* b;
  double* c;
};

using Kernel = void (*)(const BlockProduct&);

struct KernelInfo {
  const char* name;
  const char* description;
  Kernel multiply;
};

/// Returns the available kernels, the default first.
std::span<const KernelInfo> kernels();

/// Returns the kernel of that name. Throws UsageError, with the nearest name, if there is none.
Kernel find_kernel(const std::string& name);

}  // namespace loadshare::cannon
