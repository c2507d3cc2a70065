#include <gmock/gmock.h>

#include <deque>
#include <limits>
#include <mutex>

#include "runtime/farm/rank_report.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/tcp/bounded_notes.hpp"
#include "runtime/transport/tcp/master_line.hpp"
#include "tests/runtime/farm/squares.hpp"
#include "tests/runtime/transport/tcp/tcp_ranks.hpp"

// A member that breaks the protocol costs the run no more than itself.

namespace loadshare::test {
namespace {

using namespace tcp;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

constexpr double rogue_patience_s = 10;

/// A process that a test drives by hand: it can compute its chunks, and send any frame.
class Rogue final {
 public:
  explicit Rogue(const std::string& address) : dialled_(dial(loop_, {.join = address}, rogue_patience_s)) {
    line().start({.take = [this](const Frame& frame) { take(frame); },
                  .ended = [this](const std::string&) { has_ended = true; }});
  }
  ~Rogue() { line().close(); }
  Rogue(const Rogue&) = delete;
  Rogue& operator=(const Rogue&) = delete;

  Connection& line() { return *dialled_.line; }
  template <class Done>
  bool await(Done&& is_done) {
    for (const double end_s = monotonic_s() + rogue_patience_s; !is_done() && monotonic_s() < end_s;)
      loop_.wait(0.05);
    return is_done();
  }
  void join(const Hello& who = own_hello(1)) {
    line().send(who);
    await([this] { return rank != 0 || refusal || has_ended; });
    if (rank != 0) line().send(Ready{.run = 1});
  }
  OrderMessage next_order() {
    await([this] { return !orders.empty() || has_stopped || has_ended; });
    if (orders.empty()) return {};
    const OrderMessage order = orders.front();
    orders.pop_front();
    return order;
  }
  /// The squares of test::Squares.
  void compute(const OrderMessage& order) {
    std::vector<double> squares;
    for (Index i = order.chunk.first; i < order.chunk.end(); ++i)
      squares.push_back(static_cast<double>(i + 1) * static_cast<double>(i + 1));
    line().send(ResultPart{order.task, 0}, std::as_bytes(std::span(squares)));
    const double now_s = monotonic_s();
    line().send(ReportMessage{.task = order.task, .is_timed = 1, .stamps = {now_s, now_s, now_s, 0}});
  }
  /// Until the run is over.
  void compute_all() {
    while (!has_stopped && !has_ended)
      if (const OrderMessage order = next_order(); order.task.run != 0) compute(order);
  }
  /// Until the master goes on.
  void answer(std::string_view text) {
    const int before = texts;
    line().send(AnswerPart{1, text.size()}, std::as_bytes(std::span(text)));
    await([&] { return texts > before || has_ended; });
  }

  std::uint32_t rank = 0;
  std::optional<Refusal> refusal;
  std::deque<OrderMessage> orders;
  int texts = 0;
  bool has_stopped = false, has_ended = false;

 private:
  void take(const Frame& frame) {
    if (frame.kind == FrameKind::welcome) rank = decode<Welcome>(frame).rank;
    if (frame.kind == FrameKind::refusal) refusal = decode<Refusal>(frame);
    if (frame.kind == FrameKind::order) orders.push_back(decode<OrderMessage>(frame));
    has_stopped = has_stopped || frame.kind == FrameKind::stop;
    texts += frame.kind == FrameKind::text ? 1 : 0;
  }

