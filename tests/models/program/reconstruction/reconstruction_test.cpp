#include "models/program/reconstruction/reconstruction.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <functional>

#include "base/error.hpp"
#include "tests/models/program/reconstruction/made_runs.hpp"

namespace loadshare::reconstruction {
namespace {

using testing::SizeIs;
using namespace timing_graph;

std::vector<ProfiledRun> ring_runs() {
  return {ring_run(2000, 2), ring_run(4000, 2), ring_run(4000, 3), ring_run(8000, 4)};
}

TEST(ReconstructionTest, HasTheLargestRunsParameters) {
  const Graph graph = reconstruct(ring_runs()).graph;
  ASSERT_THAT(graph.parameters, SizeIs(2));
  EXPECT_EQ(graph.parameters[0].name, "n");
  EXPECT_EQ(graph.parameters[0].value.text, "8000");
  EXPECT_EQ(graph.parameters[1].name, "p");
  EXPECT_EQ(graph.parameters[1].value.text, "4");
}

TEST(ReconstructionTest, DescribesEveryRankByNAndP) {
  const Graph graph = reconstruct(ring_runs()).graph;
  ASSERT_THAT(graph.processes, SizeIs(1));
  EXPECT_FALSE(graph.processes[0].ranks);
  const Steps& steps = graph.processes[0].steps;
  ASSERT_THAT(steps, SizeIs(3));
  EXPECT_EQ(std::get<Compute>(steps[0].action).seconds.text, "2e-09 * n / p");
  const Loop& loop = std::get<Loop>(steps[1].action);
  ASSERT_THAT(loop.steps, SizeIs(3));
  const Branch& turn = std::get<Branch>(loop.steps[0].action);
  EXPECT_EQ(turn.condition.text, "i1 > 0");
  EXPECT_EQ(std::get<Compute>(turn.then[0].action).seconds.text, "2e-09 * n / p");
  EXPECT_EQ(std::get<Send>(loop.steps[1].action).to.text, "mod(rank + 1, p)");
  EXPECT_EQ(std::get<Send>(loop.steps[1].action).bytes.text, "8 * n");
  EXPECT_EQ(std::get<Receive>(loop.steps[2].action).from->text, "mod(rank + p - 1, p)");
  EXPECT_EQ(std::get<Collective>(steps[2].action).call, "allreduce");
  EXPECT_EQ(std::get<Collective>(steps[2].action).bytes.text, "64");
}

/// Runs of a step of that time on one rank, and of a collective of that many bytes.
Steps steps_of(const std::function<double(double)>& seconds, const std::function<double(double)>& bytes) {
  std::vector<ProfiledRun> runs;
  for (const double n : {1000.0, 2000.0, 3000.0, 5000.0}) {
    MadeRun run(n, 2);
    run.each_rank(
        [&](Trace& trace) { trace.elements.push_back(collective("allreduce", bytes(n), seconds(n))); });
    runs.push_back(run.built());
  }
  return reconstruct(runs).graph.processes[0].steps;
}

TEST(ReconstructionTest, MeasuredNumbersHaveFourDigitsAndExactOnesAll) {
  const Steps measured =
      steps_of([](double) { return 1 / 3e5; }, [](double n) { return std::floor(1e3 * n / 3); });
  EXPECT_EQ(std::get<Compute>(measured[0].action).seconds.text, "3.333e-06");
  EXPECT_EQ(std::get<Collective>(measured[1].action).bytes.text, "round(333.3 * n)");
  const Steps exact = steps_of([](double) { return 0; }, [](double) { return 1234567; });
  EXPECT_EQ(std::get<Collective>(exact[0].action).bytes.text, "1234567");
}

TEST(ReconstructionTest, CountsRoundsByAParameter) {
  std::vector<ProfiledRun> runs;
  for (const double n : {3.0, 5.0})
    for (const double p : {2.0, 4.0}) {
      MadeRun run(n, p);
      run.each_rank([&](Trace& trace) {
        for (int i = 0; i < static_cast<int>(n); ++i) trace.elements.push_back(collective("barrier", 0));
      });
      runs.push_back(run.built());
    }
  const Graph graph = reconstruct(runs).graph;
  EXPECT_EQ(std::get<Loop>(graph.processes[0].steps[0].action).times.text, "n");
}

// A group that differs from all ranks only in the largest run.
TEST(ReconstructionTest, HasTheCollectivesOfTheRunOnMostRanks) {
  std::vector<ProfiledRun> runs;
  for (const double p : {1.0, 2.0, 4.0}) {
    MadeRun run(1000, p);
    run.each_rank([&](Trace& trace) {
      Element& all = trace.elements.emplace_back(collective("allgather", 64));
      all.is_of_all = p < 4;
      all.row = {0, static_cast<int>(p) - 1, 1};
    });
    runs.push_back(run.built());
  }
  const Graph graph = reconstruct(runs).graph;
  const Collective& all = std::get<Collective>(graph.processes[0].steps[0].action);
  EXPECT_EQ(all.call, "allgather");
  ASSERT_TRUE(all.group);
  EXPECT_EQ(all.group->last.text, "p - 1");
}

TEST(ReconstructionTest, NamesStepsWithoutARule) {
  MadeRun run(1000, 4);
  run.each_rank([](Trace& trace) { trace.elements.push_back(send(trace.rank * trace.rank * 7 % 4 + 1, 8)); });
  try {
    reconstruct(std::vector<ProfiledRun>{run.built()});
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "MPI_Send: its destination follows no known rule (a graph for other sizes needs one); "
                 "predict only programs whose partners are neighbours in a line, ring, grid or hypercube");
  }
}

std::string error_of_runs(const std::vector<ProfiledRun>& runs) {
  try {
    reconstruct(runs);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "no error";
}

TEST(ReconstructionTest, NamesRunsOfOneSettingThatDiffer) {
  std::vector<ProfiledRun> runs{ring_run(4000, 2), ring_run(6000, 2)};
  for (ProfiledRun& run : runs) run.setting.erase("n");
  EXPECT_EQ(error_of_runs(runs),
            "made 4000 2 and made 6000 2 have the same parameters and differ: MPI_Recv, the number of "
            "repetitions of the loop around it, is 4 and 6 (a parameter that distinguishes the runs is "
            "missing); give it with every run, as n=400:FILE and n=600:FILE");
}

TEST(ReconstructionTest, NamesRunsOfOneSettingWithDifferentTimes) {
  std::vector<ProfiledRun> runs{ring_run(4000, 2), ring_run(4000, 2)};
  runs[0].makespan_s = 2;
  runs[1].makespan_s = 2.9;
  EXPECT_THAT(reconstruct(runs).guesses, testing::IsEmpty());
  runs[1].makespan_s = 3.5;
  runs[1].name = "slow";
  EXPECT_THAT(reconstruct(runs).guesses,
              testing::ElementsAre("made 4000 2 and slow have the same parameters, but took 2.00 s and 3.50 "
                                   "s: if their inputs differed, a parameter is missing"));
}

TEST(ReconstructionTest, RefusesNamesThatExpressionsCannotUse) {
  const auto error_of_name = [](const std::string& name) {
    std::vector<ProfiledRun> runs{ring_run(4000, 2)};
    runs[0].setting = {{name, 4000}, {"p", 2}};
    return error_of_runs(runs);
  };
  EXPECT_EQ(error_of_name("m"), "no error");
  EXPECT_EQ(error_of_name("index"), "no error");
  for (const char* name : {"2n", "n m", "n-m"})
    EXPECT_EQ(error_of_name(name),
              fmt::format("'{}' is not a valid name (a name is a letter, then letters, digits and _)", name));
  EXPECT_EQ(error_of_name("rank"),
            "the name 'rank' is taken (it already has a meaning here); choose another");
  EXPECT_EQ(error_of_name("i1"), "the name 'i1' is taken (a loop of the graph counts by it); choose another");
  EXPECT_THAT(error_of_name("_pi"), testing::StartsWith("'_pi' is not an expression"));
}

TEST(ReconstructionTest, NamesRunsWithDifferentParameters) {
  std::vector<ProfiledRun> runs{ring_run(2000, 2), ring_run(4000, 2)};
  runs[1].setting = {{"m", 4000}, {"p", 2}};
  try {
    reconstruct(runs);
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_STREQ(
        error.what(),
        "made 2000 2 and made 4000 2 have different parameters (a graph is built from runs that all have "
        "the same ones)");
  }
}

TEST(ReconstructionTest, NamesDisturbedRuns) {
  const auto said = [](double of_two) {
    std::vector<ProfiledRun> runs = ring_runs();
    runs[1].traces[0].stolen_s = of_two * runs[1].makespan_s;  // of two ranks
    runs[2].traces[0].stolen_s = 0.01 * runs[2].makespan_s;    // of three
    return reconstruct(runs);
  };
  const auto text = [](const std::string& share) {
    return "other programs, or other ranks, had the processors for " + share +
           " of made 4000 2: the prediction is without that time, the measured times include it";
  };
  EXPECT_THAT(said(0.08).notes, testing::ElementsAre(text("4.0 %")));
  EXPECT_THAT(said(0.08).guesses, testing::IsEmpty());
  EXPECT_THAT(said(0.12).guesses, testing::ElementsAre(text("6.0 %")));
  EXPECT_THAT(said(0.12).notes, testing::IsEmpty());
}

TEST(ReconstructionTest, NamesTheWorstOfManyDisturbedRuns) {
  std::vector<ProfiledRun> runs;
  for (int i = 0; i < 6; ++i) {
    runs.push_back(ring_run(4000, 2));
    runs.back().name = fmt::format("run {}", i);
    runs.back().traces[0].stolen_s = (i == 4 ? 0 : 0.022 * (i + 1)) * runs.back().makespan_s;
  }
  EXPECT_THAT(reconstruct(runs).guesses, testing::ElementsAre(testing::HasSubstr(
                                             "for 6.6 % of run 5, for 4.4 % of run 3, for 3.3 % of run 2, "
                                             "for less of 2 other runs: ")));
}

TEST(ReconstructionTest, ReportsAmbiguousRules) {
  std::vector<ProfiledRun> runs;
  for (const double p : {2.0, 4.0}) {
    MadeRun run(1000, p);
    run.each_rank([&](Trace& trace) {
      for (int i = 0; i < static_cast<int>(p / 2); ++i) trace.elements.push_back(collective("barrier", 0));
    });
    runs.push_back(run.built());
  }
  EXPECT_THAT(
      reconstruct(runs).notes,
      testing::ElementsAre("barrier: the number of repetitions of the loop around it is assumed to be "
                           "log2(p), but may also be floor(p / 2): add runs on more numbers of ranks"));
}

TEST(ReconstructionTest, ReceivesFromAnyIfTheOrderIsThatOfArrival) {
  std::vector<ProfiledRun> runs;
  for (const double p : {4.0, 5.0}) {
    MadeRun run(1000, p);
    run.each_rank([&](Trace& trace) {
      if (trace.rank > 0) return trace.elements.push_back(send(0, 8));
      trace.elements.push_back(receive(3));
      trace.elements.push_back(receive(1));
      trace.elements.push_back(receive(2));
      if (p > 4) trace.elements.push_back(receive(4));
    });
    runs.push_back(run.built());
  }
  const Graph graph = reconstruct(runs).graph;
  const Loop& loop = std::get<Loop>(graph.processes[0].steps[0].action);
  EXPECT_EQ(loop.times.text, "p - 1");
  EXPECT_FALSE(std::get<Receive>(loop.steps[0].action).from);
}

Element begun_receive(double from, std::uint32_t request) {
  Element begun = receive(from);
  begun.call = "MPI_Irecv";
  begun.request = request;
  return begun;
}

Element wait_for(std::vector<std::uint32_t> requests) {
  Element wait;
  wait.kind = ElementKind::wait;
  wait.call = "MPI_Wait";
  wait.completes = std::move(requests);
  return wait;
}

TEST(ReconstructionTest, WaitsForStartedRequests) {
  MadeRun run(1000, 2);
  run.each_rank([](Trace& trace) {
    trace.elements.push_back(begun_receive(1 - trace.rank, 5));
    trace.elements.push_back(send(1 - trace.rank, 8));
    trace.elements.push_back(wait_for({5}));
  });
  const Reconstruction rebuilt = reconstruct(std::vector<ProfiledRun>{run.built()});
  const Steps& steps = rebuilt.graph.processes[0].steps;
  EXPECT_EQ(std::get<Receive>(steps[0].action).request, "r0");
  EXPECT_THAT(std::get<Wait>(steps[2].action).requests, testing::ElementsAre("r0"));
}

TEST(ReconstructionTest, ReportsAWaitForSomeRequestsOnly) {
  MadeRun run(1000, 2);
  run.each_rank([](Trace& trace) {
    for (const std::uint32_t request : {1U, 2U})
      trace.elements.push_back(begun_receive(1 - trace.rank, request));
    for (int i = 0; i < 2; ++i) trace.elements.push_back(send(1 - trace.rank, 8));
    for (const std::uint32_t request : {1U, 2U}) trace.elements.push_back(wait_for({request}));
  });
  EXPECT_THAT(reconstruct(std::vector<ProfiledRun>{run.built()}).notes,
              testing::ElementsAre("MPI_Wait: the program waits for some of the messages begun at one place, "
                                   "but the graph for all of them: it may overlap less than the program"));
}

TEST(ReconstructionTest, DoesNotWaitForMessagesToMpiProcNull) {
  MadeRun run(1000, 2);
  run.each_rank([](Trace& trace) { trace.elements.push_back(wait_for({9})); });
  const Reconstruction rebuilt = reconstruct(std::vector<ProfiledRun>{run.built()});
  EXPECT_THAT(rebuilt.graph.processes[0].steps, testing::IsEmpty());
}

TEST(ReconstructionTest, WaitsForRequestsStartedAfterALoop) {
  MadeRun run(1000, 2);
  run.each_rank([](Trace& trace) {
    for (int i = 0; i < 3; ++i) trace.elements.push_back(collective("barrier", 0));
    trace.elements.push_back(begun_receive(1 - trace.rank, 5));
    trace.elements.push_back(send(1 - trace.rank, 8));
    trace.elements.push_back(wait_for({5}));
  });
  const Reconstruction rebuilt = reconstruct(std::vector<ProfiledRun>{run.built()});
  const Steps& steps = rebuilt.graph.processes[0].steps;
  EXPECT_EQ(std::get<Receive>(steps[1].action).request, "r2");
  EXPECT_THAT(std::get<Wait>(steps[3].action).requests, testing::ElementsAre("r2"));
}

}  // namespace
}  // namespace loadshare::reconstruction
