#include "apps/common/bytes.hpp"

#include <gtest/gtest.h>

namespace loadshare {
namespace {

TEST(Bytes, NeverWrapRound) {
  EXPECT_EQ(add_bytes(3, 4), 7U);
  EXPECT_EQ(add_bytes(too_many_bytes - 3, 4), too_many_bytes);
  EXPECT_EQ(multiply_bytes(3, 4), 12U);
  EXPECT_EQ(multiply_bytes(Bytes{1} << 32, Bytes{1} << 32), too_many_bytes);
}

TEST(Bytes, ReadWell) {
  EXPECT_EQ(human_bytes(0), "0 bytes");
  EXPECT_EQ(human_bytes(1), "1 byte");
  EXPECT_EQ(human_bytes(1023), "1023 bytes");
  EXPECT_EQ(human_bytes(1024), "1 KiB");
  EXPECT_EQ(human_bytes(1024 * 1024 - 1), "1 MiB");
  EXPECT_EQ(human_bytes(128 << 20), "128 MiB");
  EXPECT_EQ(human_bytes(Bytes{960} * 1000 * 1000 * 1000), "894.1 GiB");
  EXPECT_EQ(human_bytes(too_many_bytes), "more than 16 EiB");
}

}  // namespace
}  // namespace loadshare
