#include "base/quantities.hpp"

#include <gmock/gmock.h>

#include <limits>
#include <string>

#include "base/error.hpp"

namespace loadshare::test {
namespace {

TEST(Quantities, Durations) {
  EXPECT_DOUBLE_EQ(parse_duration_s("250ms").value(), 0.25);
  EXPECT_DOUBLE_EQ(parse_duration_s("1.5s").value(), 1.5);
  EXPECT_DOUBLE_EQ(parse_duration_s("1.5 s").value(), 1.5);
  EXPECT_DOUBLE_EQ(parse_duration_s("30us").value(), 30e-6);
  EXPECT_DOUBLE_EQ(parse_duration_s("2min").value(), 120);
  EXPECT_DOUBLE_EQ(parse_duration_s("1h").value(), 3600);
  EXPECT_DOUBLE_EQ(parse_duration_s("0s").value(), 0);
}

TEST(Quantities, Rates) {
  EXPECT_DOUBLE_EQ(parse_rate_bits_per_s("100mbit").value(), 1e8);
  EXPECT_DOUBLE_EQ(parse_rate_bits_per_s("9600bit").value(), 9600);
  EXPECT_DOUBLE_EQ(parse_rate_bits_per_s("2.5gbit").value(), 2.5e9);
}

TEST(Quantities, Percentages) {
  EXPECT_DOUBLE_EQ(parse_percentage("2%").value(), 0.02);
  EXPECT_DOUBLE_EQ(parse_percentage("2.5 %").value(), 0.025);
}

TEST(Quantities, Numbers) {
  EXPECT_DOUBLE_EQ(parse_number("010").value(), 10) << "never octal";
  EXPECT_DOUBLE_EQ(parse_number("-0.5").value(), -0.5);
  EXPECT_DOUBLE_EQ(parse_number("1e3").value(), 1000);
}

TEST(Quantities, InvalidTextsAreRefused) {
  for (const char* text : {"", "s", "5", "-1s", "1e400s", "infs", "nans", "1ss", "1  s", "1s ", "0x10s"})
    EXPECT_EQ(parse_duration_s(text), std::nullopt) << text;
  for (const char* text : {"100", "100mb", "100Mbit", "1e308gbit"})
    EXPECT_EQ(parse_rate_bits_per_s(text), std::nullopt) << text;
  for (const char* text : {"", "0x10", "nan", "inf", "1_000", "1,5", "5 "})
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  EXPECT_EQ(parse_percentage("0.02"), std::nullopt);
}

TEST(Number, MustBeTheWholeText) {
  EXPECT_EQ(parse_number("12.5"), 12.5);
  EXPECT_EQ(parse_number("-1e3"), -1000);
  for (const char* text : {"", "1s", "1,5", " 1", "nan", "inf", "1e999", "0x10"})
    EXPECT_FALSE(parse_number(text)) << text;
}

TEST(Number, ErrorsNameTheOption) {
  EXPECT_EQ(number("--keep", "0.8"), 0.8);
  try {
    (void)number("--keep", "half");
    FAIL() << "no error was thrown";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(), "--keep is 'half' (it must be a number); write it as 12.5");
  }
}

TEST(WholeNumber, IsDecimalAndWithinItsBounds) {
  EXPECT_EQ(whole_number("--size", "010", 1, 10), 10);
  for (const char* text : {"", "0", "11", "1.5", "ten", "99999999999999999999"})
    EXPECT_THROW((void)whole_number("--size", text, 1, 10), UsageError) << text;
}

TEST(ByteCount, TakesUnits) {
  EXPECT_EQ(parse_bytes("0"), 0U);
  EXPECT_EQ(parse_bytes("1000"), 1000U);
  EXPECT_EQ(parse_bytes("1KiB"), 1024U);
  EXPECT_EQ(parse_bytes("64MiB"), 64U << 20);
  EXPECT_EQ(parse_bytes("1048576GiB"), std::uint64_t{1} << 50);
}

TEST(ByteCount, RefusesEverythingElse) {
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "1.5", "much", "KiB", "1KB", "0x10", "1048577GiB",
                           "99999999999999999999", "-1KiB", "1KiBKiB"})
    EXPECT_FALSE(parse_bytes(text)) << text;
}

std::string error_of(const char* text) {
  try {
    duration_s("--for", text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Duration, IsANumberAndItsUnit) {
  EXPECT_DOUBLE_EQ(duration_s("on", "1s"), 1);
  EXPECT_DOUBLE_EQ(duration_s("on", "250ms"), 0.25);
  EXPECT_DOUBLE_EQ(duration_s("on", "1.5s"), 1.5);
  EXPECT_DOUBLE_EQ(duration_s("on", "40us"), 40e-6);
  EXPECT_DOUBLE_EQ(duration_s("on", "2min"), 120);
  EXPECT_DOUBLE_EQ(duration_s("on", "0"), 0);
  EXPECT_DOUBLE_EQ(duration_s("on", "0ms"), 0);
}

TEST(Duration, AnythingElseIsRefused) {
  for (const char* text :
       {"", "1", "s", "1  s", "-1s", "-0", "nan s", "infs", "1sec", "1e400s", "0x1s", "1s "})
    EXPECT_EQ(error_of(text), std::string("--for is '") + text +
                                  "' (a duration is a number and its unit); write it as 250ms, 1.5s or 2min")
        << text;
}

TEST(Duration, HasAMaximum) {
  EXPECT_EQ(duration_s("on", "1e9s"), 1e9);
  for (const char* text : {"1e10s", "1e308min"})
    EXPECT_EQ(error_of(text), std::string("--for is '") + text + "' (it is too long); give at most 1e9s");
}

TEST(Duration, IsWrittenShortly) {
  EXPECT_EQ(short_duration_text(2), "2s");
  EXPECT_EQ(short_duration_text(1.5), "1.5s");
  EXPECT_EQ(short_duration_text(0.25), "250ms");
  EXPECT_EQ(short_duration_text(0.1 + 0.2), "300ms");
  EXPECT_EQ(short_duration_text(0), "0s");
}

TEST(Number, IsWrittenShortly) {
  EXPECT_EQ(short_number_text(10), "10");
  EXPECT_EQ(short_number_text(-0.5), "-0.5");
  EXPECT_EQ(short_number_text(1e22), "10000000000000000000000");
  for (const double number : {0.1 + 0.2, 1e-7, std::numeric_limits<double>::denorm_min()})
    EXPECT_EQ(parse_number(short_number_text(number)), number);
}

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
}  // namespace loadshare::test
