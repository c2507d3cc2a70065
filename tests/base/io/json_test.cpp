#include "base/io/json.hpp"

#include <gmock/gmock.h>

#include "base/error.hpp"

namespace loadshare::test {
namespace {

using testing::ElementsAre;

LocatedJson read(std::string_view text) {
  return parse_json_file(text, "a.json", {"list", "loadshare list"});
}

std::string error_of(std::string_view text) {
  try {
    read(text);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(JsonPosition, IsThatOfTheLastByteRead) {
  EXPECT_EQ(json_position("ab\ncd", 1), "1:1");
  EXPECT_EQ(json_position("ab\ncd", 5), "2:2");
  EXPECT_EQ(json_position("", 0), "1:1");
}

TEST(LocatedJson, KnowsTheLinesOfObjectsInLists) {
  const LocatedJson located =
      read("{\"a\": [\n{\"b\": [{}]},\n\n{\"a\": {}}, {}], \"c\": {},\n\"d\": [{\n}]}");
  EXPECT_EQ(located.json["a"].size(), 3u);
  EXPECT_THAT(located.lines.at("a"), ElementsAre(2u, 4u, 4u));
  EXPECT_THAT(located.lines.at("d"), ElementsAre(5u));
  EXPECT_EQ(located.lines.size(), 2u);
}

TEST(LocatedJson, NamesThePlaceOfASyntaxError) {
  const std::string why = " (the file is cut short or damaged, or was not written by loadshare list)";
  EXPECT_EQ(error_of("{\n\"kind\": nothing}"), "a.json:2:10: this is no JSON" + why);
  EXPECT_EQ(error_of("{\"a\": 1e999}"), "a.json: a number in it is too large" + why);
  EXPECT_EQ(error_of(" \n"), "a.json is empty (a list is JSON); write one with loadshare list --out FILE");
}

}  // namespace
}  // namespace loadshare::test
