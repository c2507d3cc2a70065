#include "apps/floyd/verify.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "apps/floyd/dijkstra.hpp"

namespace loadshare::floyd {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Sources, AllOrSixteenOfThem) {
  EXPECT_THAT(sources(Verification::full, 4, 9), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(sources(Verification::sample, 4, 9), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(sources(Verification::sample, 32, 3),
              ElementsAre(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31));
  for (const Index vertices : {15, 16, 17, 100, 999}) {
    const std::vector<Index> chosen = sources(Verification::sample, vertices, 12345);
    EXPECT_EQ(std::set<Index>(chosen.begin(), chosen.end()).size(),
              static_cast<std::size_t>(std::min<Index>(16, vertices)));
    EXPECT_GE(chosen.front(), 0);
    EXPECT_LT(chosen.back(), vertices);
  }
}

TEST(WrongSources, ThoseWithAWrongPathAmongTheRows) {
  const Graph graph{20, 0.2, 1};
  std::vector<Length> lengths;
  for (const Index source : {5, 6, 7})
    for (const Length length : shortest_from(graph, source)) lengths.push_back(length);
  const std::vector<Index> all = sources(Verification::full, 20, 1);
  EXPECT_THAT(wrong_sources(graph, all, {5, 3}, lengths), IsEmpty());
  lengths[20 + 11] += 1;
  EXPECT_THAT(wrong_sources(graph, all, {5, 3}, lengths), ElementsAre(6));
  EXPECT_THAT(wrong_sources(graph, {5, 7}, {5, 3}, lengths), IsEmpty());
}

}  // namespace
}  // namespace loadshare::floyd
