#pragma once

#include <vector>

namespace loadshare::test {

/// While it exists, the kernel has so many processors, of which each thread may first use these. For programs
/// linked with many_processors.cpp, of one thread.
class ManyProcessors final {
 public:
  ManyProcessors(int count, std::vector<int> allowed);
  ~ManyProcessors();
  ManyProcessors(const ManyProcessors&) = delete;
  ManyProcessors& operator=(const ManyProcessors&) = delete;
};

/// While it exists, the kernel does not say which processors a thread may use.
class SilentKernel final {
 public:
  explicit SilentKernel(int error);
  ~SilentKernel();
  SilentKernel(const SilentKernel&) = delete;
  SilentKernel& operator=(const SilentKernel&) = delete;
};

}  // namespace loadshare::test