  Loop loop_;
  Dialled dialled_;
};

/// The outcome of a run of a master and its own worker with a rogue.
struct Beside {
  RunRecord record;
  Index first_wrong = 0;
  std::vector<std::string> notes;
};

Beside run_beside(const std::function<void(Rogue&)>& act, Index expected = 2) {
  Beside beside;
  std::mutex notes_mutex;
  std::jthread rogue;
  FarmOptions options{.scheduler = "send:1",
                      .workers = 1,
                      .on_failure = "retry:3",
                      .network = {.listen = "127.0.0.1:0", .expect = expected, .start_after_s = 5}};
  if (expected == 0) options.network.start_after_s = 0;
  const auto start = note_address([&](const std::string& address) {
    rogue = std::jthread([&act, address] {
      Rogue one(address);
      act(one);
    });
  });
  options.network.note = [&](const std::string& note) {
    {
      const std::lock_guard lock(notes_mutex);
      beside.notes.push_back(note);
    }
    start(note);
  };
  {
    Farm farm(options);
    Squares squares(farm, 60, 1, 0, Memory::farm);
    squares.sleep_s = 5e-3;
    beside.record = farm.run(squares);
    beside.first_wrong = squares.first_wrong();
  }
  rogue.join();
  return beside;
}

/// The checks that hold whatever the rogue does.
void expect_good(const Beside& beside) {
  EXPECT_EQ(beside.first_wrong, -1);
  EXPECT_EQ(beside.record.iterations, 60);
  const auto is_plain = [](const std::string& text) {
    return std::ranges::none_of(text, [](char letter) { return static_cast<unsigned char>(letter) < ' '; });
  };
  for (const auto& texts : {beside.notes, beside.record.notes, beside.record.hosts})
    for (const std::string& text : texts) EXPECT_TRUE(is_plain(text)) << text;
}

/// A report in the name of the rogue, whose rank is 2: the one worker of the master comes before.
RankReport own_report() {
  RankReport report = describe_process(2);
  report.workers.resize(1);
  return report;
}

std::string report_with(const std::function<void(RankReport&)>& change) {
  RankReport report = own_report();
  change(report);
  return encode(report);
}

TEST(RogueMember, WithAnUnreadableEndReportLosesItAlone) {
  const std::vector<std::string> reports{
      "hello",
      "{}",
      "\xff\xff\xff",
      "null",
      std::string(5000, '['),
      report_with([](RankReport& report) { report.workers.resize(2); }),
      report_with([](RankReport& report) { report.rank = 0; }),
      report_with([](RankReport& report) { report.workers[0].computing_s = 1e300; }),
      report_with([](RankReport& report) { report.workers[0].chunks = -1; }),
  };
  for (const std::string& report : reports) {
    SCOPED_TRACE(report.substr(0, 40));
    const Beside beside = run_beside([&](Rogue& rogue) {
      rogue.join();
      rogue.compute_all();
      rogue.answer(report);
    });
    expect_good(beside);
    EXPECT_THAT(beside.record.notes, Contains(AllOf(HasSubstr("sent a report that cannot be read, from "),
                                                    HasSubstr(" (127.0.0.1)"))));
  }
}

TEST(RogueMember, WithAGoodEndReportIsBelieved) {
  const Beside beside = run_beside([&](Rogue& rogue) {
    Hello who = own_hello(1);
    who.host = "node1";
    rogue.join(who);
    rogue.compute_all();
    rogue.answer(report_with([](RankReport& report) {
      report.host = "another\x1b[2J";
      report.way = "by hand\nerror: forged";
    }));
  });
  expect_good(beside);
  EXPECT_THAT(beside.record.notes, Not(Contains(HasSubstr("cannot be read"))));
  EXPECT_THAT(beside.record.hosts, Contains("node1"));
  EXPECT_THAT(beside.record.notes,
              Contains(HasSubstr("node1 computes in another way than the master: by hand\\nerror: forged")));
}

/// A rogue that joins, and does this with its first chunk.
std::function<void(Rogue&)> with_chunk(std::function<void(Rogue&, const OrderMessage&)> act) {
  return [act = std::move(act)](Rogue& rogue) {
    rogue.join();
    const OrderMessage order = rogue.next_order();
    ASSERT_EQ(order.task.run, 1u);
    act(rogue, order);
    EXPECT_TRUE(rogue.await([&] { return rogue.has_ended; }));
  };
}

TEST(RogueMember, ThatBreaksTheRulesIsLostAndNamed) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::pair<std::function<void(Rogue&, const OrderMessage&)>, std::string>> deeds{
      {[&](Rogue& rogue, const OrderMessage& order) {
         rogue.line().send(ResultPart{order.task, 0}, std::as_bytes(std::span("12345678", 8)));
         rogue.line().send(ReportMessage{.task = order.task, .stamps = {nan, nan, nan, nan}});
       },
       "a report contains invalid times"},
      {[](Rogue& rogue, const OrderMessage& order) {
         rogue.line().send(ProgressMessage{order.task, 1000});
       },
       "progress beyond the end of a chunk"},
      {[](Rogue& rogue, const OrderMessage& order) {
         const std::string long_result(most_payload_bytes, 'x');
         rogue.line().send(ResultPart{order.task, 0}, std::as_bytes(std::span(long_result)));
       },
       "a result arrived that was not requested"},
      {[](Rogue& rogue, const OrderMessage& order) { rogue.line().send(ReportMessage{.task = order.task}); },
       "a report arrived that was not expected"},
      {[&](Rogue& rogue, const OrderMessage&) { rogue.line().send(Alive{.sent_s = nan, .offset_s = 0}); },
       "its clock shows an invalid time"},
      {[](Rogue& rogue, const OrderMessage&) {
         rogue.line().send(AnswerPart{1, std::uint64_t{1} << 28});
       },
       "its answer of 268435456 bytes is too long"},
      {[](Rogue& rogue, const OrderMessage&) {
         rogue.line().send(AnswerPart{2, 1});
       },
       "an answer arrived out of turn"},
      {[](Rogue& rogue, const OrderMessage&) { rogue.line().send(Ready{.run = 1}); },
       "ready twice for one run"},
      {[](Rogue& rogue, const OrderMessage&) { rogue.line().send(own_hello(1)); },
       "it sent a message that only a master sends"},
  };
  for (const auto& [deed, complaint] : deeds) {
    SCOPED_TRACE(complaint);
    const Beside beside = run_beside(with_chunk(deed));
    expect_good(beside);
    EXPECT_THAT(beside.notes,
                Contains(AllOf(HasSubstr("127.0.0.1:"), HasSubstr("was lost"), HasSubstr(complaint))));
  }
}

TEST(RogueMember, CannotForgeLinesByItsNameOrItsFailures) {
  const Beside beside = run_beside([](Rogue& rogue) {
    Hello who = own_hello(1);
    who.host = "node1\x1b[2J\nerror: forged\xff";
    rogue.join(who);
    const OrderMessage order = rogue.next_order();
    const std::string_view why = "no luck\nerror: forged\x1b[2J";
    rogue.line().send(ReportMessage{.task = order.task, .what = Report::Kind::failed, .failed_at = 1 << 20},
                      std::as_bytes(std::span(why)));
    rogue.compute_all();
  });
  expect_good(beside);
  EXPECT_THAT(beside.notes, Contains(HasSubstr("node1\\x1b[2J\\nerror: forged\\xff (127.0.0.1:")));
}

TEST(RogueMember, WithTooManyWorkersIsRefusedAndNamed) {
  std::optional<Refusal> refusal;
  const Beside beside = run_beside(
      [&](Rogue& rogue) {
        Hello who = own_hello(5000);
        who.host = "node1\nerror: forged";
        rogue.join(who);
        refusal = rogue.refusal;
      },
      0);
  expect_good(beside);
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->problem, "a process with 5000 workers cannot join");
  EXPECT_THAT(beside.notes,
              Contains(AllOf(HasSubstr("node1\\nerror: forged (127.0.0.1:"),
                             HasSubstr("was refused: a process with 5000 workers cannot join"))));
}

TEST(BoundedNotes, TellSomeOfManyAndCountTheRest) {
  std::vector<std::string> told;
  BoundedNotes notes(2, [&](const std::string& note) { told.push_back(note); });
  for (int i = 0; i < 5; ++i) notes.tell(std::to_string(i), 1.0 + i);
  EXPECT_THAT(told, testing::ElementsAre("0", "1"));
  notes.tell("later", 1 + BoundedNotes::while_s);
  EXPECT_THAT(told, testing::ElementsAre("0", "1", "3 more notes like the last were left out", "later"));
  for (int i = 0; i < 3; ++i) notes.tell("again", 12.0 + i);
  notes.look(12);
  EXPECT_EQ(told.size(), 5U);
  notes.look(1 + 2 * BoundedNotes::while_s);
  EXPECT_THAT(told.back(), "2 more notes like the last were left out") << "though no further note came";
  for (int i = 0; i < 3; ++i) notes.tell("at the end", 50.0);
  notes.finish();
  EXPECT_THAT(told.back(), "1 more notes like the last were left out");
}

}  // namespace
}  // namespace loadshare::test
