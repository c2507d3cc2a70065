#include "models/scaling/law.hpp"

#include <gmock/gmock.h>

#include <cmath>

namespace loadshare::scaling {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

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
}

TEST(LawTest, NamesWhatLiesOutsideOfWhatWasSeen) {
  const Law law = divided_work({{{"n", 100, 200}, {"p", 2, 2}}, 1, 0, {}});
  EXPECT_THAT(law.extrapolations({{"n", 150}, {"p", 2}}), IsEmpty());
  EXPECT_THAT(law.extrapolations({{"n", 300}, {"p", 4}}),
              ElementsAre("n = 300 (seen: 100 to 200)", "p = 4 (seen: 2)"));
}

TEST(LawTest, IsAsUncertainAsLeastSquaresKnow) {
  // One term n, seen at n = 1 and n = 2 as its own value: rows 1 and 1, (X'X)^-1 = 1/2.
  const Law law({{1, Term{{{"n", 1}}}}}, {{}, 2, 0.1, {0.5}});
  // Student's t of one degree of freedom is 3.838 times as wide as a normal distribution.
  EXPECT_NEAR(*law.uncertainty_at({{"n", 10}}), 6.314 / 1.645 * 0.1 * std::sqrt(1.5), 1e-12);
  const Law of_many({{1, Term{{{"n", 1}}}}}, {{}, 5, 0.1, {0.5}});
  EXPECT_NEAR(*of_many.uncertainty_at({{"n", 10}}), 2.132 / 1.645 * 0.1 * std::sqrt(1.5), 1e-12);
}

TEST(LawTest, DoesNotKnowItsErrorFromOneSetting) {
  const Law law({{1, Term{}}}, {{}, 1, {}, {1}});
  EXPECT_FALSE(law.is_exact());
  EXPECT_EQ(law.uncertainty_at({{"n", 10}}), std::nullopt);
}

}  // namespace
}  // namespace loadshare::scaling
