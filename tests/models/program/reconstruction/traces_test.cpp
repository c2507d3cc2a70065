#include "models/program/reconstruction/traces.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "models/program/collectives/table.hpp"
#include "tests/models/efficiency/waiting/profile_builder.hpp"

namespace loadshare::reconstruction {
namespace {

TEST(CollectiveNameTest, IsThatOfTheBlockingCall) {
  EXPECT_EQ(collective_name("MPI_Allreduce"), "allreduce");
  EXPECT_EQ(collective_name("MPI_Iallreduce"), "allreduce");
  EXPECT_EQ(collective_name("MPI_Ibcast"), "bcast");
  EXPECT_EQ(collective_name("MPI_Comm_dup"), std::nullopt);
}

// Four ranks; each piece has 100 bytes. A profile contains the sum of the contributed and received bytes.
TEST(CollectiveBytesTest, FollowTheCallsArguments) {
  constexpr double ranks = 4;
  EXPECT_EQ(collective_bytes("bcast", {100, ranks, false}), 100);
  EXPECT_EQ(collective_bytes("allreduce", {200, ranks, false}), 100);
  EXPECT_EQ(collective_bytes("reduce", {200, ranks, true}), 100);
  EXPECT_EQ(collective_bytes("reduce", {100, ranks, false}), 100);
  EXPECT_EQ(collective_bytes("gather", {500, ranks, true}), 100);
  EXPECT_EQ(collective_bytes("gather", {100, ranks, false}), 100);
  EXPECT_EQ(collective_bytes("scatterv", {500, ranks, true}), 100);
  EXPECT_EQ(collective_bytes("allgather", {500, ranks, false}), 100);
  EXPECT_EQ(collective_bytes("alltoall", {800, ranks, false}), 100);
  EXPECT_EQ(collective_bytes("alltoallv", {800, ranks, false}), 100);
  EXPECT_EQ(collective_bytes("reduce_scatter", {500, ranks, false}), 100);
  EXPECT_EQ(collective_bytes("reduce_scatter_block", {500, ranks, false}), 100);
  EXPECT_EQ(collective_bytes("barrier", {0, ranks, false}), 0);
}

TEST(CollectiveBytesTest, InPlaceOwnPieceIsAmongAll) {
  constexpr double ranks = 4;
  for (const char* call :
       {"gather", "gatherv", "scatter", "scatterv", "allgather", "allgatherv", "alltoall", "alltoallv"})
    EXPECT_EQ(collective_bytes(call, {400, ranks, true, true}), 100) << call;
  EXPECT_EQ(collective_bytes("scatterv", {100, ranks, false}), 100) << "who is not in place there";
  for (const char* call : {"reduce", "allreduce", "scan"})
    EXPECT_EQ(collective_bytes(call, {200, ranks, true, true}), 100) << call;
  EXPECT_EQ(collective_bytes("reduce_scatter", {500, ranks, false, true}), 100);
}

/// Returns the bytes that this rank contributes and receives in a call with four ranks, and pieces, vectors
/// or messages of 100 bytes, whose size has this meaning in timing graphs.
double told_of(const timing_graph::collectives::Kind& kind) {
  constexpr double ranks = 4;
  constexpr double size = 100;
  const bool goes_in_and_comes_out = kind.name != "bcast";
  switch (kind.bytes_of) {
    case timing_graph::collectives::BytesOf::nothing:
      return 0;
    case timing_graph::collectives::BytesOf::message:
      return goes_in_and_comes_out ? 2 * size : size;
    case timing_graph::collectives::BytesOf::equal_block:
    case timing_graph::collectives::BytesOf::own_block:
      return kind.name == "alltoall" ? 2 * ranks * size : (ranks + 1) * size;
    case timing_graph::collectives::BytesOf::pair:
      return 2 * ranks * size;
  }
  return 0;
}

TEST(CollectiveBytesTest, HaveTheMeaningOfTimingGraphs) {
  for (const timing_graph::collectives::Kind& kind : timing_graph::collectives::collective_table())
    EXPECT_EQ(collective_bytes(kind.name, {told_of(kind), 4, true}), kind.name == "barrier" ? 0 : 100)
        << kind.name;
}

using profile::CallId;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;
using waiting::ProfileBuilder;

constexpr std::int64_t us = 1000;

class TracesTest : public testing::Test {
 protected:
  TracesTest() {
    for (int rank = 0; rank < 2; ++rank) run_.rank(rank).places = {"", "f() at prog+0x1"};
  }

