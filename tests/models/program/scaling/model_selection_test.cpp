#include "models/program/scaling/model_selection.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace loadshare::scaling {
namespace {

using Columns = std::vector<Eigen::Index>;

/// Powers of five sizes, 0 to 3, where `seconds` were seen.
Design powers_of(const std::vector<double>& seconds) {
  constexpr Eigen::Index count = 4;
  const auto rows = static_cast<Eigen::Index>(seconds.size());
  Design design{{rows, count}, Eigen::VectorXd::Ones(rows), {0, 1, 3, 4}};
  for (Eigen::Index row = 0; row < rows; ++row)
    for (Eigen::Index power = 0; power < count; ++power)
      design.columns(row, power) = std::pow(std::exp2(row), power) / seconds[static_cast<std::size_t>(row)];
  return design;
}

TEST(ModelSelectionTest, FindsThePresentTerms) {
  EXPECT_EQ(choice_of(powers_of({2, 4, 8, 16, 32})).best.terms, (Columns{1}));
  EXPECT_EQ(choice_of(powers_of({4, 7, 19, 67, 259})).best.terms, (Columns{2, 0}));
  EXPECT_EQ(choice_of(powers_of({5, 9, 23, 75, 275})).best.terms, (Columns{2, 1, 0}));
}

TEST(ModelSelectionTest, TakesNoMoreComplexTermWithoutGain) {
  EXPECT_EQ(choice_of(powers_of({2.01, 3.98, 8.03, 15.95, 32.1})).best.terms, (Columns{1}));
}

TEST(ModelSelectionTest, TriesEachChoiceOnce) {
  const Choice choice = choice_of(powers_of({2.1, 3.8, 8.3, 15.5, 33}));
  std::set<Columns> different;
  for (const Candidate& rival : choice.rivals) different.insert(rival.terms);
  EXPECT_EQ(different.size(), choice.rivals.size());
  EXPECT_GT(choice.rivals.size(), 3);
  EXPECT_TRUE(std::ranges::is_sorted(choice.rivals, {}, &Candidate::error));
}

TEST(ModelSelectionTest, KeepsTwoDegreesOfFreedom) {
  for (const Candidate& rival : choice_of(powers_of({2.1, 3.8, 8.3})).rivals)
    EXPECT_EQ(rival.terms.size(), 1);
}

TEST(ModelSelectionTest, IgnoresTermsWithoutEffect) {
  Design design = powers_of({2, 4, 8, 16, 32});
  design.columns.setZero();
  EXPECT_EQ(choice_of(design).best.terms, (Columns{0}));
  EXPECT_TRUE(std::isinf(choice_of(design).best.error));
  EXPECT_TRUE(best_of({{{1}}, {{1, 0}}}, design).terms.empty());
}

}  // namespace
}  // namespace loadshare::scaling
