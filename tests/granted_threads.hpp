#pragma once

namespace loadshare::test {

/// While it lives, the system starts only so many further threads for the calling thread, as where `ulimit
/// -u` or a control group has no more of them. For programs that have granted_threads.cpp.
class GrantedThreads final {
 public:
  explicit GrantedThreads(int count);
  ~GrantedThreads();
  GrantedThreads(const GrantedThreads&) = delete;
  GrantedThreads& operator=(const GrantedThreads&) = delete;
};

}  // namespace loadshare::test
