#include "apps/common/whole_number.hpp"

#include <gtest/gtest.h>

#include "schedulers/error.hpp"

namespace loadshare::test {
namespace {

TEST(WholeNumber, IsDecimalAndWithinItsBounds) {
  EXPECT_EQ(whole_number("--size", "010", 1, 10), 10);
  for (const char* text : {"", "0", "11", "1.5", "ten", "99999999999999999999"})
    EXPECT_THROW((void)whole_number("--size", text, 1, 10), UsageError) << text;
}

TEST(WholeNumber, ThatIsOptionalMayBeLeftOutAndIsHeldToItsBounds) {
  EXPECT_EQ(optional_whole_number("--spoil", "", 0, 4), std::nullopt);
  EXPECT_EQ(optional_whole_number("--spoil", "4", 0, 4), 4);
  for (const char* text : {"-1", "5", "x"})
    EXPECT_THROW((void)optional_whole_number("--spoil", text, 0, 4), UsageError) << text;
}

}  // namespace
}  // namespace loadshare::test
