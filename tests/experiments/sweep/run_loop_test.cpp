#include "experiments/sweep/run_loop.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "base/error.hpp"
#include "tests/experiments/sweep/sample_sweep.hpp"
#include "tests/experiments/sweep/temporary_folder.hpp"

namespace loadshare::sweep {
namespace {

constexpr const char* point = "fig3a/scheduler=gss:14";

struct Shown {
  std::string text;
  SweepProgress progress;
  explicit Shown(ProgressMode mode, int width = 80)
      : progress(mode, width, [this](std::string_view more) { text.append(more); }) {}
};

TEST(SweepProgress, ShowsFinishedAndRemainingRuns) {
  Shown shown(ProgressMode::bar);
  shown.progress.update(0, {12, 78, 1, 204, false}, point);
  EXPECT_EQ(shown.text, "\rsweep  12/90 runs  13 %  1 failed  ETA 3:24  fig3a/scheduler=gss:14\x1b[K");
  shown.progress.clear();
  shown.progress.clear();
  EXPECT_TRUE(shown.text.ends_with("14\x1b[K\r\x1b[K"));
}

TEST(SweepProgress, AnUpperBoundIsMarked) {
  Shown shown(ProgressMode::bar);
  shown.progress.update(0, {0, 90, 0, 204, true}, point);
  EXPECT_EQ(shown.text, "\rsweep  0/90 runs  0 %  ETA at most 3:24  fig3a/scheduler=gss:14\x1b[K");
}

TEST(SweepProgress, ABarFitsTheTerminal) {
  Shown shown(ProgressMode::bar, 20);
  shown.progress.update(0, {0, 90, 0, 0, false}, point);
  EXPECT_EQ(shown.text, "\rsweep  0/90 runs  0\x1b[K");
}

TEST(SweepProgress, LinesComeAtGrowingIntervals) {
  Shown shown(ProgressMode::lines);
  for (int second = 0; second < 100; ++second)
    shown.progress.update(second, {second, 100 - second, 0, 0, false}, "e");
  EXPECT_EQ(shown.text,
            "sweep  2/100 runs  2 %  e\nsweep  7/100 runs  7 %  e\nsweep  15/100 runs  15 %  e\n"
            "sweep  27/100 runs  27 %  e\nsweep  44/100 runs  44 %  e\nsweep  70/100 runs  70 %  e\n");
}

TEST(SweepProgress, NoneIsSilent) {
  Shown shown(ProgressMode::none);
  shown.progress.update(0, {}, point);
  shown.progress.update(100, {}, point);
  EXPECT_EQ(shown.text, "");
}

/// An executor that runs nothing: it records the commands and writes the record of a program.
class FakeExecutor final : public Executor {
 public:
  std::vector<Outcome> outcomes;  ///< of the next runs; good ones behind them
  std::string record = "{\"makespan_s\":0.5}\n";
  std::vector<Words> commands;
  std::function<void()> during = [] {};

  Outcome run(const Words& command, double) override {
    commands.push_back(command);
    during();
    Outcome outcome;
    if (commands.size() <= outcomes.size()) outcome = outcomes[commands.size() - 1];
    const auto json = std::ranges::find(command, "--json");
    if (outcome.status == Status::ok && !record.empty()) write_text(*(json + 1), record);
    return outcome;
  }
};

class RunLoopTest : public testing::Test {
 protected:
  RunLoop make_loop(Index earlier = 7) {
    return RunLoop(
        {&spec,
         &plan,
         &executor,
         {{"e", {"/bin/matmul", "/bin/loadshare", ""}}},
         folder.file("record.json"),
         [this](std::string line) { lines.push_back(nlohmann::json::parse(line)); },
         [](const Tally&, std::string_view) {},
         [this](const PlannedRun&, const Outcome& outcome) { complaints.push_back(outcome.error); },
         &is_interrupted},
        earlier, 0);
  }

