#include "experiments/yaml/parse.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/yaml/complaint.hpp"

namespace loadshare::yaml {
namespace {

std::string parse_complaint(const std::string& text) {
  return complaint([&] { parse(text, "f.yaml"); });
}

TEST(Parse, KeepsOrderTextAndPlaces) {
  const NodePointer root = parse("b: 010\na:\n  - \"true\"\n  - {x: ~}\n", "f.yaml");
  ASSERT_EQ(root->entries.size(), 2u);
  EXPECT_EQ(root->entries[0].key, "b");
  EXPECT_EQ(root->entries[0].value->text, "010");
  EXPECT_FALSE(root->entries[0].value->is_quoted);
  EXPECT_EQ(root->entries[0].value->position.column, 4);
  const NodePointer list = root->entries[1].value;
  ASSERT_EQ(list->items.size(), 2u);
  EXPECT_TRUE(list->items[0]->is_quoted);
  EXPECT_EQ(list->items[0]->position.line, 3);
  EXPECT_EQ(list->items[0]->position.column, 5);
  EXPECT_EQ(list->items[1]->entries[0].value->kind, Kind::null);
}

TEST(Parse, AliasesShareWhatTheyRepeat) {
  const NodePointer root = parse("a: &x [1, 2]\nb: *x\n", "f.yaml");
  EXPECT_EQ(root->entries[1].value, root->entries[0].value);
}

TEST(Parse, RefusesAKeyTwice) {
  EXPECT_EQ(parse_complaint("a: 1\nb:\n  c: 1\n  d: 2\n  c: 3\n"),
            "f.yaml:5:3: the key 'c' is repeated (it is already in line 3); remove one of them");
  EXPECT_EQ(parse_complaint("{a: 1, a: 2}"),
            "f.yaml:1:8: the key 'a' is repeated (it is already in line 1); remove one of them");
  EXPECT_EQ(parse_complaint("- a: 1\n- a: 1\n"), "(none)") << "different maps";
}

TEST(Parse, RewordsTheParsersComplaints) {
  EXPECT_EQ(parse_complaint("a:\n\tb: 1\n"),
            "f.yaml:2:1: a tab indents this line (not valid YAML); use blanks");
  EXPECT_EQ(parse_complaint("a: [1, 2\n"),
            "f.yaml:2:1: the closing ] of a list is missing (not valid YAML); add it");
  EXPECT_EQ(parse_complaint("a: {b: 1\n"),
            "f.yaml:2:1: the closing } of a map is missing (not valid YAML); add it");
  EXPECT_EQ(parse_complaint("a: \"b\n"),
            "f.yaml:1:4: the closing quote of this text is missing (not valid YAML)");
  EXPECT_EQ(parse_complaint("a: b: c\n"),
            "f.yaml:1:5: a colon where no value can start (not valid YAML); put text that contains `: ` in "
            "quotes, and check the indentation");
  EXPECT_EQ(parse_complaint("a: *b\n"),
            "f.yaml:1:4: an alias to an unknown anchor (not valid YAML); define it first with &NAME");
  EXPECT_EQ(
      parse_complaint("a: @b\n"),
      "f.yaml:1:4: no value can start with this character (not valid YAML); put text that starts with it in "
      "quotes");
  EXPECT_EQ(parse_complaint("a: 1\n  b: 2\n"),
            "f.yaml:2:4: a colon where no value can start (not valid YAML); put text that contains `: ` in "
            "quotes, and check the indentation");
}

TEST(Parse, QuotesMayHoldQuotes) {
  EXPECT_EQ(parse("a: \"b\\\"c\"\n", "f.yaml")->entries[0].value->text, "b\"c");
  EXPECT_EQ(parse("\xc3\xa4: 'it''s'\n", "f.yaml")->entries[0].value->text, "it's");
  EXPECT_EQ(parse("a: \"b c\n  d\"\n", "f.yaml")->entries[0].value->text, "b c d");
}

TEST(Parse, RefusesTextThatIsNotOneDocument) {
  EXPECT_EQ(parse_complaint(""), "f.yaml:1:1: the file is empty");
  EXPECT_EQ(parse_complaint("# only a remark\n"), "f.yaml:1:1: the file is empty");
  EXPECT_EQ(parse_complaint("a: 1\n---\nb: 2\n"),
            "f.yaml:3:1: there is text after the end of the document (a file contains one list or map); "
            "check the indentation");
  EXPECT_EQ(parse_complaint(std::string("a: 1\nb: \0\n", 10)),
            "f.yaml:2:1: the file contains a byte of value 0 (it is not a text file)");
}

TEST(Parse, RefusesAliasesWithinTheirAnchor) {
  EXPECT_EQ(parse_complaint("a: &x [1, *x]\n"),
            "f.yaml:1:11: an alias refers to the value that contains it (it would never end)");
  EXPECT_THAT(parse_complaint(std::string(100, '[')),
              testing::HasSubstr("nested too deeply (at most 64 deep)"));
}

TEST(Parse, RefusesKeysThatAreNotNames) {
  EXPECT_EQ(parse_complaint("? [a]\n: 1\n"),
            "f.yaml:1:3: a key is not a name (keys of a map are plain names)");
}

}  // namespace
}  // namespace loadshare::yaml
