#include "models/program/scaling/term_pool.hpp"

#include <gmock/gmock.h>

#include <algorithm>

namespace loadshare::scaling {
namespace {

using testing::Contains;
using testing::Each;
using testing::Not;

std::vector<std::string> texts_of(const std::vector<Term>& terms) {
  std::vector<std::string> texts;
  for (const Term& term : terms) texts.push_back(term.text());
  return texts;
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
