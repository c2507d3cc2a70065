#include "apps/synthetic/costs/table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "tests/apps/common/files.hpp"

namespace loadshare::synthetic {
namespace {

using test::error_of;

TEST(CostTable, CanonicalTextNamesEveryGivenParameter) {
  EXPECT_EQ(parse_cost("gamma").text(), "gamma");
  EXPECT_EQ(parse_cost("gamma:200us,0.5").text(), "gamma:cv=0.5,mean=200us");
  EXPECT_EQ(parse_cost("bimodal:share=0.2,low=1ms").text(), "bimodal:low=1ms,share=0.2");
  for (const char* spec : {"file:a b,c=d.txt", "file:path=a b,c=d.txt"}) {
    EXPECT_EQ(parse_cost(spec).text(), "file:path=a b,c=d.txt");
    EXPECT_EQ(parse_cost(spec).values.at("path"), "a b,c=d.txt");
  }
}

struct BadSpec {
  const char* spec;
  const char* error;
};

TEST(CostTable, NamesAreChecked) {
  const BadSpec cases[] = {
      {"",
       "no cost named (valid: constant, uniform, normal, exponential, gamma, rising, falling, bimodal, "
       "file)"},
      {"gama",
       "unknown cost 'gama' (valid: constant, uniform, normal, exponential, gamma, rising, falling, bimodal, "
       "file); did you mean 'gamma'?"},
      {"gamma:maen=1ms", "cost gamma: unknown parameter 'maen' (valid: mean, cv); did you mean 'mean'?"},
      {"gamma:1ms,1,1", "cost gamma: one value too many, '1' (parameters: mean, cv); leave it out"},
      {"gamma:1ms,mean=2ms", "cost gamma: mean given twice (the second time as '2ms'); give it once"},
      {"gamma: 1ms",
       "cost 'gamma: 1ms' has a space in it (specs are written without spaces); write 'gamma:1ms'"},
      {"file:",
       "cost file: no value for path (nothing stands there); give one, or leave out the comma or colon"},
  };
  for (const auto& [spec, text] : cases) EXPECT_EQ(error_of([&] { parse_cost(spec); }), text);
}

TEST(CostTable, HelpNamesAllOfThemInLinesThatFit) {
  std::istringstream help(cost_help());
  std::vector<std::string> lines;
  for (std::string line; std::getline(help, line);) lines.push_back(line);
  for (const std::string& line : lines) EXPECT_LE(line.size(), 100U) << line;
  for (const CostEntry& entry : cost_entries())
    EXPECT_TRUE(std::ranges::any_of(lines, [&](const auto& line) {
      return line.starts_with(entry.name + ":");
    })) << entry.name;
}

TEST(CostTable, RatiosHaveBounds) {
  for (const auto& [spec, text] :
       {std::pair{"gamma:cv=10.1",
                  "cost gamma: cv is '10.1' (it is out of range); give a number from 0 to 10"},
        {"normal:cv=1.1", "cost normal: cv is '1.1' (it is out of range); give a number from 0 to 1"},
        {"bimodal:share=-1", "cost bimodal: share is '-1' (it is out of range); give a number from 0 to 1"}})
    EXPECT_EQ(error_of([&, spec = spec] { make_cost(parse_cost(spec), {100, 1, {}}); }), text);
}

// The default in the help must be the real one.
TEST(CostTable, DefaultsAreTheShownOnes) {
  for (const CostEntry& entry : cost_entries()) {
    if (entry.name == "file") continue;
    Spec all = parse_cost(entry.name);
    for (const ParameterInfo& parameter : entry.parameters)
      all.values[parameter.name] = parameter.default_text;
    const auto short_form = make_cost(parse_cost(entry.name), {100, 1, {}});
    const auto long_form = make_cost(all, {100, 1, {}});
    for (Index i = 0; i < 100; ++i)
      ASSERT_DOUBLE_EQ(short_form->seconds(i), long_form->seconds(i)) << entry.name;
  }
}

}  // namespace
}  // namespace loadshare::synthetic
