#include "schedulers/table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "base/error.hpp"

namespace loadshare {
namespace {

using ::testing::HasSubstr;

class Everything final : public ChunkScheduler {
 public:
  Cut next(const Request& request) override { return {request.remaining}; }
};

SchedulerEntry everything() {
  return {"everything", "the whole loop at once", {}, [](const SchedulerSpec&, const LoopFacts&) {
            return std::make_unique<Everything>();
          }};
}

TEST(Table, HoldsTheFieldsTechniques) {
  std::vector<std::string> names;
  const SchedulerTable table = built_in_schedulers();
  for (const auto& entry : table.entries()) names.push_back(entry.name);
  EXPECT_THAT(names, ::testing::ElementsAre("send", "gss", "factoring", "tss", "adaptive", "static", "ss",
                                            "fsc", "mfsc", "fac2", "fac", "wf", "tap", "tfss", "fiss", "viss",
                                            "pls", "rnd", "bold", "awf", "awf-b", "awf-c", "awf-d", "awf-e",
                                            "af", "maf", "steady"));
}

TEST(Table, AcceptsAnOwnTechnique) {
  SchedulerTable table = built_in_schedulers();
  table.add(everything());
  EXPECT_TRUE(table.has_technique("everything") && table.has_technique("gss:14,min=2"));
  EXPECT_FALSE(table.has_technique("every") || table.has_technique("") || table.has_technique("mine:3"));
  EXPECT_EQ(table.make("everything", {12, 3})->next({WorkerId{0}, 0, 12, 0, 3}).size, 12);
  EXPECT_THAT(table.help(), HasSubstr("everything\n  variable sizes; the whole loop at once\n"));
}

TEST(Table, KeepsNamesApartAndTypable) {
  SchedulerTable table;
  table.add(everything());
  EXPECT_THROW(table.add(everything()), UsageError);
  for (const char* name : {"", "a:b", "a,b", "a=b", "a b"}) {
    SchedulerEntry entry = everything();
    entry.name = name;
    EXPECT_THROW(table.add(entry), UsageError) << name;
  }
  SchedulerEntry without_factory{"nothing", "", {}, {}};
  EXPECT_THROW(table.add(without_factory), UsageError);
  EXPECT_EQ(table.entries().size(), 1u);
}

TEST(Table, ATechniqueWithoutParametersTakesNone) {
  SchedulerTable table;
  table.add(everything());
  EXPECT_THROW(table.parse("everything:1"), UsageError);
  EXPECT_THROW(table.parse("everything:size=1"), UsageError);
}

TEST(Table, HelpShowsEveryTechniqueWithItsParameters) {
  const std::string help = built_in_schedulers().help();
  EXPECT_THAT(help, HasSubstr("Example: gss:14,min=2 is the same as gss:divisor=14,min=2\n"));
  EXPECT_THAT(
      help,
      HasSubstr("\n\ngss:divisor,min,round\n"
                "  variable sizes; guided: a fixed part of what remains (Polychronopoulos and Kuck 1987)\n"
                "    divisor = workers  G, the divisor of the remaining iterations\n"
                "    min     = 1        the smallest chunk\n"
                "    round   = down     how R / G is rounded: down or up\n"));
  const SchedulerTable table = built_in_schedulers();
  for (const auto& entry : table.entries())
    for (const auto& parameter : entry.parameters)
      EXPECT_THAT(help, HasSubstr("    " + parameter.name)) << entry.name;
}

TEST(Table, HelpFitsAHundredColumns) {
  SchedulerTable table = built_in_schedulers();
  SchedulerEntry wordy = everything();
  for (int i = 0; i < 60; ++i) wordy.description += " word";
  table.add(wordy);
  std::istringstream lines(table.help());
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 100u) << line;
}

}  // namespace
}  // namespace loadshare
