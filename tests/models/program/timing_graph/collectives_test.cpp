#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "base/error.hpp"
#include "models/program/collectives/table.hpp"
#include "models/program/timing_graph/evaluation.hpp"
#include "models/program/timing_graph/expansion.hpp"
#include "tests/models/program/timing_graph/made_programs.hpp"

namespace loadshare::timing_graph {
namespace {

struct Traffic {
  std::size_t messages = 0;
  double bytes = 0;

  bool operator==(const Traffic&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Traffic& traffic) {
  return out << traffic.messages << " messages of " << traffic.bytes << " bytes";
}

Program program_with(const std::string& call, const std::string& bytes, int p,
                     const std::string& root = "0") {
  return expand(graph_of({step(Collective{call, formula(bytes), formula(root), {}})}), {{"p", double(p)}});
}

/// All that is sent in one call, and that it ends.
Traffic traffic(const std::string& call, const std::string& bytes, int p, const std::string& root = "0") {
  Traffic sum;
  for (const MatchedMessage& message :
       evaluate(program_with(call, bytes, p, root), WholeSeconds()).messages) {
    ++sum.messages;
    sum.bytes += message.bytes;
  }
  return sum;
}

struct Row {
  std::string call;
  std::string bytes;
  std::map<int, Traffic> by_size;
};

class Collectives : public testing::TestWithParam<Row> {};

TEST_P(Collectives, SendAsManyMessagesAndBytesAsOpenMpi) {
  for (const auto& [p, expected] : GetParam().by_size)
    EXPECT_EQ(traffic(GetParam().call, GetParam().bytes, p), expected) << p << " processes";
}

// By hand from the algorithm that coll/tuned takes for the size.
INSTANTIATE_TEST_SUITE_P(
    Calls, Collectives,
    testing::Values(
        // Recursive doubling for 2, 3 and 8, linear for 4.
        Row{"barrier", "0", {{1, {0, 0}}, {2, {2, 0}}, {3, {4, 0}}, {4, {6, 0}}, {8, {24, 0}}}},
        // Any tree sends the message once to each but the root.
        Row{"bcast", "100", {{1, {0, 0}}, {2, {1, 100}}, {3, {2, 200}}, {4, {3, 300}}, {8, {7, 700}}}},
        Row{"bcast", "2000000", {{2, {1, 2e6}}, {3, {2, 4e6}}, {4, {3, 6e6}}, {8, {7, 14e6}}}},
        Row{"reduce", "100", {{1, {0, 0}}, {2, {1, 100}}, {3, {2, 200}}, {4, {3, 300}}, {8, {7, 700}}}},
        // Recursive doubling: p log2 p; of 3 one reports to another before and after.
        Row{"allreduce", "100", {{1, {0, 0}}, {2, {2, 200}}, {3, {4, 400}}, {4, {8, 800}}, {8, {24, 2400}}}},
        // Rabenseifner: each of p sends (1 - 1/p) of the whole twice.
        Row{"allreduce", "1048576", {{2, {4, 2097152}}, {4, {16, 6291456}}, {8, {48, 14680064}}}},
        // The ring of 3: each sends a third four times.
        Row{"allreduce", "6144", {{3, {12, 24576}}}},
        // Linear and binomial trees of 2 and 3; 4: two blocks of 1 and one of 2; 8: also 2 of 2 and 1 of 4.
        Row{"gather", "10", {{1, {0, 0}}, {2, {1, 10}}, {3, {2, 20}}, {4, {3, 40}}, {8, {7, 120}}}},
        // With synchronization: a call, the block and an empty rest for each.
        Row{"gather", "1048576", {{2, {3, 1048576}}, {4, {9, 3145728}}}},
        Row{"gatherv", "10 * rank", {{1, {0, 0}}, {2, {1, 10}}, {3, {2, 30}}, {4, {3, 60}}, {8, {7, 280}}}},
        Row{"scatter", "10", {{1, {0, 0}}, {2, {1, 10}}, {3, {2, 20}}, {4, {3, 40}}, {8, {7, 120}}}},
        Row{"scatterv", "10 * rank", {{1, {0, 0}}, {2, {1, 10}}, {3, {2, 30}}, {4, {3, 60}}, {8, {7, 280}}}},
        // Everybody gets what the others have; 3 by Bruck, others by doubling.
        Row{"allgather", "10", {{1, {0, 0}}, {2, {2, 20}}, {3, {6, 60}}, {4, {8, 120}}, {8, {24, 560}}}},
        // Ring for 2; gatherv and bcast for 3, 4 and 8.
        Row{"allgatherv",
            "10 * rank",
            {{1, {0, 0}}, {2, {2, 10}}, {3, {4, 90}}, {4, {6, 240}}, {8, {14, 2240}}}},
        // Neighbour exchange of 4: one block, then two.
        Row{"allgatherv", "1000", {{4, {8, 12000}}}},
        Row{"alltoall", "10", {{1, {0, 0}}, {2, {2, 20}}, {3, {6, 60}}, {4, {12, 120}}, {8, {56, 560}}}},
        Row{"alltoallv",
            "10 * rank + peer",
            {{1, {0, 0}}, {2, {2, 11}}, {3, {6, 66}}, {4, {12, 198}}, {8, {56, 2156}}}},
        // Ring for 2 and 3; recursive halving for 4 and 8.
        Row{"reduce_scatter", "10", {{1, {0, 0}}, {2, {2, 20}}, {3, {6, 60}}, {4, {8, 120}}, {8, {24, 560}}}},
        Row{"reduce_scatter_block", "10", {{2, {2, 20}}, {4, {8, 120}}}},
        Row{"scan", "10", {{1, {0, 0}}, {2, {1, 10}}, {3, {2, 20}}, {4, {3, 30}}, {8, {7, 70}}}},
        Row{"exscan", "10", {{2, {1, 10}}, {8, {7, 70}}}}),
    [](const auto& row) { return row.param.call + "_" + std::to_string(row.index); });

/// Every row of every choice ends for every root, and includes every member.
TEST(CollectiveChoices, AllMessagesMatch) {
  for (const collectives::Kind& kind : collectives::collective_table())
    for (const int p : {2, 3, 5, 6, 7, 12, 16, 20, 33, 64})
      for (const double bytes : {1.0, 40.0, 300.0, 3000.0, 20000.0, 50000.0, 100000.0, 300000.0, 3e6})
        EXPECT_GE(traffic(kind.name, std::to_string(bytes), p, p > 2 ? "2" : "1").messages + 1,
                  static_cast<std::size_t>(p))
            << kind.name << " of " << p << " with " << bytes;
}

TEST(CollectiveChoices, ManyMembersHaveTheirAlgorithms) {
  for (const char* call : {"barrier", "bcast", "reduce", "allreduce", "allgather", "reduce_scatter"})
    EXPECT_GE(traffic(call, "20000", 260).messages, 259U) << call;
}

TEST(CollectiveSteps, AlltoallvOfThreeIsPairwise) {
  const Program program = program_with("alltoallv", "10 * rank + peer", 3);
  std::vector<std::pair<int, double>> sends;
  for (const Op& op : program.ops_of(1))
    if (op.kind == OpKind::send) sends.emplace_back(op.peer, op.amount);
  EXPECT_THAT(sends, testing::ElementsAre(std::pair(2, 12.0), std::pair(0, 10.0)));
}

TEST(CollectiveSteps, RootOfALinearBarrierAnswersOneAfterTheOther) {
  const Program program = program_with("barrier", "0", 4);
  std::vector<std::pair<int, bool>> answers;
  for (const Op& op : program.ops_of(0))
    if (op.kind == OpKind::send) answers.emplace_back(op.peer, op.request == no_request);
  EXPECT_THAT(answers, testing::ElementsAre(std::pair(1, true), std::pair(2, true), std::pair(3, true)));
}

std::map<int, int> parents(const std::string& call, const std::string& bytes, int p,
                           const std::string& root) {
  std::map<int, int> parent;
  for (const MatchedMessage& message : evaluate(program_with(call, bytes, p, root), WholeSeconds()).messages)
    parent[message.destination] = message.source;
  return parent;
}

TEST(CollectiveSteps, BinaryBroadcastFromThreeHasItsTimes) {
  EXPECT_EQ(parents("bcast", "4096", 8, "3"),
            (std::map<int, int>{{4, 3}, {5, 3}, {6, 4}, {0, 4}, {7, 5}, {1, 5}, {2, 6}}));
}

TEST(CollectiveSteps, BinomialBroadcastFromThreeHasItsTimes) {
  // Distances from the root: 0 to 1, 2, 4; 1 to 3, 5; 2 to 6; 3 to 7.
  EXPECT_EQ(parents("bcast", "20000", 8, "3"),
            (std::map<int, int>{{4, 3}, {5, 3}, {7, 3}, {6, 4}, {0, 4}, {1, 5}, {2, 6}}));
}

// Seen of Open MPI 4.1.4 with its pml_monitoring.
TEST(CollectiveSteps, ChainReduceOfThreeHasItsTimes) {
  const auto messages = evaluate(program_with("reduce", "960000", 3), WholeSeconds()).messages;
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(std::pair(messages[0].source, messages[0].destination), std::pair(2, 1));
  EXPECT_EQ(std::pair(messages[1].source, messages[1].destination), std::pair(1, 0));
}

TEST(CollectiveSteps, KnomialBroadcastHasItsTimes) {
  EXPECT_EQ(parents("bcast", "1000", 10, "0"),
            (std::map<int, int>{{1, 0}, {2, 0}, {3, 0}, {4, 0}, {8, 0}, {5, 4}, {6, 4}, {7, 4}, {9, 8}}));
}

TEST(CollectiveSteps, ReductionCostsItsRate) {
  Graph graph = graph_of({step(Collective{"allreduce", formula("64"), formula("0"), {}})});
  graph.parameters.push_back({"reduction_s_per_byte", constant(0.5)});
  const Program program = expand(graph, {{"p", 2}});
  // Each reduces 64 bytes once, after 5 s for the other's message, sent at 0.
  EXPECT_EQ(evaluate(program, WholeSeconds()).makespan_s, 5 + 32);
}

TEST(CollectiveSteps, GroupsOfAGridCommunicateSeparately) {
  // Rows of a 2 x 2 grid: each pair for itself.
  const Group row{formula("rank - rank % 2"), formula("rank - rank % 2 + 1"), formula("1")};
  const Group column{formula("rank % 2"), formula("p - 1"), formula("2")};
  const Program program =
      expand(graph_of({step(Collective{"allreduce", formula("8"), formula("0"), row}),
                       step(Collective{"allreduce", formula("8"), formula("0"), column})}),
             {});
  std::vector<int> peers;
  for (const Op& op : program.ops_of(3))
    if (op.kind == OpKind::send) peers.push_back(op.peer);
  EXPECT_THAT(peers, testing::ElementsAre(2, 1));
}

TEST(CollectiveMeetings, MissingMembersAreNamed) {
  const Steps then{step(Collective{"barrier", formula("0"), formula("0"), {}}, 3)};
  EXPECT_EQ(failure(graph_of({step(Branch{formula("rank != 2"), then, {}})})),
            "g.yaml:3:1: rank 2 does not join 'barrier' (all ranks of a group make a collective call)");
}

TEST(CollectiveMeetings, DifferentCallsAreNamed) {
  const Steps then{step(Collective{"barrier", formula("0"), formula("0"), {}}, 3)};
  const Steps otherwise{step(Collective{"allreduce", formula("8"), formula("0"), {}}, 5)};
  EXPECT_EQ(
      failure(graph_of({step(Branch{formula("rank < 2"), then, otherwise})})),
      "g.yaml:3:1: 'barrier' meets 'allreduce' of rank 2 at g.yaml:5:1 (all ranks of a group make the same "
      "collective calls in the same order)");
}

TEST(CollectiveMeetings, DifferentRootsAreNamed) {
  EXPECT_EQ(
      failure(graph_of({step(Collective{"bcast", formula("8"), formula("rank"), {}})})),
      "g.yaml:1:1: root is 0 here, but 1 for rank 1 at g.yaml:1:1 (all ranks of a group name the same root)");
}

TEST(CollectiveMeetings, DifferentSizesAreNamed) {
  for (const char* call : {"bcast", "reduce", "allreduce", "scan", "exscan", "gather", "scatter", "allgather",
                           "alltoall", "reduce_scatter_block"})
    EXPECT_EQ(failure(graph_of({step(Collective{call, formula("8 * rank"), formula("0"), {}})})),
              "g.yaml:1:1: '" + std::string(call) +
                  "' has 0 bytes here, but 8 for rank 1 at g.yaml:1:1 (all ranks of a group name the same "
                  "size)");
}

TEST(CollectiveMeetings, SizesOfFittedLawsMayDifferALittle) {
  const auto allreduce = [](const char* bytes) {
    return graph_of({step(Collective{"allreduce", formula(bytes), formula("0"), {}})});
  };
  EXPECT_EQ(failure(allreduce("1000 + 3 * rank")), "none");
  EXPECT_EQ(failure(allreduce("1000 + 11 * rank")),
            "g.yaml:1:1: 'allreduce' has 1000 bytes here, but 1011 for rank 1 at g.yaml:1:1 (all ranks of a "
            "group name the same size)");
}

TEST(CollectiveMeetings, UnknownCallsAndRootsAreRefused) {
  EXPECT_EQ(
      failure(graph_of({step(Collective{"alreduce", formula("8"), formula("0"), {}})})),
      "g.yaml:1:1: unknown collective call 'alreduce' (valid: barrier, bcast, reduce, allreduce, gather, "
      "gatherv, scatter, scatterv, allgather, allgatherv, alltoall, alltoallv, reduce_scatter, "
      "reduce_scatter_block, scan, exscan); did you mean 'allreduce'?");
  EXPECT_EQ(failure(graph_of({step(Collective{"bcast", formula("8"), formula("p"), {}})})),
            "g.yaml:9:1: root = p is 4 (it must be from 0 to 3; p=4)");
}

}  // namespace
}  // namespace loadshare::timing_graph
