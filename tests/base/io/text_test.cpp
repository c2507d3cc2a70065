#include "base/io/text.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace loadshare {
namespace {

TEST(Wording, Durations) {
  EXPECT_EQ(duration_text(0), "0 s");
  EXPECT_EQ(duration_text(12e-9), "12 ns");
  EXPECT_EQ(duration_text(512.4e-6), "512 us");
  EXPECT_EQ(duration_text(1.26), "1.26 s");
  EXPECT_EQ(duration_text(9.996), "10.0 s");
  EXPECT_EQ(duration_text(0.9996), "1.00 s");
  EXPECT_EQ(duration_text(192), "3 min 12 s");
  EXPECT_EQ(duration_text(7500), "2 h 05 min");
  EXPECT_EQ(duration_text(7.2e24), "2e+21 h");
  EXPECT_EQ(duration_text(-0.5), "-500 ms");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::quiet_NaN()), "-");
}

TEST(Wording, Clocks) {
  EXPECT_EQ(clock_text(0), "0:00");
  EXPECT_EQ(clock_text(59.6), "1:00");
  EXPECT_EQ(clock_text(3723), "1:02:03");
}

TEST(Wording, Rates) {
  EXPECT_EQ(flops_text(104.6e9), "104.6 GFLOP/s");
  EXPECT_EQ(flops_text(812e3), "812.0 kFLOP/s");
  EXPECT_EQ(flops_text(3), "3.0 FLOP/s");
}

TEST(Wording, Numbers) {
  EXPECT_EQ(grouped_text(0), "0");
  EXPECT_EQ(grouped_text(999), "999");
  EXPECT_EQ(grouped_text(1'234'567), "1,234,567");
  EXPECT_EQ(grouped_text(-123'456), "-123,456");
  EXPECT_EQ(percent_text(0.9617), "96.2 %");
  EXPECT_EQ(count_text(1, "host", "hosts"), "1 host");
}

TEST(Wording, LongLinesBreakBetweenWords) {
  EXPECT_EQ(wrapped("label one two three", 14, 6), "label one two\n      three");
  EXPECT_EQ(wrapped("averyveryverylongword x", 8, 2), "averyveryverylongword\n  x");
  EXPECT_EQ(wrapped("", 8, 2), "");
}

TEST(Wording, LongLinesOfATextAreAlignedBehindTheirLabels) {
  EXPECT_EQ(fitted("short\nerror: one two three\n", 14), "short\nerror: one two\n       three\n");
  EXPECT_EQ(fitted("  why:  one two three", 16), "  why:  one two\n        three");
  EXPECT_EQ(fitted("ok    one two three", 16), "ok    one two\n      three");
  EXPECT_EQ(fitted("  one two three four", 12), "  one two\n    three\n    four");
  EXPECT_EQ(fitted("one two three", 9, 0), "one two\nthree");
  EXPECT_EQ(fitted("x\n\ny", 9), "x\n\ny");
  EXPECT_EQ(fitted("averyveryverylongword x", 12), "averyveryverylongword\n  x");
  EXPECT_EQ(fitted("", 12), "");
}

TEST(Wording, ColoursAndBytesOfACharacterTakeNoColumns) {
  EXPECT_EQ(fitted("\x1b[33mgreen light\x1b[0m", 11), "\x1b[33mgreen light\x1b[0m");
  EXPECT_EQ(fitted("Z\xc3\xbcrich is far", 13), "Z\xc3\xbcrich is far");
}

TEST(Wording, ParagraphsAreJoinedAndBrokenAnew) {
  EXPECT_EQ(fitted_paragraphs("One two\nthree four.\nFive:\n  six\n\nseven\n", 80),
            "One two three four.\nFive:\n  six\n\nseven\n");
  EXPECT_EQ(fitted_paragraphs("One two\nthree four five", 12), "One two\nthree four\nfive");
  EXPECT_EQ(fitted_paragraphs("As in:\n  one two three", 9), "As in:\n  one two\n    three");
}

TEST(Printable, TextsStayAsTheyAre) {
  for (const char* text : {"", "node1", "Zürich", "数 \\n \"quoted\" 😀"}) EXPECT_EQ(printable(text), text);
}

TEST(Printable, ControlCharactersAreShown) {
  EXPECT_EQ(printable("a\nerror: b\t\x1b[2J\r"), "a\\nerror: b\\t\\x1b[2J\\x0d");
  EXPECT_EQ(printable(std::string("\0\x7f", 2)), "\\x00\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b"
            "31m")
      << "a control character of two bytes";
  EXPECT_EQ(printable("\xe2\x80\xa8|\xe2\x80\xae"), "\\xe2\\x80\\xa8|\\xe2\\x80\\xae")
      << "a line, a direction";
}

TEST(Printable, InvalidUtf8IsEscaped) {
  for (const auto& [bytes, shown] : {std::pair{"\xff", "\\xff"},
                                     {"a\xc3", "a\\xc3"},
                                     {"\xc0\xaf", "\\xc0\\xaf"},
                                     {"\xe0\x80\xaf", "\\xe0\\x80\\xaf"},
                                     {"\xed\xa0\x80", "\\xed\\xa0\\x80"},
                                     {"\xf5\x80\x80\x80", "\\xf5\\x80\\x80\\x80"},
                                     {"\x80z", "\\x80z"}})
    EXPECT_EQ(printable(bytes), shown);
}

TEST(Printable, ALongTextIsCut) {
  EXPECT_EQ(printable("abcdef", 4), "abcd...");
  EXPECT_EQ(printable("abcü", 4), "abc...") << "no character is cut";
  EXPECT_EQ(printable("abcd", 4), "abcd");
}

TEST(Printable, LineEndsOfOurTextsAreKept) {
  EXPECT_EQ(printable_lines("one\n\n\x1b[2J two\n"), "one\n\n\\x1b[2J two\n");
  EXPECT_EQ(printable_lines(std::string(5000, 'x')).size(), 5000U);
}

TEST(UtcText, HasTheFormOfFiles) {
  EXPECT_EQ(utc_text(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_text(1'769'860'805), "2026-01-31T12:00:05Z");
}

}  // namespace
}  // namespace loadshare
