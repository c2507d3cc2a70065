#include <gtest/gtest.h>

#include "tests/schedulers/sequence.hpp"

namespace loadshare::test {
namespace {

// Figure 2 of Piotrowski and Dandamudi: 70 columns, G = 4.
TEST(Gss, DividesByTheWorkersByDefault) {
  EXPECT_EQ(sequence("gss", {70, 4}), read_sizes("17 13 10 7 5 4 3 2x2 1x7"));
}

// Polychronopoulos and Kuck round up.
TEST(Gss, RoundsUpOnRequest) {
  EXPECT_EQ(sequence("gss:4,round=up", {70, 9}), read_sizes("18 13 10 8 6 4 3 2x2 1x4"));
}

TEST(Gss, NeverGoesBelowMin) {
  EXPECT_EQ(sequence("gss:4,5", {70, 4}), read_sizes("17 13 10 7 5x4 3"));
}

TEST(Gss, DividesLoopsLongerThanThirtyTwoBits) {
  const Index long_loop = (Index{1} << 40) + 3;
  EXPECT_EQ(test::next_size(*built_in_schedulers().make("gss:4", {long_loop, 1}), WorkerId{0}, long_loop),
            Index{1} << 38);
  EXPECT_EQ(
      test::next_size(*built_in_schedulers().make("gss:4,round=up", {long_loop, 1}), WorkerId{0}, long_loop),
      (Index{1} << 38) + 1);
}

TEST(Gss, RejectsOtherRounding) {
  EXPECT_EQ(error_of("gss:round=near"), "unknown round of scheduler gss 'near' (valid: down, up)");
}

}  // namespace
}  // namespace loadshare::test
