#include <gtest/gtest.h>

#include "models/reconstruction/pattern.hpp"

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

TEST(FoldTest, LeavesWhatIsNotRepeated) {
  EXPECT_EQ(fold_text(""), "");
  EXPECT_EQ(fold_text("abc"), "abc");
}

TEST(FoldTest, MakesALoopOfWhatIsRepeatedSideBySide) {
  EXPECT_EQ(fold_text("aaaa"), "(a)");
  EXPECT_EQ(fold_text("xababy"), "x(ab)y");
}

TEST(FoldTest, MakesLoopsInLoops) {
  EXPECT_EQ(fold_text("aabaabz"), "((a)b)z");
}

TEST(FoldTest, FoldsRoundsWhoseInnerLoopsTurnMoreOrLessOften) {
  EXPECT_EQ(fold_text("aaabaab"), "((a)b)");
}

TEST(FoldTest, HasAFirstRoundApartWhereSomethingStandsBetween) {
  EXPECT_EQ(fold_text("abc-abcabcabc"), "abc-(abc)");
}

TEST(FoldTest, NumbersLoopsBeforeTheirParts) {
  const Pattern pattern = folded("xabab");
  EXPECT_EQ(pattern.size, 4);
  EXPECT_EQ(pattern.nodes[0].number, 0);
  EXPECT_EQ(pattern.nodes[1].number, 1);
  EXPECT_EQ(pattern.nodes[1].body[1].number, 3);
}

}  // namespace
}  // namespace loadshare::reconstruction
