#include "apps/synthetic/costs/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace loadshare::synthetic {
namespace {

TEST(Draws, AreAFunctionOfSeedAndIteration) {
  EXPECT_EQ(Draws(1, 5).uniform(), Draws(1, 5).uniform());
  EXPECT_NE(Draws(1, 5).uniform(), Draws(2, 5).uniform());
  EXPECT_NE(Draws(1, 5).uniform(), Draws(1, 6).uniform());
  EXPECT_NEAR(Draws(1, 0).uniform(), 0.69351213901023, 1e-14);
  EXPECT_NEAR(Draws(1, 1'000'000'000'000).uniform(), 0.021937351176112175, 1e-16);
}

TEST(Draws, DifferWithinOneIteration) {
  Draws draws(1, 0);
  const double first = draws.uniform(), second = draws.uniform();
  EXPECT_NE(first, second);
}

// Neighbouring iterations and seeds must not resemble each other, nor an iteration's first draw its second.
TEST(Draws, AreNotCorrelated) {
  constexpr Index count = 100'000;
  double next_iteration = 0, next_seed = 0, next_draw = 0;
  for (Index i = 0; i < count; ++i) {
    Draws draws(1, i);
    const double here = draws.uniform() - 0.5;
    next_draw += here * (draws.uniform() - 0.5);
    next_iteration += here * (Draws(1, i + 1).uniform() - 0.5);
    next_seed += here * (Draws(2, i).uniform() - 0.5);
  }
  const double deviation = std::sqrt(static_cast<double>(count)) / 12;
  for (const double sum : {next_iteration, next_seed, next_draw}) EXPECT_LT(std::abs(sum), 4 * deviation);
}

TEST(Draws, StayInTheOpenInterval) {
  for (Index i = 0; i < 100'000; ++i) {
    const double drawn = Draws(3, i).uniform();
    ASSERT_GT(drawn, 0);
    ASSERT_LT(drawn, 1);
  }
}

}  // namespace
}  // namespace loadshare::synthetic
