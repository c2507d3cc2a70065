#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "models/efficiency/waiting/accounts.hpp"
#include "tests/models/efficiency/waiting/profile_builder.hpp"

namespace loadshare::waiting {
namespace {

using profile::CallId;

/// Simulates a random program call by call, and records the true times of all ranks.
class ProgramOfChance {
 public:
  ProgramOfChance(int ranks, unsigned seed)
      : run_(ranks), random_(seed), now_ns_(static_cast<std::size_t>(ranks)), idle_ns_(now_ns_.size()) {}

  void act() {
    const int one = below(ranks());
    const int other = (one + 1 + below(ranks() - 1)) % ranks();
    switch (below(6)) {
      case 0:
        return work(one);
      case 1:
        return message(one, other);
      case 2:
        return started_message(one, other);
      case 3:
        return meet_all(below(2) == 0 ? CallId::Barrier : CallId::Allgather);
      case 4:
        return reduce(one);
      default:
        return poll(one, other);
    }
  }

  /// The ranks end at different times.
  profile::Profile built() {
    profile::Profile profile = run_.built(0);
    for (std::size_t i = 0; i < profile.ranks.size(); ++i) {
      profile::RankProfile& rank = profile.ranks[i];
      rank.end_ns = now_ns_[i];
      rank.outside_ns = rank.end_ns - rank.inside_ns;
    }
    return profile;
  }

  std::int64_t end_ns() const { return *std::max_element(now_ns_.begin(), now_ns_.end()); }

  /// In MPI, slept, and after its own end.
  std::int64_t idle_ns(std::size_t rank) const { return idle_ns_[rank] + end_ns() - now_ns_[rank]; }

 private:
  int ranks() const { return static_cast<int>(now_ns_.size()); }
  int below(int limit) { return limit < 1 ? 0 : std::uniform_int_distribution(0, limit - 1)(random_); }
  std::int64_t& now(int rank) { return now_ns_[static_cast<std::size_t>(rank)]; }
  std::int64_t& idle(int rank) { return idle_ns_[static_cast<std::size_t>(rank)]; }

  void work(int rank) {
    const int stolen_ns = below(50);
    const int slept_ns = below(50);
    run_.rank(rank).stolen_ns += stolen_ns;
    run_.rank(rank).blocked_ns += slept_ns;
    idle(rank) += slept_ns;
    now(rank) += below(1000) + stolen_ns + slept_ns;
  }

  /// Adds the call of a rank whose partner arrives at `there_ns`, after which data move.
  EventId call_until(int rank, CallId kind, std::int64_t there_ns, int moving_ns, Envelope envelope = {}) {
    const Interval when{now(rank), std::max(now(rank), there_ns) + moving_ns};
    idle(rank) += std::max<std::int64_t>(0, there_ns - now(rank));
    now(rank) = when.end_ns;
    return run_.call(rank, kind, when, envelope);
  }

  void message(int source, int destination) {
    const std::int64_t sent_ns = now(source);
    const std::int64_t posted_ns = now(destination);
    const int tag = below(2);
    const int moving_ns = 1 + below(100);
    call_until(source, CallId::Ssend, posted_ns, moving_ns, {.peer = destination, .tag = tag});
    call_until(destination, CallId::Recv, sent_ns, moving_ns);
    run_.received(destination, {.peer = source, .tag = tag});
  }

  std::uint32_t start(int rank, CallId kind, Envelope envelope) {
    run_.start(rank, kind, {now(rank), now(rank) + 1}, envelope);
    now(rank) += 1;
    return run_.last_request();
  }

  void started_message(int source, int destination) {
    const std::int64_t sent_ns = now(source);
    const std::int64_t posted_ns = now(destination);
    const auto send = start(source, CallId::Issend, {.peer = destination, .tag = 7});
    const auto receive = start(destination, CallId::Irecv, {.peer = source, .tag = 7});
    work(source);
    call_until(source, CallId::Waitall, posted_ns, 1 + below(100));
    run_.completed(source, send);
    call_until(destination, CallId::Wait, sent_ns, 1 + below(100));
    run_.received(destination, {.peer = source, .tag = 7}, receive);
  }

  void meet_all(CallId kind) {
    const std::int64_t last_ns = end_ns();
    for (int rank = 0; rank < ranks(); ++rank) call_until(rank, kind, last_ns, 1 + below(100));
  }

  void reduce(int root) {
    const std::int64_t last_ns = end_ns();
    for (int rank = 0; rank < ranks(); ++rank)
      call_until(rank, CallId::Reduce, rank == root ? last_ns : 0, 1, {.peer = root});
  }

  /// Unsuccessful tests take a part of the time before a message is sent, and of the time until it has
  /// arrived.
  void poll(int rank, int source) {
    const std::int64_t begin_ns = std::max(now(rank), now(source));
    const int percent_inside = below(100);
    const int sent_after_ns = 100 * below(4);
    now(source) = begin_ns + sent_after_ns;
    call_until(source, CallId::Bsend, 0, 1, {.peer = rank, .tag = 9});
    run_.in_vain(rank, CallId::Iprobe, {begin_ns, begin_ns + 300}, 3 * percent_inside);
    run_.place(rank, 1);
    idle(rank) += sent_after_ns * percent_inside / 100;
    now(rank) = begin_ns + 300;
    call_until(rank, CallId::Iprobe, 0, 1, {.peer = source, .tag = 9});
    run_.place(rank, 1);
    call_until(rank, CallId::Recv, 0, 1, {.peer = source, .tag = 9});
  }

  ProfileBuilder run_;
  std::mt19937 random_;
  std::vector<std::int64_t> now_ns_;
  std::vector<std::int64_t> idle_ns_;
};

class AnyProfile : public testing::TestWithParam<unsigned> {};

TEST_P(AnyProfile, ClosesItsAccountAndFindsAllWaiting) {
  constexpr double rounding_s = 1e-12;
  const int ranks = 2 + static_cast<int>(GetParam() % 4);
  ProgramOfChance program(ranks, GetParam());
  for (int i = 0; i < 300; ++i) program.act();
  const granularity::RunTimes times = account(program.built());
  ASSERT_EQ(times.ranks.size(), static_cast<std::size_t>(ranks));
  EXPECT_TRUE(times.notes.empty());
  for (std::size_t i = 0; i < times.ranks.size(); ++i) {
    const granularity::RankTimes& rank = times.ranks[i];
    EXPECT_NEAR(rank.computing_s + rank.communicating_s + rank.idle_s + rank.stolen_s, times.run_s,
                rounding_s);
    EXPECT_NEAR(rank.idle_s, static_cast<double>(program.idle_ns(i)) * 1e-9, rounding_s);
    for (const double part : {rank.computing_s, rank.communicating_s, rank.idle_s, rank.stolen_s})
      EXPECT_GE(part, 0);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, AnyProfile, testing::Range(1u, 41u));

}  // namespace
}  // namespace loadshare::waiting
