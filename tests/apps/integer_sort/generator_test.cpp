#include "apps/integer_sort/generator.hpp"

#include <gtest/gtest.h>

namespace loadshare::integer_sort {
namespace {

// 5^13 x 314159265 = 383495196533203125; modulo 2^46, and once more, by Python's whole numbers.
TEST(Generator, BeginsWithKnownNumbers) {
  Generator numbers(0);
  EXPECT_EQ(numbers.next(), 55'909'509'111'989);
  EXPECT_EQ(numbers.next(), 61'155'031'930'969);
}

TEST(Generator, JumpsToAnyPlace) {
  Generator walking(0);
  for (std::uint64_t place = 0; place < 1'000; ++place) {
    Generator jumped(place);
    EXPECT_EQ(jumped.next(), walking.next()) << place;
  }
}

// The period of the sequence is 2^44: a jump that far is none.
TEST(Generator, JumpsAsFarAsThePeriod) {
  constexpr std::uint64_t period = std::uint64_t{1} << 44;
  EXPECT_EQ(Generator(period).next(), Generator(0).next());
  EXPECT_NE(Generator(period / 2).next(), Generator(0).next());
}

}  // namespace
}  // namespace loadshare::integer_sort
