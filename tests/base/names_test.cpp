#include "base/names.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace loadshare {
namespace {

const std::vector<std::string> names = {"send", "gss", "factoring", "tss"};

TEST(EditDistance, CountsSlips) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "gss"), 3u);
  EXPECT_EQ(edit_distance("gss", "gss"), 0u);
  EXPECT_EQ(edit_distance("gss", "gs"), 1u);
  EXPECT_EQ(edit_distance("gss", "tss"), 1u);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
  EXPECT_EQ(edit_distance("sned", "send"), 1u) << "neighbours swapped";
  EXPECT_EQ(edit_distance("GSS", "gss"), 0u);
}

TEST(Nearest, FindsTheIntendedName) {
  EXPECT_EQ(nearest("factroing", names), "factoring");
  EXPECT_EQ(nearest("factor", names), "factoring");
  EXPECT_EQ(nearest("SEND", names), "send");
  EXPECT_EQ(nearest("ss", names), "gss") << "the first of equals";
}

TEST(Nearest, FindsNothingIfNoNameIsClose) {
  EXPECT_EQ(nearest("guided", names), std::nullopt);
  EXPECT_EQ(nearest("", names), std::nullopt);
  EXPECT_EQ(nearest("send", {}), std::nullopt);
}

TEST(Nearest, PhrasesFitAnError) {
  EXPECT_EQ(did_you_mean("gs", names), "did you mean 'gss'?");
  EXPECT_EQ(did_you_mean("guided", names), "");
  EXPECT_EQ(list_names(names), "send, gss, factoring, tss");
}

}  // namespace
}  // namespace loadshare