  TemporaryFolder folder;
  SweepSpec spec = sweep_of("    repeat: 3\n    options: {size: 9}\n");
  Plan plan{spec, {}};
  FakeExecutor executor;
  std::vector<nlohmann::json> lines;
  std::vector<std::string> complaints;
  std::atomic<bool> is_interrupted = false;
};

TEST_F(RunLoopTest, KeepsEveryRunWithItsRecord) {
  RunLoop loop = make_loop();
  loop.run();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["order"], 7) << "behind those of the folder";
  EXPECT_EQ(lines[2]["order"], 9);
  EXPECT_EQ(lines[2]["repetition"], 2);
  EXPECT_EQ(lines[1]["record"]["makespan_s"], 0.5);
  EXPECT_EQ(lines[1]["command"], (Words{"/bin/matmul", "--size", "9"}));
  EXPECT_THAT(executor.commands[0], testing::ElementsAre("/bin/matmul", "--size", "9", "--json",
                                                         folder.file("record.json"), "--progress", "none"));
  EXPECT_EQ(loop.done(), 3);
  EXPECT_EQ(loop.failed(), 0);
  EXPECT_FALSE(std::filesystem::exists(folder.file("record.json")));
}

TEST_F(RunLoopTest, AFailureIsKeptAndTheRestGoesOn) {
  executor.outcomes = {{Status::failed, 1, 0, 0, "no luck"},
                       {Status::timeout, 143, 0, 0, "took longer than 1 s"}};
  RunLoop loop = make_loop();
  loop.run();
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0]["status"], "failed");
  EXPECT_EQ(lines[0]["error"], "no luck");
  EXPECT_EQ(lines[0]["exit_code"], 1);
  EXPECT_TRUE(lines[0]["record"].is_null());
  EXPECT_EQ(lines[1]["status"], "timeout");
  EXPECT_EQ(lines[2]["status"], "ok");
  EXPECT_EQ(loop.failed(), 2);
  EXPECT_THAT(complaints, testing::ElementsAre("no luck", "took longer than 1 s"));
}

TEST_F(RunLoopTest, AProgramWithoutARecordFailed) {
  executor.record = "";
  RunLoop loop = make_loop();
  loop.run();
  EXPECT_EQ(loop.failed(), 3);
  EXPECT_EQ(lines[0]["error"],
            "the program wrote no record (it ended with exit code 0); a program for sweeps must accept "
            "--json FILE and --progress none");
}

// Under another MPI's launcher two processes do the same run, and each writes a record of one rank.
TEST_F(RunLoopTest, ARecordOfFewerRanksThanWereStartedIsNotKept) {
  spec = sweep_of("    repeat: 1\n    launch: {with: mpirun, ranks: 2}\n");
  plan = Plan(spec, {});
  const std::string one = R"({"makespan_s":0.5,"ranks":[{"rank":0}]})";
  executor.record = one + "\n" + one + "\n";
  RunLoop loop = make_loop();
  loop.run();
  EXPECT_EQ(loop.failed(), 1);
  EXPECT_EQ(lines[0]["status"], "failed");
  EXPECT_EQ(lines[0]["error"],
            "the record is of 1 rank, but 2 were started (the launcher may belong to another MPI than the "
            "program's); run loadshare doctor to check");
  EXPECT_TRUE(lines[0]["record"].is_null());
}

TEST_F(RunLoopTest, ARecordOfAllRanksIsKept) {
  spec = sweep_of("    repeat: 1\n    launch: {with: mpirun}\n    matrix: {ranks: [2]}\n");
  plan = Plan(spec, {});
  executor.record = R"({"makespan_s":0.5,"ranks":[{"rank":0},{"rank":1}]})"
                    "\n";
  RunLoop loop = make_loop();
  loop.run();
  EXPECT_EQ(loop.failed(), 0);
}

TEST_F(RunLoopTest, EndsIfAllOfTheFirstRunsFail) {
  spec = sweep_of("    repeat: 20\n");
  plan = Plan(spec, {});
  executor.record = "";
  RunLoop loop = make_loop(0);
  loop.run();
  EXPECT_TRUE(loop.has_given_up());
  EXPECT_EQ(loop.done(), 5);
  EXPECT_EQ(plan.left(), 15);
  RunLoop again = make_loop(5);
  again.run();
  EXPECT_FALSE(again.has_given_up()) << "the user of a resumed sweep knows the failures";
  EXPECT_EQ(again.done(), 15);
}

TEST_F(RunLoopTest, AnOldRecordIsNotTakenForANewOne) {
  write_text(folder.file("record.json"), "{\"makespan_s\":9}\n");
  executor.record = "";
  RunLoop loop = make_loop();
  loop.run();
  EXPECT_EQ(lines[0]["status"], "failed");
}

TEST_F(RunLoopTest, AnInterruptEndsItAndKeepsTheRun) {
  executor.outcomes = {{}, {Status::interrupted, 130, 0, 0, "interrupted"}};
  executor.during = [this] { is_interrupted = executor.commands.size() == 2; };
  RunLoop loop = make_loop();
  loop.run();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[1]["status"], "interrupted");
  EXPECT_EQ(loop.failed(), 0);
  EXPECT_TRUE(complaints.empty());
  EXPECT_EQ(plan.left(), 1);
}

}  // namespace
}  // namespace loadshare::sweep
