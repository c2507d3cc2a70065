#pragma once

namespace loadshare::test {

/// While it exists, the system starts only this number of further threads for the calling thread, as under
/// `ulimit -u` or a control group's limit. For programs linked with granted_threads.cpp.
class GrantedThreads final {
 public:
  explicit GrantedThreads(int count);
  ~GrantedThreads();
  GrantedThreads(const GrantedThreads&) = delete;
  GrantedThreads& operator=(const GrantedThreads&) = delete;
};

}  // namespace loadshare::test
