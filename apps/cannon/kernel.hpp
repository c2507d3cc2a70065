#pragma once

#include <span>
#include <string>

#include "base/types.hpp"

namespace loadshare::cannon {

/// C += A B. A is rows x inner, B inner x columns, C rows x columns, each row-major without gaps; every
/// dimension fits in an int.
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

/// The kernels there are, the usual one first.
std::span<const KernelInfo> kernels();

/// The kernel of that name; throws UsageError, with the nearest name, where there is none.
Kernel find_kernel(const std::string& name);

}  // namespace loadshare::cannon
