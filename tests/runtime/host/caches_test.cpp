#include "runtime/host/caches.hpp"

#include <gtest/gtest.h>

namespace loadshare {
namespace {

TEST(Caches, HavePlausibleSizes) {
  const Caches caches = caches_of_core();
  EXPECT_GE(caches.first_bytes, 8 << 10);
  EXPECT_LE(caches.first_bytes, 1 << 20);
  EXPECT_GE(caches.second_bytes, caches.first_bytes);
  EXPECT_LE(caches.second_bytes, 1 << 30);
}

}  // namespace
}  // namespace loadshare
