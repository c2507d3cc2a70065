#include "experiments/sweep/programs.hpp"

#include <gtest/gtest.h>

namespace loadshare::sweep {
namespace {

TEST(Programs, OwnOnesAreKnownByName) {
  for (const char* program : {"matmul", "matvec", "mandelbrot", "synthetic", "cannon", "bucket_sort", "floyd",
                              "integer_sort", "/usr/bin/integer_sort"})
    EXPECT_TRUE(is_own_program(program)) << program;
  EXPECT_FALSE(is_own_program("sleep"));
  EXPECT_FALSE(is_own_program("integer_sort2"));
}

}  // namespace
}  // namespace loadshare::sweep
