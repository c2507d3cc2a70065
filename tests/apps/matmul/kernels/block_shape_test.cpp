#include "apps/matmul/kernels/block_shape.hpp"

#include <gtest/gtest.h>

#include "apps/matmul/kernel.hpp"

namespace loadshare::matmul {
namespace {

constexpr Index kib = 1024;
constexpr Core xeon{48 * kib, 2048 * kib, 64};
constexpr Core epyc_avx512{48 * kib, 1024 * kib, 64};
constexpr Core epyc_avx2{32 * kib, 512 * kib, 32};

struct Expected {
  Index tile, inner, group;
};

void expect_shape(const Core& core, Index element_bytes, const Expected& expected) {
  const BlockShape shape = block_shape(core, element_bytes);
  EXPECT_EQ(shape.tile, expected.tile);
  EXPECT_EQ(shape.inner, expected.inner);
  EXPECT_EQ(shape.group, expected.group);
}

TEST(BlockShape, IsTheMeasuredOptimumOnKnownProcessors) {
  expect_shape(xeon, sizeof(double), {6, 320, 384});
  expect_shape(xeon, sizeof(float), {6, 704, 384});
  expect_shape(epyc_avx512, sizeof(double), {6, 256, 192});
  expect_shape(epyc_avx512, sizeof(float), {6, 576, 192});
  expect_shape({48 * kib, 1024 * kib, 32}, sizeof(double), {3, 256, 192});
  expect_shape(epyc_avx2, sizeof(double), {3, 128, 168});
  expect_shape(epyc_avx2, sizeof(float), {3, 256, 192});
}

TEST(BlockShape, FitsIntoTheCaches) {
  for (const Index first : {16, 32, 48, 64, 128})
    for (const Index second : {256, 512, 768, 1024, 1280, 2048, 4096, 16384})
      for (const Index vector : {16, 32, 64})
        for (const Index bytes : {4, 8}) {
          SCOPED_TRACE(::testing::Message() << first << " " << second << " " << vector << " " << bytes);
          const BlockShape shape = block_shape({first * kib, second * kib, vector}, bytes);
          EXPECT_LE(shape.tile * shape.inner * bytes, first * kib / 2);
          EXPECT_LE((2 * panel_rows * shape.inner + (shape.inner + panel_rows) * shape.group) * bytes,
                    second * kib * 3 / 4);
          EXPECT_EQ(shape.group % shape.tile, 0);
        }
}

TEST(BlockShape, ExistsForProcessorsThatReportNonsense) {
  for (const Core& core : {Core{0, 0, 0}, Core{1, 1, 16}, Core{48 * kib, 0, 64}, Core{0, 1024 * kib, 64}}) {
    const BlockShape shape = block_shape(core, sizeof(double));
    EXPECT_GE(shape.inner, 1);
    EXPECT_GE(shape.group, shape.tile);
    EXPECT_GE(shape.slab, 1);
  }
}

TEST(BlockShape, IsReportedWithTheBlocksOfTheProduct) {
  EXPECT_EQ(text_of(block_shape(xeon, sizeof(double)), 480), "64 x 6 x 480, at most 384 columns a pass");
}

TEST(BlockShape, OfThisProcessorFollowsFromItsOwnVectors) {
  const Core core = Core::here();
  EXPECT_GE(core.first_cache_bytes, 8 * kib);
  EXPECT_GT(core.second_cache_bytes, core.first_cache_bytes);
  EXPECT_GE(core.vector_bytes, 16);
  EXPECT_LE(core.vector_bytes, 64);
}

}  // namespace
}  // namespace loadshare::matmul
