#include "models/program/reconstruction/pattern.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace loadshare::reconstruction {
namespace {

std::string text_of(const std::vector<PatternNode>& nodes) {
  std::string text;
  for (const PatternNode& node : nodes)
    text += node.is_loop() ? "(" + text_of(node.body) + ")" : std::string(1, static_cast<char>(node.site));
  return text;
}

/// Sites are letters.
Pattern folded(const std::string& letters) {
  return fold(std::vector<std::uint32_t>(letters.begin(), letters.end()));
}

std::string fold_text(const std::string& letters) {
  return text_of(folded(letters).nodes);
}

TEST(FoldTest, KeepsUnrepeatedSteps) {
  EXPECT_EQ(fold_text(""), "");
  EXPECT_EQ(fold_text("abc"), "abc");
}

TEST(FoldTest, MakesALoopOfAdjacentRepetitions) {
  EXPECT_EQ(fold_text("aaaa"), "(a)");
  EXPECT_EQ(fold_text("xababy"), "x(ab)y");
}

TEST(FoldTest, MakesLoopsInLoops) {
  EXPECT_EQ(fold_text("aabaabz"), "((a)b)z");
}

TEST(FoldTest, FoldsRoundsWhoseInnerLoopsTurnMoreOrLessOften) {
  EXPECT_EQ(fold_text("aaabaab"), "((a)b)");
}

TEST(FoldTest, SeparatesAFirstRoundBeforeOtherSteps) {
  EXPECT_EQ(fold_text("abc-abcabcabc"), "abc-(abc)");
}

TEST(FoldTest, NumbersLoopsBeforeTheirParts) {
  const Pattern pattern = folded("xabab");
  EXPECT_EQ(pattern.size, 4);
  EXPECT_EQ(pattern.nodes[0].number, 0);
  EXPECT_EQ(pattern.nodes[1].number, 1);
  EXPECT_EQ(pattern.nodes[1].body[1].number, 3);
}

using testing::ElementsAre;

std::vector<std::uint32_t> sites(const std::string& letters) {
  return {letters.begin(), letters.end()};
}

Match matched(const std::string& pattern, const std::string& letters) {
  return match(fold(sites(pattern)), sites(letters));
}

TEST(MatchTest, FollowsTheFoldedSteps) {
  const Match found = matched("xababy", "xababy");
  ASSERT_FALSE(found.mismatch);
  ASSERT_EQ(found.meetings[1].size(), 1);
  EXPECT_EQ(found.meetings[1][0].times, 2);
  ASSERT_EQ(found.meetings[2].size(), 2);
  EXPECT_EQ(found.meetings[2][0].position, 1);
  EXPECT_EQ(found.meetings[2][1].position, 3);
  EXPECT_THAT(found.meetings[2][1].counters, ElementsAre(1));
}

TEST(MatchTest, LetsLoopsTurnAnyNumberOfTimes) {
  EXPECT_EQ(matched("xababy", "xabababababy").meetings[1][0].times, 5);
  EXPECT_EQ(matched("xababy", "xaby").meetings[1][0].times, 1);
  EXPECT_EQ(matched("xababy", "xy").meetings[1][0].times, 0);
}

TEST(MatchTest, CountsInnerLoopsByRound) {
  const Match found = matched("aabaabz", "aaabbz");
  ASSERT_FALSE(found.mismatch);
  ASSERT_EQ(found.meetings[1].size(), 2);
  EXPECT_EQ(found.meetings[1][0].times, 3);
  EXPECT_EQ(found.meetings[1][1].times, 0);
  EXPECT_THAT(found.meetings[1][1].counters, ElementsAre(1));
}

TEST(MatchTest, ForgetsAnIncompleteRound) {
  const Match found = matched("abcabcad", "abcad");
  ASSERT_FALSE(found.mismatch);
  EXPECT_EQ(found.meetings[0][0].times, 1);
  EXPECT_EQ(found.meetings[1].size(), 1);
}

TEST(MatchTest, ReportsTheMismatch) {
  EXPECT_EQ(matched("abc", "abd").mismatch->position, 2);
  EXPECT_EQ(matched("abc", "ab").mismatch->position, 2);
  EXPECT_EQ(matched("abc", "abcd").mismatch->position, 3);
}

}  // namespace
}  // namespace loadshare::reconstruction
