#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "models/program/timing_graph/evaluation.hpp"
#include "models/program/timing_graph/expansion.hpp"
#include "tests/error_of.hpp"
#include "tests/models/program/timing_graph/made_programs.hpp"

namespace loadshare::timing_graph {
namespace {

using testing::ElementsAre;

/// An alltoallv of any number of members takes a second a byte.
class SecondsOfBytes final : public communication::CollectiveCosts {
 public:
  std::optional<communication::Estimate> time(const std::string& call, int, double bytes) const override {
    if (call != "alltoallv") return std::nullopt;
    return communication::Estimate{bytes, bytes, bytes, false};
  }

  /// In a bcast the root is gone after a second; the others take 5 seconds after the root and one after
  /// their own begin. The last one counted from it waits for the one before it, too.
  std::optional<std::vector<communication::MemberTime>> times_by_member(const std::string& call, int members,
                                                                        double) const override {
    if (call != "bcast") return std::nullopt;
    const auto exactly = [](double seconds) {
      return communication::Estimate{seconds, seconds, seconds, false};
    };
    std::vector<communication::MemberTime> times{{{}, exactly(1), exactly(1)}};
    for (int member = 1; member < members; ++member) times.push_back({{0}, exactly(1), exactly(5)});
    if (members > 2) times.back().awaited = {0, members - 2};
    return times;
  }
};

Program expanded(Steps steps, double p = 4) {
  const SecondsOfBytes costs;
  return expand(graph_of(std::move(steps)), {{"p", p}}, {.collectives = &costs});
}

Collective alltoallv(const std::string& bytes, std::optional<Group> group = {}) {
  return {"alltoallv", formula(bytes), formula("0"), std::move(group)};
}

TEST(WholeCalls, LetAllContinueTogetherAfterTheLast) {
  const Program program = expanded(
      {step(Compute{formula("rank * 10")}, 1), step(alltoallv("5"), 2), step(Compute{formula("1")}, 3)});
  const Evaluation done = evaluate(program, WholeSeconds());
  EXPECT_THAT(finishes(done), ElementsAre(36, 36, 36, 36));
  EXPECT_EQ(done.processes[0].idle_s, 30) << "until the last one comes";
  EXPECT_EQ(done.processes[0].communicating_s, 5);
  EXPECT_EQ(done.processes[3].idle_s, 0);
  EXPECT_TRUE(done.messages.empty());
  EXPECT_EQ(sum_of_parts(program, done.messages, WholeSeconds()).t_exec_s, 36) << "30 + 5 + 1 of rank 3";
}

TEST(WholeCalls, AreOnTheCriticalPathOfTheLast) {
  const Program program = expanded({step(Compute{formula("rank * 10")}), step(alltoallv("5"))});
  std::vector<std::int32_t> processes;
  std::vector<double> ends_s;
  for (const PathPart& part : evaluate(program, WholeSeconds()).critical_path) {
    processes.push_back(part.process);
    ends_s.push_back(part.end_s);
  }
  EXPECT_EQ(processes.front(), 3);
  EXPECT_EQ(ends_s.front(), 30);
  EXPECT_EQ(ends_s.back(), 35);
}

TEST(WholeCalls, TakeTheTimeOfTheBusiestMember) {
  // Rank 0 gets 3 from each of the others, and so nine; all others get less. Data that a rank keeps cost
  // nothing.
  EXPECT_EQ(expanded({step(alltoallv("peer == 0 ? 3 : (peer == rank ? 1000 : 1)"))}).calls.front().bytes, 3);
  // Rank 2 sends 2 + 4 + 6 to the others.
  EXPECT_EQ(
      expanded({step(alltoallv("rank == 2 ? 2 + 2 * (peer > 0) + 2 * (peer > 2) : 0"))}).calls.front().bytes,
      4);
}

Collective bcast(const std::string& root) {
  return {"bcast", formula("8"), formula(root), {}};
}

TEST(WholeCalls, WithARootLetMembersContinueOneByOne) {
  // Rank 1 is the root; rank 0, the last one counted from it, waits for rank 3, which comes at 30.
  const Program program = expanded({step(Compute{formula("rank * 10")}, 1), step(bcast("1"), 2)});
  const Evaluation done = evaluate(program, WholeSeconds());
  EXPECT_THAT(finishes(done), ElementsAre(35, 11, 21, 31));
  EXPECT_EQ(done.processes[0].idle_s, 30) << "until rank 3 comes";
  EXPECT_EQ(done.processes[0].communicating_s, 5);
  EXPECT_EQ(done.processes[2].idle_s, 0) << "its data lie there";
  EXPECT_EQ(done.critical_path.back().process, 0);
  EXPECT_EQ(done.critical_path.front().process, 3) << "which kept rank 0 waiting";
  EXPECT_EQ(sum_of_parts(program, done.messages, WholeSeconds()).processes[3].communicating_s, 1);
}

TEST(WholeCalls, WithSeveralRootsDoNotMix) {
  const Program program =
      expanded({step(Compute{formula("rank * 10")}, 1), step(bcast("0"), 2), step(bcast("0"), 3)}, 2);
  EXPECT_THAT(finishes(evaluate(program, WholeSeconds())), ElementsAre(2, 12));
  const Program late =
      expanded({step(Compute{formula("10 - 10 * rank")}, 1), step(bcast("0"), 2), step(bcast("0"), 3)}, 2);
  EXPECT_THAT(finishes(evaluate(late, WholeSeconds())), ElementsAre(12, 16)) << "11 + 5 behind 10 + 5";
}

TEST(WholeCalls, WithARootThatNeverComesAreNamed) {
  Program program = program_of({{receive(1), {}}, {{}, send(0, 8)}});
  const communication::Estimate second{1, 1, 1, false};
  program.calls = {{"bcast", {0, 1, 1}, 8, second, {{{}, second, second}, {{0}, second, second}}}};
  program.ops[1].kind = program.ops[2].kind = OpKind::collective;
  EXPECT_EQ(
      error_of([&] { evaluate(program, WholeSeconds()); }),
      "0.yaml:1:1: processes wait for one another in a circle (process 0 receives from process 1 in '0.1' at "
      "0.yaml:1:1; process 1 waits for the others in '1.1' at 1.yaml:1:1)");
}

TEST(WholeCalls, BelongToTheirGroups) {
  const Group evens{formula("rank % 2"), formula("p - 1"), formula("2")};
  const Program program = expanded({step(Compute{formula("rank")}), step(alltoallv("5", evens))});
  EXPECT_EQ(program.calls.size(), 2U);
  EXPECT_THAT(finishes(evaluate(program, WholeSeconds())), ElementsAre(7, 8, 7, 8));
}

TEST(WholeCalls, OfOneProcessCostNothing) {
  EXPECT_TRUE(expanded({step(alltoallv("5"))}, 1).calls.empty());
}

TEST(WholeCalls, OthersAreMessages) {
  const Program program =
      expanded({step(Collective{"allreduce", formula("8"), formula("0"), {}}), step(alltoallv("5"))});
  EXPECT_EQ(program.calls.size(), 1U);
  EXPECT_FALSE(evaluate(program, WholeSeconds()).messages.empty());
}

TEST(WholeCalls, CirclesAreNamed) {
  // Rank 0 wants a message first that rank 1 sends behind the call only.
  Program program = program_of({{receive(1), {}}, {{}, send(0, 8)}});
  program.calls = {{"alltoall", {0, 1, 1}, 8, {1, 1, 1, false}}};
  program.ops[1].kind = program.ops[2].kind = OpKind::collective;
  EXPECT_EQ(
      error_of([&] { evaluate(program, WholeSeconds()); }),
      "0.yaml:1:1: processes wait for one another in a circle (process 0 receives from process 1 in '0.1' at "
      "0.yaml:1:1; process 1 waits for the others in '1.1' at 1.yaml:1:1)");
}

}  // namespace
}  // namespace loadshare::timing_graph
