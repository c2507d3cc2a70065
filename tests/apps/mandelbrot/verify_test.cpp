#include "apps/mandelbrot/verify.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "apps/mandelbrot/image.hpp"

namespace loadshare::mandelbrot {
namespace {

const Picture picture{{{-2, 1, -1.5, 1.5}, 60, 40}, {60, 40, 6}, 200};

std::vector<Count> right_counts() {
  std::vector<Count> counts;
  for (Index index = 0; index < picture.tiles.count(); ++index) {
    const Tile tile = picture.tiles.tile(index);
    for (Index row = tile.row; row < tile.row + tile.height; ++row)
      for (Index column = tile.column; column < tile.column + tile.width; ++column)
        counts.push_back(reference_count(picture.plane.re(column), picture.plane.im(row), picture.depth));
  }
  return counts;
}

TEST(Verify, RightCountsPass) {
  const std::vector<Count> counts = right_counts();
  const ImageCheck full = verify_full(picture, counts);
  EXPECT_TRUE(full.is_right());
  EXPECT_EQ(full.points, 2400);
  const ImageCheck sample = verify_sample(picture, counts, 1);
  EXPECT_TRUE(sample.is_right());
  EXPECT_EQ(sample.points, 6 * 7);  // a tile has 400 points, of which one in 64 is looked at
}

TEST(Verify, FullFindsOneWrongPoint) {
  std::vector<Count> counts = right_counts();
  --counts[400 * 2 + 399];
  const ImageCheck verdict = verify_full(picture, counts);
  EXPECT_EQ(verdict.wrong, 1);
  EXPECT_EQ(describe_wrong(verdict), "tile 2 (1 of 6)");
}

TEST(Verify, ASampleFindsEveryWrongTile) {
  std::vector<Count> counts = right_counts();
  for (std::size_t i = 400; i < 1200; ++i) ++counts[i];
  for (const std::uint64_t seed : {0U, 1U, 99U})
    EXPECT_EQ(describe_wrong(verify_sample(picture, counts, seed)), "2 of 6 tiles, the first of them 1");
}

TEST(Palette, PointsThatStayAreBlackAndNoOthers) {
  EXPECT_EQ(colour_number(200, 200), 0);
  EXPECT_EQ(colour_number(1, 1), 0);
  EXPECT_EQ(colour_number(1, 200), 1);
  for (Count count = 1; count < 200; ++count) EXPECT_GE(colour_number(count, 200), 1) << count;
  EXPECT_EQ(colour_number(1'999'999'999, 2'000'000'000), 255);
}

TEST(Palette, TilesAreLaidOutAsAnImage) {
  const std::vector<std::uint8_t> image = paint(picture, right_counts());
  ASSERT_EQ(image.size(), 2400U);
  for (Index row = 0; row < 40; ++row)
    for (Index column = 0; column < 60; ++column) {
      const Count count = reference_count(picture.plane.re(column), picture.plane.im(row), picture.depth);
      EXPECT_EQ(image[static_cast<std::size_t>(row * 60 + column)], colour_number(count, picture.depth));
    }
}

}  // namespace
}  // namespace loadshare::mandelbrot
