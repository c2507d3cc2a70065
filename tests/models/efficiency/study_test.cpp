#include "models/efficiency/study.hpp"

#include <gmock/gmock.h>

namespace loadshare::granularity {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

enum class End { reached, cut_short };

SourcedRun profile_of(std::size_t ranks, double run_s, End end, const std::string& place) {
  SourcedRun run;
  run.times.run_s = run_s;
  for (std::size_t i = 0; i < ranks; ++i)
    run.times.ranks.push_back(
        {.rank = static_cast<int>(i), .host = "here", .computing_s = run_s, .work = {}});
  run.setting.program = "prog";
  run.place = place;
  run.has_ended = end == End::reached;
  return run;
}

TEST(Groups, LeaveOutInterruptedRunsIfThereAreOthers) {
  std::vector<std::string> notes;
  const Groups groups = grouped(
      {{{profile_of(2, 1, End::cut_short, "a"), profile_of(2, 4, End::reached, "b")}, {"of the file"}}},
      notes);
  const auto& runs = groups.begin()->second.at(2);
  ASSERT_EQ(runs.size(), 1u);
  EXPECT_EQ(runs.front().place, "b");
  EXPECT_THAT(notes, ElementsAre("of the file", "a: left out because the run was cut short"));
}

TEST(Groups, KeepRunsIfAllWereInterrupted) {
  std::vector<std::string> notes;
  const Groups groups = grouped({{{profile_of(2, 1, End::cut_short, "a")}, {}}}, notes);
  EXPECT_EQ(groups.begin()->second.at(2).size(), 1u);
  EXPECT_THAT(notes, IsEmpty());
}

TEST(SequentialRuns, LeaveOutInterruptedRuns) {
  std::vector<std::string> notes;
  Groups groups = grouped(
      {{{profile_of(1, 1, End::cut_short, "one"), profile_of(2, 4, End::reached, "two")}, {}}}, notes);
  EXPECT_THAT(sequential_runs(groups, groups.begin()->first).runs, IsEmpty());
  groups =
      grouped({{{profile_of(1, 7, End::reached, "one"), profile_of(2, 4, End::reached, "two")}, {}}}, notes);
  const SequentialRuns alone = sequential_runs(groups, groups.begin()->first);
  EXPECT_EQ(alone.source, "the run on 1 rank, one");
  EXPECT_EQ(alone.time_s(), 7);
}

}  // namespace
}  // namespace loadshare::granularity
