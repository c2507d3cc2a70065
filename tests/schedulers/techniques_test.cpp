#include "schedulers/techniques.hpp"

#include <gmock/gmock.h>

#include <set>

#include "schedulers/table.hpp"

namespace loadshare::test {
namespace {

using testing::Contains;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

TEST(Candidates, SizesDivideEachShareEvenlyFromAQuarterOn) {
  EXPECT_THAT(sizes_worth_trying({720, 9}), ElementsAre(20, 12, 8, 5, 3, 2, 1));
  EXPECT_THAT(sizes_worth_trying({1001, 2}), Contains(126));  // not 125, which leaves a chunk of 1
  EXPECT_THAT(sizes_worth_trying({3, 9}), ElementsAre(1));
  EXPECT_THAT(sizes_worth_trying({0, 1}), ElementsAre(1));
}

TEST(Candidates, HugeLoopsHaveNoMoreOfThem) {
  const auto sizes = sizes_worth_trying({1'000'000'000'000, 4});
  EXPECT_LT(sizes.size(), 20);
  EXPECT_THAT(sizes.back() * 4,
              testing::AllOf(testing::Ge(1'000'000'000'000 / 4096), testing::Le(1'000'000'000'000 / 3500)));
}

TEST(Candidates, SharesAreAHalfAQuarterAndAnEighth) {
  EXPECT_THAT(shares_worth_trying({720, 9}), ElementsAre(40, 20, 10));
  EXPECT_THAT(shares_worth_trying({5, 9}), ElementsAre(1, 1, 1));
}

TEST(Candidates, TheSmallestChunkIsA64thOfAShare) {
  EXPECT_EQ(least_worth_trying({4096, 2}), 32);
  EXPECT_EQ(least_worth_trying({720, 9}), 1);
  EXPECT_EQ(least_worth_trying({5, 9}), 1);
}

// If narrow chunks cost more, the end of a loop is better divided into fewer of them.
TEST(Candidates, FallingSizesEndAtTheSmallestChunk) {
  const SchedulerTable table = built_in_schedulers();
  EXPECT_THAT(table.candidates({4096, 2}), IsSupersetOf({"gss:divisor=2", "gss:min=32", "factoring:min=32"}));
  EXPECT_THAT(table.candidates({720, 9}), Each(Not(HasSubstr("min="))));
}

// predict answers in a second, auto in a hundredth of the run: both try few.
TEST(Candidates, AreFewAndEachCanBeMade) {
  const SchedulerTable table = built_in_schedulers();
  for (const LoopFacts& loop :
       {LoopFacts{720, 9}, LoopFacts{1, 1}, LoopFacts{0, 4}, LoopFacts{1'000'000'000, 64}}) {
    const std::vector<std::string> specs = table.candidates(loop);
    std::set<std::string> techniques;
    for (const std::string& spec : specs) {
      EXPECT_NO_THROW(table.make(spec, loop)) << spec;
      techniques.insert(table.parse(spec).name);
    }
    EXPECT_THAT(techniques, ElementsAre("adaptive", "af", "awf-c", "factoring", "gss", "send", "static",
                                        "steady", "tss"));
    EXPECT_LE(specs.size(), 45);
    for (const SchedulerEntry& entry : table.entries())
      EXPECT_NO_THROW(table.make(example_of(entry), loop)) << entry.name;
    EXPECT_EQ(std::set<std::string>(specs.begin(), specs.end()).size(), specs.size());
  }
}

TEST(Candidates, AnOwnTechniqueIsTriedWithItsDefaults) {
  SchedulerTable table = built_in_schedulers();
  SchedulerEntry own = table.entries().front();
  own.name = "own";
  own.candidates = nullptr;
  table.add(own);
  EXPECT_THAT(table.candidates({720, 9}), Contains("own"));
}

}  // namespace
}  // namespace loadshare::test
