#include "models/scaling/term.hpp"

#include <gmock/gmock.h>

#include <algorithm>

#include "models/scaling/term_pool.hpp"

namespace loadshare::scaling {
namespace {

using testing::Contains;
using testing::Each;
using testing::Not;

const Term constant{};
const Term sorting{{{"n", 1}, {"n", 1, true}, {"p", -1}}};
const Term surface{{{"n", 2}, {"p", -0.5}}};

std::vector<std::string> texts_of(const std::vector<Term>& terms) {
  std::vector<std::string> texts;
  for (const Term& term : terms) texts.push_back(term.text());
  return texts;
}

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

TEST(TermTest, IsTheMoreComplexTheStrangerItsFactors) {
  EXPECT_EQ(constant.complexity(), 0);
  EXPECT_EQ((Term{{{"n", 1}, {"p", -1}}}.complexity()), 2);
  EXPECT_EQ(sorting.complexity(), 3.5);
}

TEST(TermPoolTest, HasOnlyParametersThatDiffer) {
  const std::vector<Setting> settings{{{"n", 100}, {"p", 2}}, {{"n", 200}, {"p", 2}}};
  const std::vector<std::string> texts = texts_of(term_pool(settings));
  EXPECT_THAT(texts, Contains("n"));
  EXPECT_THAT(texts, Contains("n * log2(n)"));
  EXPECT_THAT(texts, Each(Not(testing::HasSubstr("p"))));
}

TEST(TermPoolTest, DividesByTheRanksAndBeginsWithTheSimplest) {
  const std::vector<Setting> settings{{{"n", 100}, {"p", 2}}, {{"n", 200}, {"p", 4}}};
  const std::vector<Term> terms = term_pool(settings);
  EXPECT_THAT(texts_of(terms), Contains("n / p"));
  EXPECT_TRUE(std::ranges::is_sorted(terms, {}, &Term::complexity));
  EXPECT_EQ(terms.front().complexity(), 1);
}

}  // namespace
}  // namespace loadshare::scaling
