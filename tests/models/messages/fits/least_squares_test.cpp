#include "models/messages/fits/least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/golden_rows.hpp"

namespace loadshare::communication::test {
namespace {

using loadshare::test::read_rows, loadshare::test::Row;

double number(const Row& row, const std::string& column) {
  return std::stod(row.at(column));
}

/// The line through the paper's Table 2, sizes in thousands of integers.
Curve fit_of(const std::string& cluster, const std::string& mode, const std::string& side) {
  std::vector<Sample> samples;
  for (const Row& row : read_rows("seed_table2.csv"))
    if (row.at("cluster") == cluster && row.at("mode") == mode && row.at("side") == side)
      samples.push_back({number(row, "n_thousand_ints"), number(row, "seconds")});
  EXPECT_EQ(samples.size(), 7U);
  return fit_least_squares(samples);
}

TEST(SeedGolden, LinesAreThoseOfLeastSquares) {
  int compared_with_print = 0;
  const auto rows = read_rows("seed_fits.csv");
  ASSERT_EQ(rows.size(), 16U);
  for (const Row& row : rows) {
    SCOPED_TRACE(row.at("cluster") + " " + row.at("mode") + " " + row.at("side"));
    const Curve curve = fit_of(row.at("cluster"), row.at("mode"), row.at("side"));
    ASSERT_EQ(curve.segments().size(), 1U);
    const Segment line = curve.segments()[0];
    const double c_s = number(row, "ols_c_s_per_thousand"), k_s = number(row, "ols_k_s");
    EXPECT_NEAR(line.c_s, c_s, 1e-9 * std::abs(c_s));
    EXPECT_NEAR(line.k_s, k_s, 1e-9 * std::abs(k_s));
    if (row.at("table3_c_s_per_thousand").empty()) continue;
    ++compared_with_print;
    EXPECT_NEAR(line.c_s, number(row, "table3_c_s_per_thousand"), 1.43e-7);
    EXPECT_NEAR(line.k_s, number(row, "table3_k_s"), 8.7e-5);
  }
  EXPECT_EQ(compared_with_print, 8);
}

TEST(SeedGolden, PredictionsEqualThePapers) {
  int tested = 0;
  for (const Row& row : read_rows("seed_table4.csv")) {
    if (row.at("cluster") == "C1" && row.at("mode") == "synchronous" && row.at("n_thousand") == "60")
      continue;  // in print a copy of another row
    SCOPED_TRACE(row.at("cluster") + " " + row.at("mode") + " " + row.at("n_thousand"));
    const double seconds =
        fit_of(row.at("cluster"), row.at("mode"), "sender").seconds(number(row, "n_thousand"));
    EXPECT_NEAR(seconds, number(row, "predicted_printed"), 1.3e-4);
    EXPECT_NEAR(seconds, number(row, "predicted_by_ols_on_table2"), 5.1e-8);
    ++tested;
  }
  EXPECT_EQ(tested, 31);
}

TEST(SeedGolden, PrintedLinesGiveThePrintedPredictions) {
  const auto table3 = read_rows("seed_fits.csv");
  int tested = 0;
  for (const Row& row : read_rows("seed_table4.csv"))
    for (const Row& line : table3) {
      if (line.at("cluster") != row.at("cluster") || line.at("mode") != row.at("mode") ||
          line.at("side") != "sender" || line.at("table3_k_s").empty())
        continue;
      const Curve curve(
          {{100, 1000, number(line, "table3_c_s_per_thousand"), number(line, "table3_k_s"), 1, 1}});
      EXPECT_NEAR(curve.seconds(number(row, "n_thousand")), number(row, "predicted_printed"), 5e-5 + 1e-12);
      ++tested;
    }
  EXPECT_EQ(tested, 16);
}

TEST(Seed, ReportsTheSizeBelowWhichItIsNegative) {
  // 3.182142857143 / 0.4106428571429, in thousands; the paper's rounded line says 7,691 integers.
  EXPECT_NEAR(*fit_of("C1", "standard", "sender").negative_below(), 7.749174, 1e-6);
  EXPECT_FALSE(fit_of("C1", "standard", "receiver").negative_below());
  EXPECT_NEAR(*Curve({{100, 1000, 4.10604e-4, -0.0031578, 1, 1}}).negative_below(), 7.691, 5e-4);
}

}  // namespace
}  // namespace loadshare::communication::test
