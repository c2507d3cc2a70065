#include <gmock/gmock.h>
#include <malloc.h>

#include <atomic>
#include <chrono>
#include <list>
#include <set>

#include "runtime/host/clock.hpp"
#include "runtime/transport/tcp/inquiry.hpp"
#include "runtime/transport/tcp/master_line.hpp"
#include "tests/runtime/farm/squares.hpp"
#include "tests/runtime/transport/tcp/tcp_ranks.hpp"

// Members that come again by a connection of their own, which says what it wants.

namespace loadshare::test {
namespace {

using Kind = tcp::FrameKind;

/// One connection of a member to a master that computes.
class Visit {
 public:
  Visit(const std::string& address, const std::string& known_as, std::size_t workers = 1)
      : line_(tcp::dial(loop_, network(address), 5).line) {
    line_->start(
        {.take = [this](const tcp::Frame& frame) { take(frame); }, .ended = [](const std::string&) {}});
    NetworkOptions as = network(address);
    as.known_as = known_as;
    line_->send(tcp::own_hello(workers, as));
    await(Kind::welcome);
  }
  ~Visit() { line_->close(); }

  /// By which it is known when it comes again.
  const std::string& name() const { return name_; }
  void ready_for(std::uint32_t run) { line_->send(tcp::Ready{.run = run}); }
  void wants_piece(std::uint32_t run, std::uint64_t piece) {
    line_->send(tcp::SharedAnswer{run, piece, 0});
    loop_.poll();
  }
  /// Of each chunk that it has got a byte of the result.
  void begin_results() {
    for (const tcp::TaskName& task : tasks_)
      line_->send(tcp::ResultPart{task, 0}, std::as_bytes(std::span("x", 1)));
    loop_.poll();
  }
  void await(Kind kind, std::size_t times = 1) {
    for (const double end_s = monotonic_s() + 20; taken_.count(kind) < times && monotonic_s() < end_s;)
      loop_.wait(0.01);
    EXPECT_GE(taken_.count(kind), times);
  }
  void stay(double seconds) {
    for (const double end_s = monotonic_s() + seconds; monotonic_s() < end_s;) loop_.wait(0.01);
  }

 private:
  static NetworkOptions network(const std::string& address) { return {.join = address}; }
  void take(const tcp::Frame& frame) {
    taken_.insert(frame.kind);
    if (frame.kind == Kind::order) tasks_.push_back(tcp::decode<tcp::OrderMessage>(frame).task);
    if (frame.kind == Kind::welcome) name_ = tcp::decode<tcp::Welcome>(frame).name;
  }

