#include "runtime/profile/byte_count.hpp"

#include <gtest/gtest.h>

namespace loadshare::profile {
namespace {

TEST(ByteCount, TakesUnits) {
  EXPECT_EQ(byte_count("0"), 0U);
  EXPECT_EQ(byte_count("1000"), 1000U);
  EXPECT_EQ(byte_count("1KiB"), 1024U);
  EXPECT_EQ(byte_count("64MiB"), 64U << 20);
  EXPECT_EQ(byte_count("1048576GiB"), std::uint64_t{1} << 50);
}

TEST(ByteCount, RefusesEverythingElse) {
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "1.5", "much", "KiB", "1KB", "0x10", "1048577GiB",
                           "99999999999999999999", "-1KiB", "1KiBKiB"})
    EXPECT_FALSE(byte_count(text)) << text;
}

}  // namespace
}  // namespace loadshare::profile
