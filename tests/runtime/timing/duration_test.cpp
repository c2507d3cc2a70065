#include "runtime/timing/duration.hpp"

#include <gtest/gtest.h>

#include <string>

#include "schedulers/error.hpp"

namespace loadshare {
namespace {

std::string error_of(const char* text) {
  try {
    parse_duration_s("--for", text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Duration, IsANumberAndItsUnit) {
  EXPECT_DOUBLE_EQ(parse_duration_s("on", "1s"), 1);
  EXPECT_DOUBLE_EQ(parse_duration_s("on", "250ms"), 0.25);
  EXPECT_DOUBLE_EQ(parse_duration_s("on", "1.5s"), 1.5);
  EXPECT_DOUBLE_EQ(parse_duration_s("on", "40us"), 40e-6);
  EXPECT_DOUBLE_EQ(parse_duration_s("on", "2min"), 120);
  EXPECT_DOUBLE_EQ(parse_duration_s("on", "0"), 0);
  EXPECT_DOUBLE_EQ(parse_duration_s("on", "0ms"), 0);
}

TEST(Duration, AnythingElseIsRefused) {
  for (const char* text :
       {"", "1", "s", "1 s", "-1s", "-0", "nan s", "infs", "1sec", "1e400s", "0x1s", "1s "})
    EXPECT_EQ(error_of(text), std::string("--for is '") + text +
                                  "' (a duration is a number and its unit) write it as 250ms, 1.5s or 2min")
        << text;
}

TEST(Duration, HasItsEnd) {
  EXPECT_EQ(parse_duration_s("on", "1e9s"), 1e9);
  for (const char* text : {"1e10s", "1e308min"})
    EXPECT_EQ(error_of(text), std::string("--for is '") + text + "' (it is too long) give at most 1e9s");
}

TEST(Duration, IsWrittenShortly) {
  EXPECT_EQ(short_duration_text(2), "2s");
  EXPECT_EQ(short_duration_text(1.5), "1.5s");
  EXPECT_EQ(short_duration_text(0.25), "250ms");
  EXPECT_EQ(short_duration_text(0.1 + 0.2), "300ms");
  EXPECT_EQ(short_duration_text(0), "0s");
}

}  // namespace
}  // namespace loadshare
