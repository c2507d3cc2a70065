#include "schedulers/spec.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/error_of.hpp"
#include "tests/schedulers/sequence.hpp"

namespace loadshare::test {
namespace {

std::string canonical(std::string_view spec) {
  return built_in_schedulers().parse(spec).text();
}

TEST(Spec, CanonicalTextNamesEveryGivenParameter) {
  EXPECT_EQ(canonical("gss"), "gss");
  EXPECT_EQ(canonical("gss:14"), "gss:divisor=14");
  EXPECT_EQ(canonical("gss:14,2,up"), "gss:divisor=14,min=2,round=up");
  EXPECT_EQ(canonical("gss:14,round=up,min=2"), "gss:divisor=14,min=2,round=up");
  EXPECT_EQ(canonical("tss:40,2"), "tss:first=40,step=2");
  EXPECT_EQ(canonical("adaptive:3,1,9"), "adaptive:max=9,min=1,size=3");
}

TEST(Spec, CanonicalTextReadsBackAsItself) {
  for (const char* spec :
       {"send:3", "gss:14,2,up", "factoring:40,min=2", "tss:first=88,last=12", "adaptive:3,1,9"})
    EXPECT_EQ(canonical(canonical(spec)), canonical(spec));
}

TEST(Spec, ValuesByName) {
  const auto spec = built_in_schedulers().parse("gss:14,round=up");
  EXPECT_EQ(spec.integer("divisor"), 14);
  EXPECT_EQ(spec.integer("min"), std::nullopt);
  EXPECT_EQ(spec.word("round", roundings), Rounding::up);
  EXPECT_EQ(*spec.given("divisor"), "14");
  EXPECT_EQ(spec.given("min"), nullptr);
  EXPECT_TRUE(spec.has("round"));
  EXPECT_FALSE(spec.has("min"));
}

const std::string all =
    "send, gss, factoring, tss, adaptive, static, ss, fsc, mfsc, fac2, fac, wf, tap, tfss, fiss, viss, pls, "
    "rnd, bold, awf, awf-b, awf-c, awf-d, awf-e, af, maf, steady";

struct BadSpec {
  const char* spec;
  std::string error;
};

// The exact texts that a user reads.
TEST(Spec, ErrorsNameTheFaultAndTheCorrectForm) {
  const BadSpec cases[] = {
      {"", "no scheduler named (valid: " + all + ")"},
      {":14", "no scheduler named (valid: " + all + ")"},
      {"gs", "unknown scheduler 'gs' (valid: " + all + "); did you mean 'gss'?"},
      {"Factoring", "unknown scheduler 'Factoring' (valid: " + all +
                        "); did you mean "
                        "'factoring'?"},
      {"guided:3", "unknown scheduler 'guided' (valid: " + all + ")"},
      {"gss:divsor=3",
       "scheduler gss: unknown parameter 'divsor' (valid: divisor, min, round); did you mean 'divisor'?"},
      {"steady:3", "scheduler steady: one value too many, '3' (it has none); leave it out"},
      {"gss:=3", "scheduler gss: unknown parameter '' (valid: divisor, min, round)"},
      {"gss:x",
       "scheduler gss: divisor is 'x' (it is not a whole number); give a whole number of at least 1"},
      {"gss:1.5",
       "scheduler gss: divisor is '1.5' (it is not a whole number); give a whole number of at least 1"},
      {"gss:+5",
       "scheduler gss: divisor is '+5' (it is not a whole number); give a whole number of at least 1"},
      {"gss:1e3",
       "scheduler gss: divisor is '1e3' (it is not a whole number); give a whole number of at least 1"},
      {"gss:1=2", "scheduler gss: unknown parameter '1' (valid: divisor, min, round)"},
      {"gss:divisor=1=2",
       "scheduler gss: divisor is '1=2' (it is not a whole number); give a whole number of at least 1"},
      {"gss:0", "scheduler gss: divisor is '0' (it is too small); give at least 1"},
      {"gss:-3", "scheduler gss: divisor is '-3' (it is too small); give at least 1"},
      {"gss:99999999999999999999",
       "scheduler gss: divisor is '99999999999999999999' (it is too large); give at most "
       "9223372036854775807"},
      {"gss:-99999999999999999999",
       "scheduler gss: divisor is '-99999999999999999999' (it is too small); give at least 1"},
      {"gss:",
       "scheduler gss: no value for divisor (nothing stands there); give one, or leave out the comma or "
       "colon"},
      {"gss:14,",
       "scheduler gss: no value for min (nothing stands there); give one, or leave out the comma or colon"},
      {"gss:divisor=",
       "scheduler gss: no value for divisor (nothing stands there); give one, or leave out the comma or "
       "colon"},
      {"gss:14,divisor=3", "scheduler gss: divisor given twice (the second time as '3'); give it once"},
      {"send:1,2", "scheduler send: one value too many, '2' (parameters: size); leave it out"},
      {"gss:min=2,14",
       "scheduler gss: value '14' without a name (it follows a named one); put values without a name "
       "first"},
      {"gss: 14", "scheduler 'gss: 14' has a space in it (specs are written without spaces); write 'gss:14'"},
      {"adaptive:min=0", "scheduler adaptive: min is '0' (it is too small); give at least 1"},
      {"factoring:min=-1", "scheduler factoring: min is '-1' (it is too small); give at least 1"},
  };
  for (const auto& [spec, error] : cases) EXPECT_EQ(error_of(spec), error);
}

/// A spec that gives `value` to a parameter of a technique that takes all kinds.
Spec with(std::string_view value) {
  return parse_spec("scheduler", "mixed:" + std::string(value),
                    {{"mixed", "", {{"x", "", ""}, {"weights", "", ""}, {"order", "", ""}}}});
}

TEST(Spec, ReadsRealsWithinBounds) {
  const auto read = [](std::string_view text) { return with("x=" + std::string(text)).real("x", 0, 1.5); };
  EXPECT_EQ(read("0.25"), 0.25);
  EXPECT_EQ(read("0"), 0);
  EXPECT_EQ(read("1.5"), 1.5);
  EXPECT_EQ(read("1e-3"), 1e-3);
  EXPECT_EQ(with("order=up").real("x", 0, 1.5), std::nullopt);
  const std::string bounds = "; give a number from 0 to 1.5";
  for (const char* text : {"x", "50%", "1:1", "inf", "nan", "1e999", "+1"})
    EXPECT_EQ(loadshare::error_of([&] { read(text); }),
              std::string("scheduler mixed: x is '") + text + "' (it is not a number)" + bounds);
  for (const char* text : {"1.51", "-0.1"})
    EXPECT_EQ(loadshare::error_of([&] { read(text); }),
              std::string("scheduler mixed: x is '") + text + "' (it is out of range)" + bounds);
}

TEST(Spec, ReadsListsOfReals) {
  using Reals = std::vector<double>;
  const auto read = [](std::string_view text) { return with(text).list("weights", 0.1, 10); };
  EXPECT_EQ(read("weights=1:2:0.5"), (Reals{1, 2, 0.5}));
  EXPECT_EQ(read("3,1:2:0.5"), (Reals{1, 2, 0.5})) << "by its place, too";
  EXPECT_EQ(read("weights=7"), Reals{7});
  EXPECT_EQ(read("x=1"), std::nullopt);
  EXPECT_EQ(with("weights=1:2").text(), "mixed:weights=1:2");
  const std::string form = "; give numbers with ':' between them, from 0.1 to 10";
  for (const auto& [text, why] : {std::pair{"1;2", "'1;2' is not a number"},
                                  {"1::2", "'' is not a number"},
                                  {"1:2:", "'' is not a number"},
                                  {"1:0", "'0' is out of range"},
                                  {"11", "'11' is out of range"}})
    EXPECT_EQ(loadshare::error_of([&, item = text] { read(std::string("weights=") + item); }),
              std::string("scheduler mixed: weights is '") + text + "' (" + why + ")" + form);
}

TEST(Spec, ReadsWords) {
  constexpr Choices<int, 2> orders{{{"rising", 1}, {"falling", 2}}};
  EXPECT_EQ(with("order=falling").word("order", orders), 2);
  EXPECT_EQ(with("x=1").word("order", orders), std::nullopt);
  EXPECT_EQ(loadshare::error_of([&] { with("order=fallign").word("order", orders); }),
            "unknown order of scheduler mixed 'fallign' (valid: rising, falling); did you mean 'falling'?");
}

TEST(Spec, TrailingCommaAfterTheLastParameterIsAnError) {
  EXPECT_NE(error_of("send:3,"), "");
  EXPECT_NE(error_of("gss:min=2,"), "");
}

// A kind with a path, which contains the characters that end other values.
TEST(Spec, AParameterMayTakeTheRest) {
  const std::vector<SpecForm> forms = {
      {"steps", "from a file", {{"path", "(none)", "the file", Extent::rest}}},
      {"flat", "always the same", {{"share", "1", "of the processor"}}},
  };
  for (const char* text : {"steps:a b,c=d:e", "steps:path=a b,c=d:e"})
    EXPECT_EQ(parse_spec("load", text, forms).text(), "steps:path=a b,c=d:e");
  EXPECT_FALSE(parse_spec("load", "steps", forms).has("path"));
  EXPECT_THAT([&] { parse_spec("load", "flat:0 .5", forms); },
              testing::ThrowsMessage<UsageError>("load 'flat:0 .5' has a space in it (specs are written "
                                                 "without spaces); write 'flat:0.5'"));
  EXPECT_THAT(
      [&] { parse_spec("load", "flta", forms); },
      testing::ThrowsMessage<UsageError>("unknown load 'flta' (valid: steps, flat); did you mean 'flat'?"));
}

}  // namespace
}  // namespace loadshare::test