  std::vector<Trace> traced() { return traces_of(run_.built(1000 * us)); }

  ProfileBuilder run_{2};
};

TEST_F(TracesTest, ReturnsComputingBetweenCallsWithPlaces) {
  run_.call(0, CallId::Ssend, {100 * us, 200 * us}, {1, 7, 0, 64});
  run_.place(0, 1);
  const Trace trace = traced()[0];
  ASSERT_THAT(trace.elements, SizeIs(1));
  const Element& send = trace.elements[0];
  EXPECT_EQ(send.kind, ElementKind::send);
  EXPECT_EQ(send.mode, communication::SendMode::synchronous);
  EXPECT_EQ(send.site, "MPI_Ssend at f() at prog+0x1");
  EXPECT_DOUBLE_EQ(send.computing_s, 100e-6);
  EXPECT_EQ(send.to, 1);
  EXPECT_EQ(send.tag, 7);
  EXPECT_EQ(send.bytes, 64);
  EXPECT_DOUBLE_EQ(trace.computing_at_end_s, 800e-6);
}

TEST_F(TracesTest, LeavesOutUnsuccessfulTestsAndShortNaps) {
  run_.start(0, CallId::Irecv, {0, 1 * us}, {1, 7, 0, 64});
  const std::uint32_t request = run_.last_request();
  run_.in_vain(0, CallId::Test, {11 * us, 12 * us}, us);
  run_.call(0, CallId::Test, {62 * us, 63 * us});
  run_.received(0, {1, 7, 0, 64}, request);
  const Trace trace = traced()[0];
  ASSERT_THAT(trace.elements, SizeIs(2));
  EXPECT_EQ(trace.elements[0].request, request);
  EXPECT_EQ(trace.elements[1].kind, ElementKind::wait);
  EXPECT_THAT(trace.elements[1].completes, ElementsAre(request));
  EXPECT_NEAR(trace.elements[1].computing_s, 10e-6, 1e-12);
  EXPECT_EQ(trace.elements[1].site, "completion of MPI_Irecv");
}

// 800 us are outside MPI and 200 us inside it.
TEST_F(TracesTest, StolenTimeIsNotComputing) {
  run_.call(0, CallId::Comm_dup, {100 * us, 300 * us});
  run_.rank(0).stolen_ns = 200 * us;
  run_.rank(0).stolen_inside_ns = 20 * us;
  const Trace trace = traced()[0];
  ASSERT_THAT(trace.elements, SizeIs(1));
  EXPECT_NEAR(trace.elements[0].computing_s, 0.75 * 100e-6, 1e-12);
  EXPECT_NEAR(trace.elements[0].own_s, 0.9 * 200e-6, 1e-12);
  EXPECT_NEAR(trace.computing_at_end_s, 0.75 * 700e-6, 1e-12);
  EXPECT_NEAR(trace.stolen_s, 220e-6, 1e-12);
}

// The call's time is copying; the computing belongs before the next one.
TEST(TracesOfOneRankTest, HaveTheCollectivesOfRunsOnMoreRanks) {
  ProfileBuilder alone(1);
  alone.rank(0).places = {""};
  alone.call(0, CallId::Allgather, {100 * us, 300 * us}, {-1, 0, 0, 200});
  alone.rank(0).stolen_inside_ns = 20 * us;
  const Trace trace = traces_of(alone.built(1000 * us))[0];
  ASSERT_THAT(trace.elements, SizeIs(1));
  EXPECT_EQ(trace.elements[0].kind, ElementKind::collective);
  EXPECT_EQ(trace.elements[0].call, "allgather");
  EXPECT_EQ(trace.elements[0].bytes, 100);
  EXPECT_TRUE(trace.elements[0].is_of_all);
  EXPECT_NEAR(trace.elements[0].computing_s, 100e-6, 1e-12);
  EXPECT_NEAR(trace.computing_at_end_s, 0.9 * 200e-6 + 700e-6, 1e-12);
}

TEST_F(TracesTest, SubtractsStolenTimeOfCountedPartsOnly) {
  profile::RankProfile& rank = run_.rank(0);
  run_.call(0, CallId::Pcontrol, {100 * us, 100 * us}, {-1, 1, 0, 0});
  run_.call(0, CallId::Barrier, {500 * us, 600 * us});
  rank.stolen_ns = 450 * us;
  rank.counted = {
      .spans = {{100 * us, 1000 * us}}, .inside_ns = 100 * us, .outside_ns = 800 * us, .stolen_ns = 400 * us};
  const Trace trace = traced()[0];
  ASSERT_THAT(trace.elements, SizeIs(1));
  EXPECT_NEAR(trace.elements[0].computing_s, 0.5 * 400e-6, 1e-12);
}

TEST_F(TracesTest, PlacesACollectiveAtItsCompletion) {
  run_.start(0, CallId::Iallreduce, {0, 1 * us}, {-1, -1, 0, 200});
  const std::uint32_t request = run_.last_request();
  run_.call(0, CallId::Wait, {50 * us, 60 * us});
  run_.completed(0, request);
  const Trace trace = traced()[0];
  ASSERT_THAT(trace.elements, SizeIs(1));
  EXPECT_EQ(trace.elements[0].kind, ElementKind::collective);
  EXPECT_EQ(trace.elements[0].call, "allreduce");
  EXPECT_EQ(trace.elements[0].bytes, 100);
  EXPECT_NEAR(trace.elements[0].computing_s, 49e-6, 1e-12);
}

TEST_F(TracesTest, ReturnsBothSidesOfAnExchange) {
  run_.call(0, CallId::Sendrecv, {0, 10 * us}, {1, 3, 0, 64});
  run_.received(0, {1, 4, 0, 32});
  const Trace trace = traced()[0];
  ASSERT_THAT(trace.elements, SizeIs(1));
  EXPECT_EQ(trace.elements[0].kind, ElementKind::exchange);
  EXPECT_EQ(trace.elements[0].to, 1);
  EXPECT_EQ(trace.elements[0].tag, 3);
  EXPECT_EQ(trace.elements[0].from, 1);
  EXPECT_EQ(trace.elements[0].from_tag, 4);
}

TEST_F(TracesTest, CountsOtherCallsFromTheLastArrival) {
  run_.call(0, CallId::Comm_dup, {0, 50 * us});
  run_.call(1, CallId::Comm_dup, {40 * us, 52 * us});
  const std::vector<Trace> traces = traced();
  EXPECT_EQ(traces[0].elements[0].kind, ElementKind::other);
  EXPECT_TRUE(traces[0].elements[0].meets_all);
  EXPECT_NEAR(traces[0].elements[0].own_s, 10e-6, 1e-12);
  EXPECT_NEAR(traces[1].elements[0].own_s, 12e-6, 1e-12);
}

TEST_F(TracesTest, IgnoresMessagesToMpiProcNull) {
  run_.call(0, CallId::Send, {10 * us, 11 * us}, {-1, 7, 0, 64});
  run_.call(0, CallId::Barrier, {20 * us, 21 * us});
  const Trace trace = traced()[0];
  ASSERT_THAT(trace.elements, SizeIs(1));
  EXPECT_NEAR(trace.elements[0].computing_s, 19e-6, 1e-12);
}

TEST_F(TracesTest, LeavesOutPartsThatDoNotCount) {
  const auto control = [this](std::int64_t at_us, int level) {
    run_.call(0, CallId::Pcontrol, {at_us * us, at_us * us}, {-1, level, 0, 0});
  };
  run_.call(0, CallId::Barrier, {10 * us, 20 * us});
  control(30, 1);
  run_.call(0, CallId::Allreduce, {40 * us, 50 * us});
  control(65, 0);
  run_.call(0, CallId::Barrier, {70 * us, 80 * us});
  const std::vector<Trace> traces = traced();
  ASSERT_THAT(traces[0].elements, SizeIs(1));
  EXPECT_NEAR(traces[0].elements[0].computing_s, 10e-6, 1e-12);
  EXPECT_NEAR(traces[0].computing_at_end_s, 15e-6, 1e-12);
  EXPECT_NEAR(makespan_s(std::span(traces).first(1)), 35e-6, 1e-12);
}

TEST_F(TracesTest, AddsUpTheSectionsThatCount) {
  const auto control = [this](std::int64_t at_us, int level) {
    run_.call(0, CallId::Pcontrol, {at_us * us, at_us * us}, {-1, level, 0, 0});
  };
  control(100, 1);
  control(200, 0);
  control(700, 1);
  control(900, 0);
  const std::vector<Trace> traces = traced();
  EXPECT_NEAR(makespan_s(std::span(traces).first(1)), 300e-6, 1e-12);
  EXPECT_EQ(makespan_s({}), 0);
}

TEST_F(TracesTest, RefusesToWaitForUncountedRequests) {
  run_.start(0, CallId::Irecv, {0, 1 * us}, {1, 7, 0, 64});
  const std::uint32_t request = run_.last_request();
  run_.call(0, CallId::Pcontrol, {10 * us, 10 * us}, {-1, 1, 0, 0});
  run_.call(0, CallId::Wait, {50 * us, 60 * us});
  run_.received(0, {1, 7, 0, 64}, request);
  try {
    traced();
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "MPI_Wait of rank 0 waits for a message that was begun in a part that does not count (the "
                 "program called MPI_Pcontrol between the two); put both on one side of that call");
  }
}

TEST_F(TracesTest, SeparatesCommunicators) {
  const std::uint16_t copy = run_.communicator({0, 1});
  run_.call(0, CallId::Send, {0, 1 * us}, {1, 5, 0, 64});
  run_.call(0, CallId::Send, {2 * us, 3 * us}, {1, 5, copy, 64});
  run_.call(1, CallId::Recv, {0, 1 * us}, {0, 5, copy, 64});
  const std::vector<Trace> traces = traced();
  EXPECT_EQ(traces[0].elements[0].tag, 5);
  EXPECT_EQ(traces[0].elements[1].tag, (1 << 20) + 5);
  EXPECT_EQ(traces[1].elements[0].from_tag, (1 << 20) + 5);
}

TEST_F(TracesTest, NamesATagThatDoesNotFit) {
  const std::uint16_t copy = run_.communicator({0, 1});
  run_.call(0, CallId::Send, {0, 1 * us}, {1, 1 << 20, copy, 64});
  try {
    traced();
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_STREQ(error.what(),
                 "a message on one of the program's own communicators has tag 1048576 (timing graphs support "
                 "only tags below 1048576 there)");
  }
}

TEST_F(TracesTest, ReportsWaitingLostInAnUnknownCollective) {
  const std::uint16_t turned = run_.communicator({1, 0});
  run_.call(0, CallId::Bcast, {0, 10 * us}, {1, -1, turned, 64});
  run_.call(0, CallId::Allreduce, {20 * us, 30 * us}, {-1, -1, turned, 64});
  const Trace trace = traced()[0];
  ASSERT_THAT(trace.elements, SizeIs(2));
  EXPECT_TRUE(trace.elements[0].loses_waiting);
  EXPECT_FALSE(trace.elements[1].loses_waiting);
  EXPECT_TRUE(trace.elements[1].meets_all);
}

TEST_F(TracesTest, RefusesAProfileThatLacksEvents) {
  run_.rank(1).events_dropped = 3;
  try {
    traced();
    FAIL() << "no error";
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("the profile of 'made up' is not complete (a timing graph needs every "
                          "call of every rank); profile it again"));
  }
}

}  // namespace
}  // namespace loadshare::reconstruction
