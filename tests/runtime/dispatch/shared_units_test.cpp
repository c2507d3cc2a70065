#include "runtime/dispatch/shared_units.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace loadshare {
namespace {

using Pieces = SharedUnits::Pieces;
constexpr std::size_t kib = 1024;

TEST(SharedUnits, OfNothingAreNone) {
  const SharedUnits units(0, 8);
  EXPECT_EQ(units.count(), 0u);
  EXPECT_EQ(units.pieces(), 0u);
}

// The first matrix of the load-sharing paper, 720 x 720, in panels of 48 rows: 270 KiB each.
TEST(SharedUnits, CutAPieceThatIsLarger) {
  const SharedUnits units(720 * 720 * 8, 48 * 720 * 8);
  EXPECT_EQ(units.unit_bytes(), 32 * kib);
  EXPECT_EQ(units.pieces(), 15u);
  EXPECT_EQ(units.units_of(0), 9u);
  EXPECT_EQ(units.count(), 135u);
  EXPECT_EQ(units.pieces_of(8), (Pieces{0, 1}));
  EXPECT_EQ(units.pieces_of(9), (Pieces{1, 2}));
}

TEST(SharedUnits, HoldSeveralPiecesThatAreSmaller) {
  const SharedUnits units(100 * kib, 10 * kib);
  EXPECT_EQ(units.unit_bytes(), 30 * kib);
  EXPECT_EQ(units.count(), 4u);
  EXPECT_EQ(units.pieces_of(0), (Pieces{0, 3}));
  EXPECT_EQ(units.pieces_of(3), (Pieces{9, 10}));
  EXPECT_EQ(units.units_of(9), 1u);
}

TEST(SharedUnits, OfMuchDataAreLargerAndNeverHuge) {
  EXPECT_EQ(SharedUnits(256 * 1024 * kib, 1024 * 1024 * kib).unit_bytes(), 1024 * kib);
  EXPECT_EQ(SharedUnits(std::size_t{64} << 30, std::size_t{64} << 30).unit_bytes(), SharedUnits::most_bytes);
}

struct Shape {
  std::size_t total;
  std::size_t piece;
};
class SharedUnitsCover : public testing::TestWithParam<Shape> {};

TEST_P(SharedUnitsCover, EveryByteOnceAndKnowTheirPieces) {
  const auto [total, piece] = GetParam();
  const SharedUnits units(total, piece);
  std::vector<std::byte> data(total);
  std::vector<std::size_t> units_of_piece(units.pieces());
  const std::byte* next = data.data();
  for (std::size_t unit = 0; unit < units.count(); ++unit) {
    const auto bytes = units.bytes_of(unit, data);
    ASSERT_EQ(bytes.data(), next) << unit;
    ASSERT_GT(bytes.size(), 0u);
    const auto first = static_cast<std::size_t>(bytes.data() - data.data());
    const auto [first_piece, end_piece] = units.pieces_of(unit);
    ASSERT_EQ(first_piece, first / piece);
    ASSERT_EQ(end_piece, (first + bytes.size() - 1) / piece + 1);
    for (std::size_t i = first_piece; i < end_piece; ++i) ++units_of_piece[i];
    next += bytes.size();
  }
  EXPECT_EQ(next, data.data() + total);
  for (std::size_t i = 0; i < units.pieces(); ++i) EXPECT_EQ(units_of_piece[i], units.units_of(i)) << i;
}
INSTANTIATE_TEST_SUITE_P(Shapes, SharedUnitsCover,
                         testing::Values(Shape{1, 1}, Shape{1, 100}, Shape{100000, 1}, Shape{100000, 32768},
                                         Shape{100000, 32769}, Shape{100000, 40000}, Shape{100000, 99999},
                                         Shape{4147200, 276480}, Shape{16000000, 8000},
                                         Shape{16000001, 62501}));

}  // namespace
}  // namespace loadshare
