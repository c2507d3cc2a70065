#include "apps/common/number.hpp"

#include <gmock/gmock.h>

#include "schedulers/error.hpp"

namespace loadshare::test {
namespace {

TEST(Number, IsAllOfTheText) {
  EXPECT_EQ(parse_number("12.5"), 12.5);
  EXPECT_EQ(parse_number("-1e3"), -1000);
  for (const char* text : {"", "1s", "1,5", " 1", "nan", "inf", "1e999", "0x10"})
    EXPECT_FALSE(parse_number(text)) << text;
}

TEST(Number, OfAnOptionIsRefusedByItsName) {
  EXPECT_EQ(number("--keep", "0.8"), 0.8);
  try {
    (void)number("--keep", "half");
    FAIL() << "no error was thrown";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "--keep is 'half' (it must be a number) write it as 12.5");
  }
}

}  // namespace
}  // namespace loadshare::test
