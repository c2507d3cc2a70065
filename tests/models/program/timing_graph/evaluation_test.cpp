#include "models/program/timing_graph/evaluation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.hpp"
#include "models/messages/message_costs.hpp"
#include "tests/models/program/timing_graph/made_programs.hpp"

namespace loadshare::timing_graph {
namespace {

using communication::SendMode;
using testing::ElementsAre;
using testing::IsEmpty;

Evaluation evaluated(std::initializer_list<std::vector<Op>> processes, double port_s = 0) {
  return evaluate(program_of(processes), WholeSeconds(port_s));
}

std::string failure(std::initializer_list<std::vector<Op>> processes) {
  try {
    evaluated(processes);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "none";
}

MATCHER_P4(Times, computing_s, communicating_s, idle_s, finish_s, "") {
  return arg.computing_s == computing_s && arg.communicating_s == communicating_s && arg.idle_s == idle_s &&
         arg.finish_s == finish_s;
}

TEST(Evaluation, ReceivePostedBeforeTakesTheMessageOnArrival) {
  // Sent at 10: the send returns at 12, the message is there at 15.
  const Evaluation done = evaluated({{compute(10), send(1, 8)}, {receive(0)}});
  EXPECT_THAT(done.processes, ElementsAre(Times(10, 2, 0, 12), Times(0, 5, 10, 15)));
  EXPECT_EQ(done.makespan_s, 15);
}

TEST(Evaluation, ReceivePostedAtTheTimeOfTheSendCountsAsBefore) {
  EXPECT_THAT(finishes(evaluated({{send(1, 8)}, {receive(0)}})), ElementsAre(2, 5));
  EXPECT_THAT(finishes(evaluated({{receive(1)}, {send(0, 8)}})), ElementsAre(5, 2));
}

TEST(Evaluation, EagerSendDoesNotWaitForALateReceiver) {
  // The receive comes at 20, long after the message: one second to take it.
  const Evaluation done = evaluated({{send(1, 8)}, {compute(20), receive(0)}});
  EXPECT_THAT(done.processes, ElementsAre(Times(0, 3, 0, 3), Times(20, 1, 0, 21)));
}

TEST(Evaluation, ReceiveWaitsForAnEagerMessageOnItsWay) {
  // The receive comes at 2; the message, sent at 0, is there at 5.
  EXPECT_THAT(evaluated({{send(1, 8)}, {compute(2), receive(0)}}).processes,
              ElementsAre(Times(0, 3, 0, 3), Times(2, 3, 0, 5)));
}

TEST(Evaluation, LargeStandardSendWaitsForItsReceive) {
  const Evaluation done = evaluated({{send(1, 100)}, {compute(20), receive(0)}});
  EXPECT_THAT(done.processes, ElementsAre(Times(0, 4, 20, 24), Times(20, 7, 0, 27)));
}

TEST(Evaluation, SynchronousWaitsAtAnySizeAndBufferedAtNone) {
  EXPECT_THAT(finishes(evaluated({{send(1, 1, SendMode::synchronous)}, {compute(20), receive(0)}})),
              ElementsAre(24, 27));
  EXPECT_THAT(finishes(evaluated({{send(1, 1000, SendMode::buffered)}, {compute(20), receive(0)}})),
              ElementsAre(3, 21));
}

TEST(Evaluation, ReadySendBeforeItsReceiveIsNoted) {
  const Evaluation late = evaluated({{send(1, 8, SendMode::ready)}, {compute(20), receive(0)}});
  EXPECT_THAT(late.notes, ElementsAre("0.yaml:1:1: a ready send begins before its receive is posted, which "
                                      "MPI forbids ('0.1'); it is treated as a standard send"));
  EXPECT_THAT(evaluated({{compute(1), send(1, 8, SendMode::ready)}, {receive(0)}}).notes, IsEmpty());
}

TEST(Evaluation, NonBlockingSendOverlapsComputing) {
  // Begun at 0, its receive posted at 6: done at 10, while its process computes until 8.
  const Evaluation done =
      evaluated({{begun(send(1, 100), 0), compute(8), wait(0)}, {compute(6), receive(0)}});
  EXPECT_THAT(done.processes, ElementsAre(Times(8, 2, 0, 10), Times(6, 7, 0, 13)));
}

TEST(Evaluation, NonBlockingReceiveIsPostedBefore) {
  EXPECT_THAT(
      evaluated({{compute(10), send(1, 100)}, {begun(receive(0), 0), compute(14), wait(0)}}).processes,
      ElementsAre(Times(10, 2, 0, 12), Times(14, 1, 0, 15)));
}

TEST(Evaluation, WaitForACompletedRequestCostsNothing) {
  EXPECT_THAT(evaluated({{send(1, 8)}, {begun(receive(0), 0), compute(30), wait(0)}}).processes,
              ElementsAre(Times(0, 2, 0, 2), Times(30, 0, 0, 30)));
}

TEST(Evaluation, MessagesOfOneTagKeepTheirOrder) {
  const Evaluation done = evaluated({{send(1, 8, SendMode::standard, 1), send(1, 9, SendMode::standard, 2),
                                      send(1, 10, SendMode::standard, 1)},
                                     {compute(100), receive(0, 2), receive(0, 1), receive(0, 1)}});
  std::vector<std::pair<double, std::uint32_t>> matched;
  for (const MatchedMessage& message : done.messages) matched.emplace_back(message.bytes, message.receive);
  EXPECT_THAT(matched, ElementsAre(std::pair(8.0, 5U), std::pair(9.0, 4U), std::pair(10.0, 6U)));
}

TEST(Evaluation, ReceiveFromAnyTakesTheEarliest) {
  const Evaluation done = evaluated({{compute(50), receive(any_source), receive(any_source)},
                                     {compute(9), send(0, 8)},
                                     {compute(4), send(0, 8)}});
  EXPECT_EQ(done.messages[0].source, 2);
  EXPECT_EQ(done.messages[0].receive, 1U);
  EXPECT_EQ(done.messages[1].receive, 2U);
}

TEST(Evaluation, TwoMessagesShareTheReceiversPort) {
  // Both leave at 0 and each keeps the way in for 10 s: the second gets through 10 s later.
  const Evaluation done = evaluated(
      {{begun(receive(1), 0), begun(receive(2), 1), wait(0), wait(1)}, {send(0, 8)}, {send(0, 8)}}, 10);
  EXPECT_THAT(finishes(done), ElementsAre(15, 2, 2));
}

TEST(Evaluation, TwoMessagesShareTheSendersPort) {
  // Non-blocking sends at 0; the second leaves at 10 and arrives at 15. A message that waits for its receive
  // is held.
  EXPECT_THAT(
      finishes(evaluated(
          {{begun(send(1, 100), 0), begun(send(2, 100), 1), wait(0), wait(1)}, {receive(0)}, {receive(0)}},
          10)),
      ElementsAre(12, 5, 15));
  EXPECT_THAT(finishes(evaluated({{send(1, 8), send(2, 8)}, {receive(0)}, {receive(0)}}, 10)),
              ElementsAre(4, 5, 15));
}

TEST(Evaluation, PortsAreTakenInTheOrderOfTime) {
  // Process 1's second message waits for its own way out until 10. Were the way into process 0 reserved for
  // it at 0, when it was sent, the message of process 2, which reaches it at 3, would wait until 20.
  const Evaluation done = evaluated({{begun(receive(1), 0), begun(receive(2), 1), wait(1), wait(0)},
                                     {begun(send(3, 8), 0), begun(send(0, 8), 1), wait(0), wait(1)},
                                     {compute(3), send(0, 8)},
                                     {receive(1)}},
                                    10);
  // Process 2's: in at 3, here at 8. Process 1's, sent at 2: out at 10, in at 13, here at 18.
  EXPECT_THAT(finishes(done), ElementsAre(18, 4, 5, 5));
}

TEST(Evaluation, EagerSendsBehindATakenWayOutReturnInTheOrderOfTime) {
  // Process 0 sends at 0 and 2; the second message leaves at 10. Its receive is posted at 4, before process 3
  // sends at 9: in at 9, here at 14.
  const Evaluation done = evaluated(
      {{send(1, 8), send(2, 8), receive(3)}, {receive(0)}, {receive(0)}, {compute(9), send(0, 100)}}, 10);
  EXPECT_THAT(finishes(done), ElementsAre(14, 5, 15, 11));
}

TEST(Evaluation, BegunEagerSendsAreCopiedOneAfterTheOther) {
  const Evaluation done = evaluated(
      {{begun(send(1, 8), 0), begun(send(2, 8), 1), begun(send(3, 8), 2), wait(0), wait(1), wait(2)},
       {receive(0)},
       {receive(0)},
       {receive(0)}});
  EXPECT_THAT(finishes(done), ElementsAre(6, 5, 7, 9));
}

TEST(Evaluation, BegunReceivesAreTakenOneAfterTheOther) {
  // All three come at 5; to take each is a second, the first's from 4 on.
  const Evaluation done = evaluated(
      {{begun(receive(1), 0), begun(receive(2), 1), begun(receive(3), 2), wait(0), wait(1), wait(2)},
       {send(0, 8)},
       {send(0, 8)},
       {send(0, 8)}});
  EXPECT_THAT(finishes(done), ElementsAre(7, 2, 2, 2));
}

TEST(Evaluation, ReceiverOfMessagesThatWaitCopiesOneAfterTheOther) {
  // The copying begins at 0, 5 and 10, and holds the sender that waits for it.
  const Evaluation done = evaluated(
      {{begun(receive(1), 0), begun(receive(2), 1), begun(receive(3), 2), wait(0), wait(1), wait(2)},
       {send(0, 100)},
       {send(0, 100)},
       {send(0, 100)}});
  EXPECT_THAT(finishes(done), ElementsAre(15, 2, 7, 12));
}

TEST(Evaluation, SenderOfMessagesThatWaitCopiesNothing) {
  const Evaluation done = evaluated(
      {{begun(send(1, 100), 0), begun(send(2, 100), 1), wait(0), wait(1)}, {receive(0)}, {receive(0)}});
  EXPECT_THAT(finishes(done), ElementsAre(2, 5, 5));
}

TEST(Evaluation, SendWaitsForTheProcessorsCopies) {
  // Process 0 copies process 1's message from 0 to 5; its own is copied from 5 to 7, here at 10.
  const Evaluation done =
      evaluated({{begun(receive(1), 0), compute(1), send(2, 8), wait(0)}, {send(0, 100)}, {receive(0)}});
  EXPECT_THAT(done.processes, ElementsAre(Times(1, 6, 0, 7), Times(0, 2, 0, 2), Times(0, 5, 5, 10)));
}

TEST(Evaluation, ProcessesOfAHostShareItsPorts) {
  // Both messages leave the host of processes 0 and 1: the second at 10, held like a second of one process.
  const Program program = program_of({{send(2, 8)}, {send(3, 8)}, {receive(0)}, {receive(1)}});
  const WholeSeconds costs(10);
  EXPECT_THAT(finishes(evaluate(program, Placement{&costs, {0, 0, 1, 2}})), ElementsAre(2, 2, 5, 15));
  EXPECT_THAT(finishes(evaluate(program, Placement{&costs, {0, 0, 1, 1}})), ElementsAre(2, 2, 5, 15));
  EXPECT_THAT(finishes(evaluate(program, costs)), ElementsAre(2, 2, 5, 5));
}

TEST(Evaluation, MessagesInsideAHostHaveTheirOwnCosts) {
  const Program program = program_of({{send(1, 8), send(2, 8)}, {receive(0)}, {receive(0)}});
  const WholeSeconds costs(10);
  const communication::LinearCosts inside({.latency_s = 0.25, .bandwidth_bytes_per_s = 16});
  const Placement placement{&costs, {0, 0, 1}, &inside};
  const Evaluation done = evaluate(program, placement);
  // Half a second to copy it, there after a quarter more; the other takes the way out from then on.
  EXPECT_THAT(finishes(done), ElementsAre(2.5, 0.75, 5.5));
  EXPECT_THAT(sum_of_parts(program, done.messages, placement).processes,
              ElementsAre(Times(0, 2.5, 0, 2.5), Times(0, 0.75, 0, 0.75), Times(0, 5, 0, 5)));
}

using PathStep = std::tuple<std::string, double, double>;

std::vector<PathStep> path_of(const Program& program, double port_s) {
  std::vector<PathStep> steps;
  for (const PathPart& part : evaluate(program, WholeSeconds(port_s)).critical_path)
    steps.emplace_back(program.origins[part.origin].name, part.begin_s, part.end_s);
  return steps;
}

TEST(Evaluation, CriticalPathGoesByTheMessageThatHeldThePort) {
  // Process 2's message waits until process 1's, sent at 3, is through, and that is what to make shorter.
  const Program program = program_of({{begun(receive(1), 0), begun(receive(2), 1), wait(0), wait(1)},
                                      {compute(3), send(0, 8)},
                                      {compute(4), send(0, 8)}});
  EXPECT_THAT(path_of(program, 10),
              ElementsAre(PathStep("1.1", 0, 3), PathStep("1.2", 3, 13), PathStep("0.4", 13, 18)));
}

TEST(Evaluation, CriticalPathGoesByAllTheMessagesBefore) {
  // Out of process 1 at 0, 10 and 20.
  const Program program =
      program_of({{send(1, 8), send(2, 8), send(3, 8)}, {receive(0)}, {receive(0)}, {receive(0)}});
  EXPECT_THAT(path_of(program, 10),
              ElementsAre(PathStep("0.1", 0, 10), PathStep("0.2", 10, 20), PathStep("3.1", 20, 25)));
}

TEST(Evaluation, CriticalPathGoesByTheMessageThatHeldTheProcessor) {
  const Program program = program_of(
      {{begun(receive(1), 0), begun(receive(2), 1), wait(0), wait(1)}, {send(0, 100)}, {send(0, 100)}});
  EXPECT_THAT(path_of(program, 0), ElementsAre(PathStep("1.1", 0, 5), PathStep("0.4", 5, 10)));
}

TEST(Evaluation, CriticalPathCrossesToTheSender) {
  const Program program =
      program_of({{compute(10), send(1, 8), compute(1)}, {compute(4), receive(0), compute(6)}});
  const Evaluation done = evaluate(program, WholeSeconds());
  std::vector<std::tuple<int, std::string, double, double>> parts;
  for (const PathPart& part : done.critical_path)
    parts.emplace_back(part.process, program.origins[part.origin].name, part.begin_s, part.end_s);
  EXPECT_THAT(parts, ElementsAre(std::tuple(0, "0.1", 0, 10), std::tuple(1, "1.2", 10, 15),
                                 std::tuple(1, "1.3", 15, 21)));
}

TEST(Evaluation, CriticalPathCrossesToALateReceiver) {
  const Program program = program_of({{send(1, 100), compute(10)}, {compute(20), receive(0)}});
  const Evaluation done = evaluate(program, WholeSeconds());
  std::vector<std::tuple<int, double, double>> parts;
  for (const PathPart& part : done.critical_path) parts.emplace_back(part.process, part.begin_s, part.end_s);
  EXPECT_THAT(parts, ElementsAre(std::tuple(1, 0, 20), std::tuple(0, 20, 24), std::tuple(0, 24, 34)));
}

TEST(Evaluation, EmptyProgramTakesNoTime) {
  EXPECT_EQ(evaluated({{}, {}}).makespan_s, 0);
  EXPECT_THAT(evaluated({{}}).critical_path, IsEmpty());
}

TEST(Evaluation, CircleIsNamed) {
  EXPECT_EQ(
      failure({{send(1, 100), receive(1)}, {send(0, 100), receive(0)}}),
      "0.yaml:1:1: processes wait for one another in a circle (process 0 sends to process 1 in '0.1' at "
      "0.yaml:1:1; process 1 sends to process 0 in '1.1' at 1.yaml:1:1); a standard send of that size waits "
      "with these costs, as MPI allows: begin one with a request, or send and receive in one exchange");
  EXPECT_EQ(
      failure({{receive(1)}, {receive(2)}, {receive(1)}}),
      "1.yaml:1:1: processes wait for one another in a circle (process 1 receives from process 2 in '1.1' at "
      "1.yaml:1:1; process 2 receives from process 1 in '2.1' at 2.yaml:1:1)");
  EXPECT_EQ(
      failure({{receive(0)}}),
      "0.yaml:1:1: a process waits for itself (process 0 receives from process 0 in '0.1' at 0.yaml:1:1)");
  EXPECT_EQ(
      failure({{begun(receive(1), 0), wait(0)}, {receive(0)}}),
      "0.yaml:1:1: processes wait for one another in a circle (process 0 receives from process 1 in '0.1' at "
      "0.yaml:1:1; process 1 receives from process 0 in '1.1' at 1.yaml:1:1)");
}

TEST(Evaluation, UnmatchedMessageIsNamed) {
  EXPECT_EQ(failure({{compute(1), send(1, 8)}, {}}),
            "0.yaml:2:1: a send has no receive (process 0 sends to process 1 in '0.2', tag 0)");
  EXPECT_EQ(failure({{send(1, 100)}, {}}),
            "0.yaml:1:1: a send has no receive (process 0 sends to process 1 in '0.1', tag 0)");
  EXPECT_EQ(failure({{}, {receive(0, 7)}}),
            "1.yaml:1:1: a receive has no send (process 1 receives from process 0 in '1.1', tag 7)");
  EXPECT_EQ(failure({{receive(any_source)}, {}}),
            "0.yaml:1:1: a receive has no send (process 0 receives from any process in '0.1')");
  EXPECT_EQ(failure({{begun(receive(1), 0)}, {}}),
            "0.yaml:1:1: a receive has no send (process 0 receives from process 1 in '0.1')");
}

TEST(SumOfParts, SidesOfAllProcessesAddUp) {
  const Program program = program_of({{compute(10), send(1, 8), compute(1)}, {compute(20), receive(0)}});
  const SumOfParts sum = sum_of_parts(program, evaluate(program, WholeSeconds()).messages, WholeSeconds());
  EXPECT_THAT(sum.processes, ElementsAre(Times(11, 2, 0, 13), Times(20, 5, 0, 25)));
  EXPECT_EQ(sum.t_exec_s, 25);
}

}  // namespace
}  // namespace loadshare::timing_graph
