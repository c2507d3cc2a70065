#include "tests/granted_threads.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <cerrno>

namespace loadshare::test {
namespace {

constexpr int any_number = -1;
thread_local int granted = any_number;

}  // namespace

GrantedThreads::GrantedThreads(int count) {
  granted = count;
}
GrantedThreads::~GrantedThreads() {
  granted = any_number;
}

}  // namespace loadshare::test

/// Replaces the function of the C library, because its limits do not hold for root.
extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                              void* argument) noexcept {
  using namespace loadshare::test;
  static const auto create = reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  if (granted == 0) return EAGAIN;
  if (granted > 0) --granted;
  return create(thread, attributes, run, argument);
}
