#include "base/io/json.hpp"

#include <gmock/gmock.h>

namespace loadshare::test {
namespace {

using testing::ElementsAre;

TEST(JsonPosition, IsOfTheByteThatWasRead) {
  EXPECT_EQ(json_position("ab\ncd", 1), "1:1");
  EXPECT_EQ(json_position("ab\ncd", 5), "2:2");
  EXPECT_EQ(json_position("", 0), "1:1");
}

TEST(LocatedJson, KnowsTheLinesOfObjectsInLists) {
  const LocatedJson located =
      locate_json("{\"a\": [\n{\"b\": [{}]},\n\n{\"a\": {}}, {}], \"c\": {},\n\"d\": [{\n}]}");
  EXPECT_EQ(located.json["a"].size(), 3u);
  EXPECT_THAT(located.lines.at("a"), ElementsAre(2u, 4u, 4u));
  EXPECT_THAT(located.lines.at("d"), ElementsAre(5u));
  EXPECT_EQ(located.lines.size(), 2u);
}

TEST(LocatedJson, TellsWhereItIsNone) {
  const std::string text = "{\n\"kind\": nothing}";
  try {
    locate_json(text);
    FAIL();
  } catch (const nlohmann::json::parse_error& error) {
    EXPECT_EQ(json_position(text, error.byte), "2:10");
  }
}

}  // namespace
}  // namespace loadshare::test
