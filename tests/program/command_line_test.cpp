#include "program/command_line.hpp"

#include <gmock/gmock.h>

#include <vector>

#include "base/error.hpp"
#include "base/names.hpp"

namespace loadshare::test {
namespace {

using testing::HasSubstr;

struct Words {
  std::string size, kind = "plain";
  bool is_loud = false;
};

bool parse(Words& words, std::vector<const char*> arguments) {
  CommandLineParser parser("program", "Do something");
  const OptionGroup group = parser.group("Things");
  group.add("--size", words.size, "N", "how many", "720");
  group.add("--kind", words.kind, "NAME", "which");
  group.add_flag("--loud", words.is_loud, "aloud");
  arguments.insert(arguments.begin(), "program");
  return parser.parse(static_cast<int>(arguments.size()), arguments.data());
}

std::string refusal(const std::vector<const char*>& arguments) {
  Words words;
  try {
    parse(words, arguments);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error was thrown";
}

TEST(CommandLine, KeepsWordsAsTheyAre) {
  Words words;
  EXPECT_TRUE(parse(words, {"--size", "010", "--loud"}));
  EXPECT_EQ(words.size, "010");
  EXPECT_EQ(words.kind, "plain");
  EXPECT_TRUE(words.is_loud);
}

TEST(CommandLine, LeavesAWordEmptyWhoseDefaultIsOnlyShown) {
  Words words;
  EXPECT_TRUE(parse(words, {}));
  EXPECT_EQ(words.size, "");
}

TEST(CommandLine, ShowsDefaultsUnderTheirHeading) {
  Words words;
  testing::internal::CaptureStdout();
  EXPECT_FALSE(parse(words, {"--help"}));
  const std::string help = testing::internal::GetCapturedStdout();
  EXPECT_THAT(help, HasSubstr("\nThings:\n  --size N=720 "));
  EXPECT_THAT(help, HasSubstr("\n  --kind NAME=plain "));
}

TEST(CommandLine, RefusesWhatItWasNotToldOf) {
  EXPECT_EQ(refusal({"--sise", "9"}), "unknown option '--sise' did you mean '--size'?");
  EXPECT_EQ(refusal({"--size"}), "--size has no value see --help");
  EXPECT_EQ(refusal({"--size", "1", "--size", "2"}), "--size is given 2 times give it once");
  EXPECT_EQ(refusal({"--size="}), "--size has an empty value give one, or leave the option out");
  EXPECT_EQ(refusal({"nine"}), "unexpected argument 'nine' see --help");
}

TEST(TableHelp, HasALineForEachRow) {
  struct Row {
    const char* name;
    std::string description;
  };
  EXPECT_EQ(table_help("which:", std::vector<Row>{{"a", "the first"}, {"b", "the second"}}),
            "which:\na: the first\nb: the second");
}

}  // namespace
}  // namespace loadshare::test
