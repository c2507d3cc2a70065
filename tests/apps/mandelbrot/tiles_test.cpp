#include "apps/mandelbrot/tiles.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "schedulers/error.hpp"

namespace loadshare::mandelbrot {
namespace {

/// How many tiles each pixel is in; tiles must follow each other in memory.
std::vector<int> covered(const Tiles& tiles, Index width, Index height) {
  std::vector<int> times(static_cast<std::size_t>(width * height));
  for (Index index = 0; index < tiles.count(); ++index) {
    const Tile tile = tiles.tile(index);
    EXPECT_GT(tile.pixels(), 0);
    EXPECT_EQ(tiles.first_pixel(index + 1) - tiles.first_pixel(index), tile.pixels());
    for (Index row = tile.row; row < tile.row + tile.height; ++row)
      for (Index column = tile.column; column < tile.column + tile.width; ++column)
        ++times.at(static_cast<std::size_t>(row * width + column));
  }
  return times;
}

TEST(Tiles, CoverEachPixelOnce) {
  for (const Index width : {1, 2, 7, 30, 101})
    for (const Index height : {1, 3, 16, 100})
      for (Index tasks = 1; tasks <= std::min<Index>(width * height, 120); ++tasks) {
        try {
          const Tiles tiles(width, height, tasks);
          EXPECT_EQ(tiles.count(), tasks);
          EXPECT_EQ(tiles.first_pixel(0), 0);
          EXPECT_EQ(tiles.first_pixel(tasks), width * height);
          EXPECT_THAT(covered(tiles, width, height), testing::Each(1))
              << width << ' ' << height << ' ' << tasks;
        } catch (const UsageError&) {
          // Then no grid of so many tiles has a pixel for each.
          for (Index columns = 1; columns <= tasks; ++columns)
            EXPECT_FALSE(tasks % columns == 0 && columns <= width && tasks / columns <= height)
                << width << ' ' << height << ' ' << tasks;
        }
      }
}

TEST(Tiles, ThePapersTilesAreSquares) {
  for (const auto& [tasks, side] : {std::pair<Index, Index>{100, 100}, {400, 50}}) {
    const Tiles tiles(1000, 1000, tasks);
    for (Index index = 0; index < tasks; ++index) {
      EXPECT_EQ(tiles.tile(index).width, side);
      EXPECT_EQ(tiles.tile(index).height, side);
    }
  }
}

TEST(Tiles, AsSquareAsDividesWell) {
  EXPECT_EQ(Tiles(1000, 1000, 12).columns(), 3);  // wide rather than high: rows are what vectors take
  EXPECT_EQ(Tiles(2000, 500, 16).columns(), 8);
  EXPECT_EQ(Tiles(1000, 1000, 101).columns(), 1);
  EXPECT_EQ(Tiles(1000, 10, 101).columns(), 101);
}

std::string refusal(Index width, Index height, Index tasks) {
  try {
    Tiles(width, height, tasks);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

TEST(Tiles, ImpossibleNumbersNameTheirNeighbours) {
  EXPECT_THAT(refusal(10, 10, 11), testing::EndsWith("none of them empty) take 10 or 12"));
  EXPECT_THAT(refusal(10, 10, 97), testing::EndsWith("take 90 or 100"));
  EXPECT_THAT(refusal(10, 10, 5000), testing::EndsWith("take 100"));
  EXPECT_THAT(refusal(1, 1, 2), testing::EndsWith("take 1"));
}

}  // namespace
}  // namespace loadshare::mandelbrot
