#include "apps/loadshare/metrics_tree.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace loadshare::tool {
namespace {

using granularity::RankTimes;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using waiting::WaitState;

/// The four parts of a rank's time, in seconds.
struct Parts {
  double computing_s = 0;
  double communicating_s = 0;
  double idle_s = 0;
  double stolen_s = 0;
};

SourcedRun run_of(const std::vector<Parts>& ranks) {
  SourcedRun run;
  run.times.run_s = 10;
  run.place = "a run";
  run.setting.program = "prog";
  for (const Parts& parts : ranks)
    run.times.ranks.push_back({.rank = static_cast<int>(run.times.ranks.size()),
                               .host = "here",
                               .computing_s = parts.computing_s,
                               .communicating_s = parts.communicating_s,
                               .idle_s = parts.idle_s,
                               .stolen_s = parts.stolen_s,
                               .work = {}});
  return run;
}

Study study_of_runs(std::vector<SourcedRun> runs) {
  return granularity::study_of({{std::move(runs), {}}}, {});
}

std::string cause_text(const SourcedRun& run) {
  return cause_of(*study_of_runs({run}).only_point()).text;
}

std::string factor_of(const SourcedRun& run) {
  return cause_of(*study_of_runs({run}).only_point()).factor;
}

SourcedRun uneven() {
  SourcedRun run = run_of({{8, 1, 1, 0}, {4, 1, 5, 0}});
  run.excess = {{"MPI_Bcast", "solve()+0x1 at prog+0x10"}, {"MPI_Barrier", "solve()+0x9 at prog+0x18"}, 7, 3};
  return run;
}

TEST(Cause, OfUnequalComputingNamesTheRankAndThePlace) {
  SourcedRun run = uneven();
  EXPECT_EQ(
      cause_text(run),
      "rank 0 spends 2.00 times as long computing as rank 1, mostly between MPI_Bcast in solve()+0x1 at "
      "prog+0x10 and MPI_Barrier in solve()+0x9 at prog+0x18: its processor is slower, or it has more work");
  run.code = {{"solve()+0x1 at prog+0x10", {"solve", "/src/main.c", 35}},
              {"solve()+0x9 at prog+0x18", {"solve", "/src/main.c", 41}}};
  EXPECT_EQ(cause_text(run),
            "rank 0 spends 2.00 times as long computing as rank 1, mostly between lines 35 and 41 of main.c "
            "(solve): its processor is slower, or it has more work");
  run.excess->from = run.excess->to;
  EXPECT_THAT(cause_text(run), HasSubstr("mostly between calls of MPI_Barrier in solve (main.c:41)"));
  run.excess->own_s = 4;
  EXPECT_EQ(
      cause_text(run),
      "rank 0 spends 2.00 times as long computing as rank 1: its processor is slower, or it has more work")
      << "elsewhere is most of it";
  EXPECT_EQ(factor_of(run), "load_balance");
}

TEST(Cause, NamesTheRankThatDiffersMost) {
  EXPECT_EQ(cause_text(run_of({{9, 0, 1, 0}, {3, 0, 7, 0}, {3, 0, 7, 0}})),
            "rank 0 spends 3.00 times as long computing as the others on average: its processor is slower, "
            "or it has more work");
  EXPECT_EQ(cause_text(run_of({{9, 0, 1, 0}, {9, 0, 1, 0}, {0.9, 0, 9.1, 0}})),
            "rank 2 spends 10.0 % of the time computing that the others on average spend: its processor is "
            "faster, or it has less work");
}

TEST(Cause, OfWaitingAndMovingIsTheCallThatTakesMost) {
  SourcedRun run = run_of({{5, 1, 4, 0}, {5, 1, 4, 0}});
  EXPECT_EQ(cause_text(run), "ranks wait for one another for 40.0 % of the time, most on rank 0 (40.0 %)");
  run.losses = {{"MPI_Recv", "take()+0x1 at prog+0x10", WaitState::late_sender, 6},
                {"MPI_Send", "", WaitState::none, 2}};
  run.code = {{"take()+0x1 at prog+0x10", {"take", "/src/main.c", 7}}};
  EXPECT_EQ(cause_text(run),
            "ranks wait for one another for 40.0 % of the time, the most in MPI_Recv in take (main.c:7): "
            "30.0 %, late sender");
  EXPECT_EQ(factor_of(run), "serialisation");
  run.times.ranks[0].communicating_s = run.times.ranks[1].communicating_s = 5;
  run.times.ranks[0].idle_s = run.times.ranks[1].idle_s = 0;
  EXPECT_EQ(cause_text(run), "ranks move data for 50.0 % of the time, the most in MPI_Send: 10.0 %");
}

TEST(Cause, IsTheOthersWhoHadTheProcessor) {
  const SourcedRun run = run_of({{10, 0, 0, 0}, {5, 0, 0, 5}});
  EXPECT_EQ(cause_text(run),
            "other programs had the processor for 25.0 % of the time, most on rank 1 (50.0 %)");
  EXPECT_EQ(factor_of(run), "processor");
}

TEST(Cause, OfWaitingMayBeThatOthersHadTheProcessor) {
  EXPECT_EQ(
      cause_text(run_of({{4, 0.5, 5.5, 0}, {4, 0.5, 0.5, 5}})),
      "ranks wait for one another for 30.0 % of the time, most on rank 0 (55.0 %); other programs had the "
      "processor for 25.0 % of the time, most on rank 1 (50.0 %)");
}

TEST(Cause, IsNoneWhereLittleIsLost) {
  EXPECT_EQ(factor_of(run_of({{9.8, 0, 0.2, 0}, {9.7, 0, 0.3, 0}})), "");
}

TEST(Cause, MayBeThatMoreRanksComputeMore) {
  const Study study = study_of_runs({run_of({{9, 0, 1, 0}}), run_of({{9, 0, 1, 0}, {9, 0, 1, 0}})});
  const Cause cause = cause_of(study.settings.front().points.back());
  EXPECT_EQ(cause.factor, "computation_scaling");
  EXPECT_EQ(cause.text, "all ranks together spend 2.00 times as long computing as the fewest ranks do");
}

std::string tree(const Study& study, const TreeStyle& style) {
  return tree_text(study.settings.front(), study, style);
}

std::size_t longest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, line.size());
  return most;
}

