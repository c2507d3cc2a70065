#include "runtime/farm/agreement.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace loadshare {
namespace {

Terms terms(const std::string& size, const std::string& reissue = "") {
  return {"matmul 1.0", {{"--reissue", reissue}, {"--size", size}}};
}

TEST(Agreement, IsReachedIfAllHaveTheSame) {
  EXPECT_FALSE(disagreement({}));
  EXPECT_FALSE(disagreement(std::vector(3, terms("9"))));
}

TEST(Agreement, NamesValuesAndRanks) {
  std::vector<Terms> ranks(6, terms("9"));
  ranks[3] = terms("8");
  const auto text = disagreement(ranks);
  ASSERT_TRUE(text);
  EXPECT_EQ(text->in_one_line(),
            "ranks have different options (--size is 9 on ranks 0-2, 4-5, 8 on rank 3); give every rank the "
            "same options");
}

TEST(Agreement, AnOptionThatARankDoesNotKnowIsNotGiven) {
  const std::vector<Terms> ranks{terms("9"), {"matmul 1.0", {{"--reissue", ""}}}};
  EXPECT_EQ(disagreement(ranks)->why, "--size is 9 on rank 0, not given on rank 1");
}

TEST(Agreement, ShowsWhatWasTypedAndComparesWhatItMeans) {
  std::vector<Terms> ranks(2, {"p", {{"--on-failure", "skip:times=1"}}, {{"--on-failure", "skip:1"}}});
  ranks[1].typed["--on-failure"] = "skip";
  EXPECT_FALSE(disagreement(ranks));
  ranks[1] = {"p", {{"--on-failure", "end"}}, {{"--on-failure", "end"}}};
  EXPECT_EQ(disagreement(ranks)->why, "--on-failure is skip:1 on rank 0, end on rank 1");
}

TEST(Agreement, OfDifferentProgramsOnlyTheseAreNamed) {
  std::vector<Terms> ranks{terms("9"), terms("8", "given")};
  ranks[1].program = "matvec 1.0";
  EXPECT_EQ(
      disagreement(ranks)->in_one_line(),
      "ranks run different programs (matmul 1.0 on rank 0, matvec 1.0 on rank 1); start one program with one "
      "mpirun");
}

TEST(Agreement, ShowsThreeOptionsAndNotEveryRank) {
  std::vector<Terms> ranks;
  for (int rank = 0; rank < 40; ++rank) {
    const std::string value = rank % 2 == 0 ? "1" : "2";
    ranks.push_back({"p", {{"--a", value}, {"--b", value}, {"--c", value}, {"--d", value}, {"--e", "1"}}});
  }
  const std::string why = disagreement(ranks)->why;
  EXPECT_TRUE(why.starts_with("--a is 1 on ranks 0, 2, 4, 6, 8, 10, 12, 14, ..., 2 on ranks 1, 3, "));
  EXPECT_TRUE(why.ends_with("; and 1 more"));
  EXPECT_EQ(why.find("--e"), std::string::npos);
}

}  // namespace
}  // namespace loadshare
