#include "models/program/timing_graph/expansion.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "tests/models/program/timing_graph/made_programs.hpp"

namespace loadshare::timing_graph {
namespace {

using testing::ElementsAre;

Step computing(const std::string& seconds) {
  return step(Compute{formula(seconds)});
}

std::vector<double> amounts(const Program& program, std::size_t process) {
  std::vector<double> all;
  for (const Op& op : program.ops_of(process)) all.push_back(op.amount);
  return all;
}

TEST(Expansion, ParametersAndRankHaveValues) {
  const Graph graph = graph_of({computing("n / p + rank")});
  EXPECT_THAT(amounts(expand(graph, {}), 2), ElementsAre(252));
  EXPECT_THAT(amounts(expand(graph, {{"n", 40}, {"p", 2}}), 1), ElementsAre(21));
}

TEST(Expansion, ParametersMayUseEarlierOnes) {
  Graph graph = graph_of({computing("block")});
  graph.parameters.push_back({"block", formula("n / p")});
  EXPECT_THAT(amounts(expand(graph, {}), 0), ElementsAre(250));
  EXPECT_THAT(amounts(expand(graph, {{"p", 8}}), 0), ElementsAre(125));
  EXPECT_THAT(amounts(expand(graph, {{"block", 3}}), 0), ElementsAre(3));
}

TEST(Expansion, NestedLoopsAreExpanded) {
  const Loop inner{formula("i"), "j", {computing("10 * i + j")}};
  const Graph graph = graph_of({step(Loop{formula("4"), "i", {step(inner)}})});
  EXPECT_THAT(amounts(expand(graph, {}), 0), ElementsAre(10, 20, 21, 30, 31, 32));
}

TEST(Expansion, BranchesAreChosen) {
  const Graph graph = graph_of({step(Branch{formula("rank % 2 == 0"), {computing("1")}, {computing("2")}})});
  EXPECT_THAT(amounts(expand(graph, {}), 2), ElementsAre(1));
  EXPECT_THAT(amounts(expand(graph, {}), 3), ElementsAre(2));
}

TEST(Expansion, FunctionsAreEvaluated) {
  const Graph graph =
      graph_of({computing("floor(2.7) + 10 * ceil(0.2) + 100 * mod(7, 4) + log2(8) * 1000"),
                computing("max(1, 2) + min(3, 4) + sqrt(16) + 7 % 4"), computing("n > 1 && p == 4 ? 5 : 6")});
  EXPECT_THAT(amounts(expand(graph, {}), 0), ElementsAre(3312, 12, 5));
}

TEST(Expansion, RequestsOfOneNameAreAwaitedTogether) {
  Receive receive{formula("0"), {}, "in"};
  const Program program = expand(
      graph_of({step(Loop{formula("2"), "", {step(receive)}}), step(Wait{{"in"}}), step(Wait{{"in"}})}), {});
  std::vector<std::pair<OpKind, std::uint32_t>> ops;
  for (const Op& op : program.ops_of(1)) ops.emplace_back(op.kind, op.request);
  EXPECT_THAT(ops, ElementsAre(std::pair(OpKind::receive, 0U), std::pair(OpKind::receive, 1U),
                               std::pair(OpKind::wait, 0U), std::pair(OpKind::wait, 1U)));
}

TEST(Expansion, ExchangePostsItsReceiveFirst) {
  const Program program =
      expand(graph_of({step(Exchange{{formula("0"), formula("8")}, {formula("1"), {}, {}}})}), {});
  std::vector<OpKind> kinds;
  for (const Op& op : program.ops_of(0)) kinds.push_back(op.kind);
  EXPECT_THAT(kinds, ElementsAre(OpKind::receive, OpKind::send, OpKind::wait));
}

TEST(Expansion, RanksOfProcessesAreComputed) {
  Graph graph = graph_of({computing("1")});
  graph.processes[0].ranks = RankRange{formula("0"), formula("0")};
  graph.processes.push_back({RankRange{formula("1"), formula("p - 1")}, {computing("2")}, {}});
  EXPECT_THAT(amounts(expand(graph, {}), 3), ElementsAre(2));
  EXPECT_EQ(expand(graph, {{"p", 1}}).process_count(), 1U);
}

TEST(Expansion, SegmentsTakeTheirMean) {
  EXPECT_THAT(amounts(expand(graph_of({step(Compute{formula("10"), 0.5})}), {}), 0), ElementsAre(10));
}

TEST(Expansion, DivisionByZeroIsNamedInUnusedBranches) {
  EXPECT_EQ(failure(graph_of({computing("n / (p - 4)")})),
            "g.yaml:9:1: 'n / (p - 4)' divides by zero (n=1000, p=4)");
  EXPECT_EQ(failure(graph_of({computing("1 / (n / (p - 4))")})),
            "g.yaml:9:1: '1 / (n / (p - 4))' divides by zero (n=1000, p=4)");
  EXPECT_EQ(failure(graph_of({computing("1 / (1 / 0)")})), "g.yaml:9:1: '1 / (1 / 0)' divides by zero");
  EXPECT_EQ(failure(graph_of({computing("rank % 0")})), "g.yaml:9:1: 'rank % 0' is not a number (rank=0)");
  EXPECT_EQ(failure(graph_of({computing("sqrt(rank - 1)")})),
            "g.yaml:9:1: 'sqrt(rank - 1)' is not a number (rank=0)");
  EXPECT_EQ(failure(graph_of({computing("log2(rank)")})),
            "g.yaml:9:1: 'log2(rank)' divides by zero or takes the logarithm of 0 (rank=0)");
  EXPECT_EQ(failure(graph_of({computing("10 ^ n")})), "g.yaml:9:1: '10 ^ n' is too large (n=1000)");
}

TEST(Expansion, BadExpressionsAreRefused) {
  EXPECT_EQ(failure(graph_of({computing("2 * keys")})),
            "g.yaml:9:1: unknown name 'keys' in '2 * keys' (known: n, p, rank)");
  EXPECT_EQ(failure(graph_of({computing("2 * rnk")})),
            "g.yaml:9:1: unknown name 'rnk' in '2 * rnk' (known: n, p, rank); did you mean 'rank'?");
  EXPECT_EQ(failure(graph_of({computing("n = 3")})),
            "g.yaml:9:1: 'n = 3' is not an expression (it has a single =); compare with ==");
  EXPECT_EQ(failure(graph_of({computing("1, 2")})),
            "g.yaml:9:1: '1, 2' is not an expression (it has several values)");
  EXPECT_THAT(failure(graph_of({computing("2 *")})),
              testing::StartsWith("g.yaml:9:1: '2 *' is not an expression ("));
  EXPECT_THAT(failure(graph_of({computing("(2")})),
              testing::StartsWith("g.yaml:9:1: '(2' is not an expression ("));
}

TEST(Expansion, ImpossibleNumbersAreRefused) {
  EXPECT_EQ(failure(graph_of({computing("rank - 1")})),
            "g.yaml:9:1: compute = rank - 1 is -1 (it must not be negative; rank=0)");
  EXPECT_EQ(failure(graph_of({step(Send{formula("0"), formula("-8")})})),
            "g.yaml:9:1: bytes is -8 (it must not be negative)");
  EXPECT_EQ(failure(graph_of({step(Send{formula("0"), formula("1e13 * n")})})),
            "g.yaml:9:1: bytes = 1e13 * n is 1e+16 (it must be at most 1000000000000000; n=1000)");
  EXPECT_EQ(failure(graph_of({step(Send{formula("rank + 1"), formula("8")})})),
            "g.yaml:9:1: to = rank + 1 is 4 (it must be from 0 to 3; rank=3)");
  EXPECT_EQ(failure(graph_of({step(Loop{formula("-1"), "", {computing("1")}})})),
            "g.yaml:9:1: loop is -1 (it must be from 0 to 9007199254740992)");
  EXPECT_EQ(failure(graph_of({step(Loop{formula("p / 3"), "", {computing("1")}})})),
            "g.yaml:9:1: loop = p / 3 is 1.3333333333333333 (it must be a whole number; p=4)");
}

TEST(Expansion, BadParametersAreRefused) {
  const Graph graph = graph_of({computing("1")});
  EXPECT_EQ(failure(graph, {{"p", 0}}), "p is 0 (a program has 1 to 1000000 processes)");
  EXPECT_EQ(failure(graph, {{"p", 2.5}}), "p is 2.5 (a program has 1 to 1000000 processes)");
  EXPECT_EQ(failure(graph, {{"size", 2}}), "unknown parameter 'size' (valid: n, p)");
  Graph without = graph;
  without.parameters.pop_back();
  EXPECT_EQ(
      failure(without),
      "g.yaml:1:1: the graph 'made' has no parameter p (p is the number of its processes); give it one, "
      "like p: 4");
  Graph twice = graph;
  twice.parameters.push_back({"n", formula("1")});
  EXPECT_EQ(failure(twice),
            "g.yaml:9:1: the name 'n' is taken (it already has a meaning here); choose another");
}

TEST(Expansion, BadRanksAreRefused) {
  Graph graph = graph_of({computing("1")});
  graph.processes[0].ranks = RankRange{formula("0"), formula("1")};
  EXPECT_EQ(failure(graph), "g.yaml:1:1: no process of the graph 'made' is for rank 2 (ranks are 0 to 3)");
  graph.processes.push_back(graph_of({computing("1")}).processes[0]);
  EXPECT_EQ(failure(graph), "g.yaml:1:1: rank 0 has two processes (the other: g.yaml:1:1)");
  graph.processes[0].ranks = RankRange{formula("0"), formula("p")};
  EXPECT_EQ(failure(graph), "g.yaml:9:1: the last rank = p is 4 (it must be from -1 to 3; p=4)");
}

TEST(Expansion, TakenAndInvalidNamesAreRefused) {
  EXPECT_EQ(failure(graph_of({step(Loop{formula("2"), "n", {computing("1")}}, 3)})),
            "g.yaml:3:1: the name 'n' is taken (it already has a meaning here); choose another");
  EXPECT_EQ(failure(graph_of({step(Loop{formula("2"), "2i", {computing("1")}}, 3)})),
            "g.yaml:3:1: '2i' is not a valid name (a name is a letter, then letters, digits and _)");
}

TEST(Expansion, WaitForAnUnstartedRequestIsRefused) {
  EXPECT_EQ(failure(graph_of({step(Receive{formula("0"), {}, "left"}), step(Wait{{"lift"}}, 3)})),
            "g.yaml:3:1: no step before it begins a request 'lift' (begun: left); did you mean 'left'?");
}

TEST(Expansion, TooLongProgramsAreRefused) {
  ExpansionOptions options;
  options.most_ops = 1000;
  EXPECT_EQ(
      failure(graph_of({step(Loop{formula("1e12"), "", {computing("1")}}, 3)}), {}, options),
      "g.yaml:3:1: the program becomes longer than 1000 steps (reached in 'loop'); ask for a smaller n or p, "
      "or for fewer rounds");
}

TEST(Expansion, TooManyPairsAreRefused) {
  // Seen in the first rank's row, before there are p^2 numbers to keep.
  ExpansionOptions options;
  options.most_ops = 1000;
  EXPECT_EQ(
      failure(graph_of({step(Collective{"alltoallv", formula("peer")}, 3)}), {{"p", 1e6}}, options),
      "g.yaml:3:1: the program becomes longer than 1000 steps (reached in 'alltoallv'); ask for a smaller "
      "n or p, or for fewer rounds");
}

}  // namespace
}  // namespace loadshare::timing_graph
