#include "models/program/scaling/law.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace loadshare::scaling {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Term constant{};
const Term sorting{{{"n", 1}, {"n", 1, true}, {"p", -1}}};
const Term surface{{{"n", 2}, {"p", -0.5}}};

TEST(TermTest, IsTheProductOfItsFactors) {
  EXPECT_DOUBLE_EQ(constant.at({{"n", 8}}), 1);
  EXPECT_DOUBLE_EQ(sorting.at({{"n", 1024}, {"p", 4}}), 1024 * 10 / 4.0);
  EXPECT_DOUBLE_EQ(surface.at({{"n", 3}, {"p", 4}}), 9 / 2.0);
}

TEST(TermTest, IsWrittenAsAnExpression) {
  EXPECT_EQ(constant.text(), "1");
  EXPECT_EQ(sorting.text(), "n * log2(n) / p");
  EXPECT_EQ(surface.text(), "n^2 / sqrt(p)");
}

TEST(TermTest, IsMoreComplexWithUnusualFactors) {
  EXPECT_EQ(constant.complexity(), 0);
  EXPECT_EQ((Term{{{"n", 1}, {"p", -1}}}.complexity()), 2);
  EXPECT_EQ(sorting.complexity(), 3.5);
}

Law divided_work(Law::Fit fit = {}) {
  return {{{2e-9, Term{{{"n", 1}, {"p", -1}}}}, {3e-6, Term{}}}, std::move(fit)};
}

TEST(LawTest, IsASumOfItsParts) {
  EXPECT_DOUBLE_EQ(divided_work().at({{"n", 1e6}, {"p", 4}}), 5e-4 + 3e-6);
  EXPECT_EQ(Law().at({}), 0);
}

TEST(LawTest, IsWrittenAsAnExpression) {
  EXPECT_EQ(divided_work().text(), "2e-09 * n / p + 3e-06");
  EXPECT_EQ(Law().text(), "0");
  EXPECT_EQ(Law({{0.5, Term{{{"p", -1}}}}}, {}).text(), "0.5 / p");
  const Law measured({{1.2345678e-9, Term{{{"n", 1}}}}}, {});
  EXPECT_EQ(measured.text(), "1.2345678e-09 * n");
  EXPECT_EQ(measured.short_text(), "1.235e-09 * n");
}

TEST(LawTest, NamesExtrapolatedParameters) {
  const Law law = divided_work({{{"n", 100, 200}, {"p", 2, 2}}, 1, 0, {}});
  EXPECT_THAT(law.extrapolations({{"n", 150}, {"p", 2}}), IsEmpty());
  EXPECT_THAT(law.extrapolations({{"n", 300}, {"p", 4}}),
              ElementsAre("n = 300 (seen: 100 to 200)", "p = 4 (seen: 2)"));
}

TEST(LawTest, HasTheUncertaintyOfLeastSquares) {
  // One term n, seen at n = 1 and n = 2 as its own value: rows 1 and 1, (X'X)^-1 = 1/2.
  const Law law({{1, Term{{{"n", 1}}}}}, {{}, 2, 0.1, {0.5}});
  // Student's t of one degree of freedom is 3.838 times as wide as a normal distribution.
  EXPECT_NEAR(*law.uncertainty_at({{"n", 10}}), 6.314 / 1.645 * 0.1 * std::sqrt(1.5), 1e-12);
  const Law of_many({{1, Term{{{"n", 1}}}}}, {{}, 5, 0.1, {0.5}});
  EXPECT_NEAR(*of_many.uncertainty_at({{"n", 10}}), 2.132 / 1.645 * 0.1 * std::sqrt(1.5), 1e-12);
}

TEST(LawTest, IsLessCertainOfOneRunThanOfTheMeanOfSeveral) {
  const auto uncertainty = [](double share, double constant) {
    Law::Fit fit{{}, 100, 0.1, {0}};
    fit.one_run = {constant, 0, share};
    return *Law({{1e-3, Term{}}}, fit).uncertainty_at({});
  };
  const double of_mean = uncertainty(0, 0);
  EXPECT_NEAR(uncertainty(0.04, 0), std::hypot(of_mean, std::sqrt(std::log1p(0.04))), 1e-12);
  EXPECT_NEAR(uncertainty(0, 4e-8), uncertainty(0.04, 0), 1e-12);
  EXPECT_EQ(uncertainty(1e9, 0), 2);
}

TEST(LawTest, HasAnUnknownErrorWithOneSetting) {
  const Law law({{1, Term{}}}, {{}, 1, {}, {1}});
  EXPECT_FALSE(law.is_exact());
  EXPECT_EQ(law.uncertainty_at({{"n", 10}}), std::nullopt);
}

}  // namespace
}  // namespace loadshare::scaling
