#include "experiments/yaml/quantities.hpp"

#include <gtest/gtest.h>

namespace loadshare::yaml {
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

TEST(Quantities, WhatIsNone) {
  for (const char* text : {"", "s", "5", "-1s", "1e400s", "infs", "nans", "1ss", "1  s", "1s ", "0x10s"})
    EXPECT_EQ(parse_duration_s(text), std::nullopt) << text;
  for (const char* text : {"100", "100mb", "100Mbit", "1e308gbit"})
    EXPECT_EQ(parse_rate_bits_per_s(text), std::nullopt) << text;
  for (const char* text : {"", "0x10", "nan", "inf", "1_000", "1,5", "5 "})
    EXPECT_EQ(parse_number(text), std::nullopt) << text;
  EXPECT_EQ(parse_percentage("0.02"), std::nullopt);
}

}  // namespace
}  // namespace loadshare::yaml
