#include "apps/floyd/paths.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace loadshare::floyd {
namespace {

using ::testing::ElementsAre;

TEST(Relax, ShorterWaysAreTaken) {
  std::vector<Length> rows{0, 9, 4, no_path,  //
                           7, 0, 2, 1};
  const std::vector<Length> via_row{3, 1, 0, no_path};
  relax({rows.data(), 2, 4}, 2, via_row.data());
  EXPECT_THAT(rows, ElementsAre(0, 5, 4, no_path, 5, 0, 2, 1));
}

TEST(Relax, NoWayThereIsNoWay) {
  std::vector<Length> rows{0, no_path, no_path};
  const std::vector<Length> via_row{1, 0, 1};
  relax({rows.data(), 1, 3}, 1, via_row.data());
  EXPECT_THAT(rows, ElementsAre(0, no_path, no_path));
}

TEST(Relax, TheRowItGoesByStays) {
  std::vector<Length> rows{0, 5, 2, 0};
  relax({rows.data(), 2, 2}, 1, rows.data() + 2);
  EXPECT_THAT(rows, ElementsAre(0, 5, 2, 0));
}

TEST(Relax, LongRowsAreLikeShortOnes) {
  for (const std::size_t columns : {1u, 15u, 16u, 17u, 1000u}) {
    std::vector<Length> row(columns, 50), via_row(columns);
    for (std::size_t to = 0; to < columns; ++to) via_row[to] = static_cast<Length>(to % 100);
    row[0] = 10;
    relax({row.data(), 1, static_cast<Index>(columns)}, 0, via_row.data());
    for (std::size_t to = 1; to < columns; ++to)
      EXPECT_EQ(row[to], std::min<Length>(50, 10 + static_cast<Length>(to % 100))) << to << " of " << columns;
  }
}

}  // namespace
}  // namespace loadshare::floyd