  tcp::Loop loop_;
  std::shared_ptr<tcp::Connection> line_;
  std::multiset<Kind> taken_;
  std::vector<tcp::TaskName> tasks_;
  std::string name_;
};

/// Takes part, is cut off while it gets the shared input, comes again, and is cut off before it is ready.
void come_and_go(const std::string& address) {
  constexpr std::uint32_t run = 1;
  std::string name;
  {
    Visit visit(address, "");
    name = visit.name();
    visit.ready_for(run);
    visit.await(Kind::offer);
    visit.wants_piece(run, 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // some of it is on its way
  }
  Visit(address, name).stay(0.1);
}

TEST(Member, IsLostOnceThoughItComesAgainBeforeItIsReady) {
  std::jthread member;
  std::atomic<bool> has_gone = false;
  FarmOptions options{.scheduler = "send:1", .workers = 1, .network = {.listen = "127.0.0.1:0"}};
  options.network.note = note_address([&](const std::string& address) {
    member = std::jthread([&, address] { come_and_go(address), has_gone = true; });
  });
  Farm farm(options);
  Squares squares(farm, 300, 3, 4'000'000, Memory::farm);
  squares.piece_doubles = 4'000'000;  // more than sockets hold
  squares.sleep_s = 5e-3;
  const RunRecord record = farm.run(squares);
  EXPECT_TRUE(has_gone) << "the loop was to go on meanwhile";
  EXPECT_EQ(squares.first_wrong(), -1);
  std::vector<MemberEvent::What> life;
  for (const MemberEvent& event : record.membership->events)
    if (event.worker == WorkerId{1}) life.push_back(event.what);
  EXPECT_THAT(life, testing::ElementsAre(MemberEvent::What::joined, MemberEvent::What::lost));
}

TEST(Member, LeavesWhenItComesAgainAfterItWasAskedTo) {
  std::jthread member;
  FarmOptions options{.scheduler = "send:1", .workers = 1, .network = {.listen = "127.0.0.1:0"}};
  options.network.note = note_address([&](const std::string& address) {
    member = std::jthread([address] {
      std::string name;
      {
        Visit visit(address, "");
        name = visit.name();
        visit.ready_for(1);
        visit.await(Kind::begin);
        tcp::inquire({.join = address}, {.leaver = "2", .leaves_in_s = 60});
      }
      Visit again(address, name);
      again.ready_for(1);
      again.await(Kind::dismissal);
    });
  });
  Farm farm(options);
  Squares squares(farm, 300, 3, 10, Memory::farm);
  squares.sleep_s = 1e-2;
  const RunRecord record = farm.run(squares);
  EXPECT_EQ(squares.first_wrong(), -1);
  EXPECT_EQ(std::ranges::count(record.membership->events, MemberEvent::What::joined, &MemberEvent::what), 2)
      << "the master's own worker, and the member once";
}

/// Iterations with long results, each in the same place.
class LongResults final : public Workload {
 public:
  static constexpr std::size_t result_bytes = std::size_t{1} << 24;

  Index iterations() const override { return 40; }
  std::size_t output_bytes(Chunk chunk) const override {
    return static_cast<std::size_t>(chunk.size) * result_bytes;
  }
  std::span<std::byte> output(Chunk chunk) override { return std::span(place_).first(output_bytes(chunk)); }
  void compute(Work&) override { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }

 private:
  std::vector<std::byte> place_ = std::vector<std::byte>(result_bytes);
};

std::size_t allocated_bytes() {
  const struct mallinfo2 all = mallinfo2();
  return all.uordblks + all.hblkhd;
}

TEST(Member, LeavesNothingOfItsResultsBehindWhenItIsLost) {
  constexpr std::size_t workers = 6;
  std::jthread member;
  std::size_t before_bytes = 0, after_bytes = 0;
  FarmOptions options{.scheduler = "send:1", .workers = 1, .network = {.listen = "127.0.0.1:0"}};
  options.network.note = note_address([&](const std::string& address) {
    member = std::jthread([&, address] {
      before_bytes = allocated_bytes();
      {
        Visit visit(address, "", workers);
        visit.ready_for(1);
        visit.await(Kind::order, workers);
        visit.begin_results();
        visit.stay(0.2);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      after_bytes = allocated_bytes();
    });
  });
  Farm farm(options);
  LongResults loop;
  farm.run(loop);
  member.join();
  EXPECT_LT(after_bytes, before_bytes + workers * LongResults::result_bytes / 2);
}

/// So many members that are ready, and are not heard of any more until the farm has ended.
void join_and_stop(const std::string& address, int count, const std::atomic<bool>& has_ended) {
  std::list<Visit> visits;
  for (int i = 0; i < count; ++i) visits.emplace_back(address, "").ready_for(1);
  for (Visit& visit : visits) visit.await(Kind::begin);
  for (const double end_s = monotonic_s() + 20; !has_ended && monotonic_s() < end_s;)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
}

// Some have a copy of the only chunk, the others nothing: these are not silent by the loop's end.
TEST(Member, HoldsTheEndUpForAMomentAloneWhereItWasStoppedWithNothingToDo) {
  constexpr int stopped = 6;
  std::atomic<bool> has_ended = false;
  std::atomic<double> done_s = 0;
  std::jthread members;
  FarmOptions options{.workers = 1, .network = {.listen = "127.0.0.1:0", .expect = 1 + stopped}};
  options.network.note = note_address([&](const std::string& address) {
    members = std::jthread([&, address] { join_and_stop(address, stopped, has_ended); });
  });
  {
    Farm farm(options);
    farm.map<Index>(1, [&](Index i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      done_s = monotonic_s();
      return i;
    });
  }
  EXPECT_LT(monotonic_s() - done_s, 2.5);
  has_ended = true;
}

}  // namespace
}  // namespace loadshare::test