TEST(Tree, HasABarForEachFactor) {
  EXPECT_EQ(
      tree(study_of_runs({uneven()}), {.columns = 100}),
      "prog on 2 ranks, 10.0 s\n"
      "parallel efficiency 60.0 %: rank 0 spends 2.00 times as long computing as rank 1, mostly between\n"
      "  MPI_Bcast in solve()+0x1 at prog+0x10 and MPI_Barrier in solve()+0x9 at prog+0x18: its processor\n"
      "  is slower, or it has more work\n"
      "\n"
      "parallel efficiency       60.0 % ############........  of the processors' time goes into computing\n"
      "  load balance            75.0 % ###############.....  the rest: waiting for ranks that compute more\n"
      "  communication           80.0 % ################....  serialisation x transfer\n"
      "    serialisation         88.9 % ##################..  the rest: other waiting among ranks\n"
      "    transfer              90.0 % ##################..  the rest: moving data\n"
      "  processor              100.0 % ####################  the rest: lost to other programs\n");
}

TEST(Tree, CountsWaitingForWhoMovesDataAsTransferWhereThatIsKnown) {
  SourcedRun run = uneven();
  run.times.ideal = {8.5, 8.5};
  const std::string text = tree(study_of_runs({run}), {.columns = 100});
  EXPECT_THAT(text, testing::HasSubstr("    transfer              85.0 % #################...  the rest: "
                                       "moving data, and waiting for data\n"));
  EXPECT_THAT(text, Not(HasSubstr("moving data\n")));
}

TEST(Tree, FitsIntoAnyTerminalThatHoldsANameAndANumber) {
  const Study one = study_of_runs({run_of({{8, 1, 1, 0}, {4, 1, 5, 0}})});
  std::vector<SourcedRun> runs;
  for (std::size_t ranks = 1; ranks < 20; ++ranks)
    runs.push_back(run_of(std::vector<Parts>(
        ranks, {9 / static_cast<double>(ranks), 0.5, 9.5 - 9 / static_cast<double>(ranks), 0})));
  const Study several = study_of_runs(runs);
  for (const int columns : {36, 45, 60, 79, 100}) {
    EXPECT_LE(longest_line(tree(one, {.columns = columns})), static_cast<std::size_t>(columns));
    EXPECT_LE(longest_line(tree(several, {.columns = columns})), static_cast<std::size_t>(columns));
  }
  EXPECT_THAT(tree(several, {.columns = 36}), AllOf(HasSubstr("p = 1\n"), HasSubstr("p = 19\n")));
}

TEST(Tree, IsColouredOnlyWhereItIsAskedFor) {
  const Study study = study_of_runs({run_of({{8, 1, 1, 0}, {4, 1, 5, 0}})});
  EXPECT_THAT(tree(study, {}), Not(HasSubstr("\x1b")));
  const std::string coloured = tree(study, {.columns = 100, .colours = true});
  EXPECT_THAT(coloured,
              AllOf(HasSubstr("\x1b[33m   75.0 % "), HasSubstr("\x1b[32m   90.0 % "), HasSubstr("\x1b[0m")));
}

TEST(Tree, NamesFromFilesCannotCommandATerminal) {
  SourcedRun run = uneven();
  run.setting.program = "prog\x1b[2J";
  run.excess->to.place = "\x1b]0;x";
  EXPECT_THAT(tree(study_of_runs({run}), {}), Not(HasSubstr("\x1b")));
}

TEST(Tree, TellsBothEfficienciesWhereAPartIsMarked) {
  SourcedRun run = run_of({{8, 1, 1, 0}, {8, 1, 1, 0}});
  EXPECT_THAT(tree(study_of_runs({run}), {}), Not(HasSubstr("marked")));
  run.whole = run_of({{8, 1, 11, 0}, {8, 1, 11, 0}}).times;
  run.whole->run_s = 20;
  EXPECT_THAT(tree(study_of_runs({run}), {}),
              AllOf(HasSubstr("part marked by MPI_Pcontrol, 10.0 s: efficiency 80.0 %; whole run, 20.0 s: "
                              "efficiency 40.0 %\n"),
                    HasSubstr("of the whole run          40.0 % ")));
}

}  // namespace
}  // namespace loadshare::tool
