#include "apps/mandelbrot/escape.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"

namespace loadshare::mandelbrot {
namespace {

/// Returns the number of tiles of each pixel. Tiles must be consecutive in memory.
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
  EXPECT_THAT(refusal(10, 10, 11), testing::EndsWith("with a pixel each); use 10 or 12"));
  EXPECT_THAT(refusal(10, 10, 97), testing::EndsWith("use 90 or 100"));
  EXPECT_THAT(refusal(10, 10, 5000), testing::EndsWith("use 100"));
  EXPECT_THAT(refusal(1, 1, 2), testing::EndsWith("use 1"));
}

std::vector<Count> by_kernel(const Plane& plane, const Tile& tile, Count depth) {
  std::vector<Count> counts(static_cast<std::size_t>(tile.pixels()), 77);
  for (Index row = 0; row < tile.height; ++row)
    escape_row(plane, tile, row, depth,
               std::span(counts).subspan(static_cast<std::size_t>(row * tile.width),
                                         static_cast<std::size_t>(tile.width)));
  return counts;
}

std::vector<Count> by_reference(const Plane& plane, const Tile& tile, Count depth) {
  std::vector<Count> counts;
  for (Index row = tile.row; row < tile.row + tile.height; ++row)
    for (Index column = tile.column; column < tile.column + tile.width; ++column)
      counts.push_back(reference_count(plane.re(column), plane.im(row), depth));
  return counts;
}

/// Returns the kernel's count of one point, from an image of one pixel around it.
Count kernel_count(double re, double im, Count depth) {
  const Plane plane({re - 1, re + 1, im - 1, im + 1}, 1, 1);
  return by_kernel(plane, {0, 0, 1, 1}, depth).front();
}

TEST(Escape, KnownPoints) {
  struct Known {
    double re, im;
    Count count;
  };
  // By hand: 1 goes 1, 2, 5; 0.5 goes .5, .75, 1.06, 1.63, 3.15; -2 and i run round for ever.
  for (const auto& [re, im, count] : {Known{0, 0, 500},
                                      {-1, 0, 500},
                                      {-2, 0, 500},
                                      {0, 1, 500},
                                      {0.25, 0, 500},
                                      {1, 0, 3},
                                      {0.5, 0, 5},
                                      {2, 2, 1},
                                      {-2.5, 0, 1},
                                      {4, 0, 1},
                                      {2, 0, 2}}) {
    EXPECT_EQ(reference_count(re, im, 500), count) << re << ' ' << im;
    EXPECT_EQ(kernel_count(re, im, 500), count) << re << ' ' << im;
  }
}

TEST(Escape, ThroughTheNeckInPiIterations) {
  // Boll's observation: -0.75 + e i escapes after about pi / e iterations.
  EXPECT_EQ(reference_count(-0.75, 0.1, 100'000), 33U);
  EXPECT_EQ(reference_count(-0.75, 0.01, 100'000), 315U);
  EXPECT_EQ(reference_count(-0.75, 0.001, 100'000), 3143U);
  EXPECT_EQ(kernel_count(-0.75, 0.125, 100'000), reference_count(-0.75, 0.125, 100'000));
}

TEST(Escape, TheDepthEndsIt) {
  EXPECT_EQ(reference_count(0.5, 0, 4), 4U);
  EXPECT_EQ(kernel_count(0.5, 0, 4), 4U);
  EXPECT_EQ(kernel_count(0, 0, 1), 1U);
}

TEST(Escape, ManyPointsAtOnceCountAsOne) {
  for (const Region& region : regions()) {
    const Plane plane(region.bounds, 211, 97);
    for (const Tile& tile :
         {Tile{0, 0, 211, 97}, Tile{13, 5, 1, 80}, Tile{100, 40, 17, 9}, Tile{50, 30, 31, 33}})
      for (const Count depth : {1U, 2U, 15U, 16U, 17U, 1000U})
        EXPECT_EQ(by_kernel(plane, tile, depth), by_reference(plane, tile, depth))
            << region.name << ' ' << depth;
  }
}

TEST(Escape, FarOutNothingIsANumberAndNothingIsCounted) {
  const Plane plane({-1e200, 1e200, -1e200, 1e200}, 20, 20);
  const Tile all{0, 0, 20, 20};
  EXPECT_EQ(by_kernel(plane, all, 300), by_reference(plane, all, 300));
  EXPECT_THAT(by_kernel(plane, all, 300), testing::Each(1U));
}

}  // namespace
}  // namespace loadshare::mandelbrot
