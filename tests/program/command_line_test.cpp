#include "program/command_line.hpp"

#include <gmock/gmock.h>

#include <CLI/CLI.hpp>
#include <map>
#include <vector>

#include "base/error.hpp"
#include "base/quantities.hpp"

namespace loadshare::test {
namespace {

using testing::HasSubstr;

enum class Kind { plain, fancy };
constexpr Choices<Kind, 2> kinds{{{"plain", Kind::plain}, {"fancy", Kind::fancy}}};

struct Row {
  const char* name;
  std::string description;
};

struct Values {
  Index size = 720;
  std::optional<Index> spoil;
  std::string file;
  Kind kind = Kind::plain;
  std::string rule = "a";
  double share = 0.1, wait_s = 0.25;
  bool is_loud = false;
  Kind voice = Kind::plain;
  std::vector<std::string> read;  // what was read, in its order
};

bool parse(Values& values, std::vector<const char*> arguments) {
  CommandLineParser parser("program", "Do something");
  const OptionGroup group = parser.group("Things");
  const auto note = [&](const std::string& word) { values.read.push_back(word); };
  group.add("--size", values.size, whole(1, 1000), "N", "how many");
  group.add_word("--first", note, "", "WORD", "read before the second");
  group.add("--kind", values.kind, kinds, "NAME", "which");
  group.add("--spoil", values.spoil, whole(0, 4), "N", "which is spoilt");
  group.add("--file", values.file, "FILE", "where it goes");
  group.add("--rule", values.rule, row_of(std::vector<Row>{{"a", "the first"}, {"b", "the second"}}, "rule"),
            "NAME", "how");
  group.add("--share", values.share, real(positive_number), "SHARE", "of all");
  group.add("--wait", values.wait_s, Form<double>{duration_s, short_duration_text}, "TIME", "how long");
  group.add_flag("--loud", values.is_loud, true, "aloud");
  group.add_flag("--fancy-voice", values.voice, Kind::fancy, "as it is fashion");
  parser.check([&] { values.read.push_back("check"); });
  group.add_word("--second", note, "", "WORD", "read after the first");
  parser.answer_help("--file", "the files", [](std::size_t) { return std::string("files there are\n"); });
  arguments.insert(arguments.begin(), "program");
  return parser.parse(static_cast<int>(arguments.size()), arguments.data());
}

std::string refusal(const std::vector<const char*>& arguments) {
  Values values;
  try {
    parse(values, arguments);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error was thrown";
}

std::string printed(const std::vector<const char*>& arguments) {
  Values values;
  testing::internal::CaptureStdout();
  EXPECT_FALSE(parse(values, arguments));
  return testing::internal::GetCapturedStdout();
}

TEST(CommandLine, PutsValuesIntoTheirPlaces) {
  Values values;
  EXPECT_TRUE(parse(values, {"--size", "010", "--loud", "--kind", "fancy", "--file", "out", "--rule", "b",
                             "--share=2.5", "--wait", "2s", "--spoil", "4", "--fancy-voice"}));
  EXPECT_EQ(values.size, 10);
  EXPECT_EQ(values.kind, Kind::fancy);
  EXPECT_EQ(values.file, "out");
  EXPECT_EQ(values.rule, "b");
  EXPECT_EQ(values.share, 2.5);
  EXPECT_EQ(values.wait_s, 2);
  EXPECT_EQ(values.spoil, 4);
  EXPECT_TRUE(values.is_loud);
  EXPECT_EQ(values.voice, Kind::fancy);
}

TEST(CommandLine, KeepsDefaultsOfOptionsThatAreNotGiven) {
  Values values;
  EXPECT_TRUE(parse(values, {}));
  EXPECT_EQ(values.size, 720);
  EXPECT_EQ(values.kind, Kind::plain);
  EXPECT_EQ(values.spoil, std::nullopt);
  EXPECT_EQ(values.file, "");
  EXPECT_FALSE(values.is_loud);
}

TEST(CommandLine, TakesAFlagThatIsSwitchedOff) {
  for (const char* flag : {"--loud=false", "--loud=0", "--fancy-voice=false"}) {
    Values values;
    EXPECT_TRUE(parse(values, {flag}));
    EXPECT_FALSE(values.is_loud);
    EXPECT_EQ(values.voice, Kind::plain);
  }
  Values values;
  EXPECT_THROW(parse(values, {"--loud=perhaps"}), UsageError);
}

TEST(CommandLine, ReadsInTheOrderOfDeclaration) {
  Values values;
  EXPECT_TRUE(parse(values, {"--second", "two", "--first", "one"}));
  EXPECT_EQ(values.read, (std::vector<std::string>{"one", "check", "two"}));
}

TEST(CommandLine, ShowsDefaultsUnderTheirHeading) {
  const std::string help = printed({"--help"});
  EXPECT_THAT(help, HasSubstr("\nThings:\n  --size N=720 "));
  EXPECT_THAT(help, HasSubstr("\n  --kind NAME=plain "));
  EXPECT_THAT(help, HasSubstr("\n  --rule NAME=a "));
  EXPECT_THAT(help, HasSubstr("\n  --share SHARE=0.1 "));
  EXPECT_THAT(help, HasSubstr("\n  --wait TIME=250ms "));
  EXPECT_THAT(help, HasSubstr("\n  --spoil N "));
}

TEST(CommandLine, AnswersBeforeItReads) {
  EXPECT_THAT(printed({"--size", "none", "--help"}), HasSubstr("Things:"));
  EXPECT_EQ(printed({"--size", "none", "--file", "help"}), "files there are\n");
}

TEST(CommandLine, RefusesUndeclaredOptions) {
  EXPECT_EQ(refusal({"--sise", "9"}), "unknown option '--sise'; did you mean '--size'?");
  EXPECT_EQ(refusal({"--size"}), "--size has no value (it needs one, as in --size N); see --help");
  EXPECT_EQ(refusal({"--size", "1", "--size", "2"}), "--size is given 2 times; give it once");
  EXPECT_EQ(refusal({"--size="}),
            "--size has an empty value (perhaps a shell variable is not set); give a value, or leave the "
            "option out");
  EXPECT_EQ(refusal({"nine"}), "unexpected argument 'nine'; see --help");
}

TEST(CommandLine, AnOptionIsNoValueOfAnother) {
  const std::string words =
      "--size has no value (it needs one, as in --size N; --kind follows); add the value";
  EXPECT_EQ(refusal({"--size", "--kind", "plain"}), words);
  EXPECT_EQ(refusal({"--size", "--kind"}), words);
  EXPECT_EQ(refusal({"--size", "--kind=plain"}),
            "--size has no value (it needs one, as in --size N; --kind=plain follows); add the value");
  EXPECT_EQ(refusal({"--file", "--first", "--second", "two"}),
            "--file has no value (it needs one, as in --file FILE; --first follows); add the value");
}

TEST(CommandLine, RefusesValuesByTheNameOfTheirOption) {
  EXPECT_EQ(refusal({"--size", "0"}), "--size is 0 (at least 1)");
  EXPECT_EQ(refusal({"--kind", "fance"}),
            "unknown --kind 'fance' (valid: plain, fancy); did you mean 'fancy'?");
  EXPECT_EQ(refusal({"--rule", "c"}), "unknown rule 'c' (valid: a, b); did you mean 'a'?");
  EXPECT_EQ(refusal({"--share", "-1"}), "--share is -1 (it must be more than 0)");
  for (const char* text : {"-1", "5", "x"}) EXPECT_THAT(refusal({"--spoil", text}), HasSubstr("--spoil is "));
}

TEST(CommandLine, RecordsTheProgramsOwnOptionsExceptSecrets) {
  CommandLineParser parser("program", "Do something");
  std::string out, word, key = "left";
  double cost_s = 0.5;
  bool is_fine = false;
  std::vector<double> levels{0.5, 2}, steps{1, 2};
  parser.add_own([&](CLI::App& app) {
    app.add_option("--levels", levels);
    app.add_option("--steps", steps)->delimiter(',');
    app.add_option("--out", out);
    app.add_option("--cost", cost_s);
    app.add_option("--big", word)->default_val("18446744073709551615");
    app.add_option("--db-password", key);
    app.add_option("--api_key", key);
    app.add_option("--tokens", key);  // a number of them is no secret
    app.add_flag("--fine", is_fine);
  });
  const std::vector<std::string> outputs{"--out"}, others{"--outs"};
  parser.leave_unrecorded(outputs);
  EXPECT_THROW(parser.leave_unrecorded(others), UsageError);
  const std::vector<const char*> words{"program", "--out",  "a",    "--fine",  "--db-password",
                                       "b",       "--cost", "7e-1", "--steps", "1.0,2e1"};
  ASSERT_TRUE(parser.parse(static_cast<int>(words.size()), words.data()));
  const std::map<std::string, OptionValue> expected{{"--cost", 0.7},
                                                    {"--levels", std::string("0.5,2")},
                                                    {"--steps", std::string("1,20")},
                                                    {"--big", std::string("18446744073709551615")},
                                                    {"--tokens", std::string("left")},
                                                    {"--fine", true}};
  EXPECT_EQ(parser.own_values(), expected);
  EXPECT_EQ(parser.own_words(), "--steps=1.0,2e1 --cost=7e-1 --fine=true");
}

TEST(TableHelp, HasALineForEachRow) {
  EXPECT_EQ(table_help("which:", std::vector<Row>{{"a", "the first"}, {"b", "the second"}}),
            "which:\na: the first\nb: the second");
}

}  // namespace
}  // namespace loadshare::test
