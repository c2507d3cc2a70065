#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "runtime/dispatch/dispatcher.hpp"
#include "schedulers/table.hpp"

namespace loadshare {
namespace {

// Sizes as wild as the contract allows.
class Wild final : public ChunkScheduler {
 public:
  explicit Wild(std::uint64_t seed) : random_(seed) {}
  Index next_size(WorkerId, Index remaining) override {
    return 1 + static_cast<Index>(random_() % static_cast<std::uint64_t>(std::min<Index>(remaining, 20)));
  }

 private:
  std::mt19937_64 random_;
};

// What a worker was given and has not returned; `is_gone`: it was lost since.
struct Given {
  WorkerId worker;
  Assignment assignment;
  bool is_gone = false;
};

// One random schedule. Its own account, iteration by iteration, knows nothing of slots, rings or pools.
class Schedule {
 public:
  Schedule(std::uint64_t seed, Reissue reissue)
      : random_(seed),
        reissue_(reissue),
        workers_(1 + below(8)),
        is_here_(workers_, false),
        commits_(below(300), 0),
        dispatcher_(iterations(), scheduler(seed), reissue) {}

  void run() {
    for (int step = 0; step < 300 && !::testing::Test::HasFailure(); ++step) act();
    for (std::uint32_t worker = 0; worker < workers_; ++worker)
      if (below(2) == 0) lose(worker);
    drain();
    EXPECT_TRUE(std::ranges::all_of(commits_, [](int commits) { return commits == 1; }));
    EXPECT_LE(dispatcher_.slots(), most_given_) << "slots are used again";
  }

  int duplicates() const { return duplicates_; }
  int copies() const { return copies_; }

 private:
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  Index iterations() const { return static_cast<Index>(commits_.size()); }

  std::unique_ptr<ChunkScheduler> scheduler(std::uint64_t seed) {
    const char* specs[] = {"send:1", "send:7",     "gss",      "factoring",
                           "tss",    "tss:last=2", "adaptive", "gss:round=up"};
    const std::uint32_t choice = below(10);
    if (choice >= std::size(specs)) return std::make_unique<Wild>(seed);
    return built_in_schedulers().make(specs[choice], {iterations(), workers_});
  }

  void act() {
    const std::uint32_t worker = below(workers_), what = below(100);
    now_s_ += 0.001 * below(10);
    if (what < 10)
      join(worker);
    else if (what < 13)
      leave(worker);
    else if (what < 17)
      lose(worker);
    else if (what < 60)
      assign(worker);
    else if (!given_.empty())
      give_result(below(static_cast<std::uint32_t>(given_.size())));
    check_account();
  }

  void join(std::uint32_t worker) {
    is_here_[worker] = true;
    dispatcher_.join(WorkerId{worker});
  }

  void leave(std::uint32_t worker) {
    is_here_[worker] = false;
    dispatcher_.leave(WorkerId{worker});
  }

  void lose(std::uint32_t worker) {
    is_here_[worker] = false;
    for (Given& given : given_) given.is_gone |= given.worker == WorkerId{worker};
    const Index before = dispatcher_.remaining();
    EXPECT_EQ(dispatcher_.lost(WorkerId{worker}), unassigned() - before);
  }

  void assign(std::uint32_t worker) {
    const Index left = unassigned();
    const auto assignment = dispatcher_.assign(WorkerId{worker}, now_s_);
    if (!assignment) return expect_nothing_for(worker, left);
    EXPECT_TRUE(is_here_[worker]);
    expect_sound(worker, *assignment, left);
    given_.push_back({WorkerId{worker}, *assignment});
    most_given_ = std::max(most_given_, live());
  }

  void expect_nothing_for(std::uint32_t worker, Index left) {
    EXPECT_TRUE(!is_here_[worker] || left == 0);
    const bool wants_copy = reissue_ == Reissue::on && is_here_[worker] && held(worker) == 0;
    for (const Given& given : given_) {
      const Chunk chunk = given.assignment.chunk;
      const bool is_wanted = !given.is_gone && commits_[at(chunk.first)] == 0;
      EXPECT_FALSE(wants_copy && is_wanted && holders(chunk.first) < 3) << "a copy was due";
    }
  }

  void expect_sound(std::uint32_t worker, const Assignment& assignment, Index left) {
    const auto [id, chunk, is_copy] = assignment;
    ASSERT_TRUE(chunk.size >= 1 && chunk.first >= 0 && chunk.end() <= iterations());
    EXPECT_EQ(is_copy, left == 0);
    for (Index i = chunk.first; i < chunk.end(); ++i) {
      EXPECT_EQ(commits_[at(i)], 0);
      EXPECT_EQ(holders(i) > 0, is_copy);
      EXPECT_LT(holders(i), 3);
    }
    EXPECT_TRUE(!is_copy || (reissue_ == Reissue::on && held(worker) == 0));
    for (const Given& given : given_) {
      EXPECT_NE(given.assignment.id, id);
      EXPECT_TRUE(given.is_gone || given.assignment.id.slot != id.slot) << "the slot is in use";
    }
    copies_ += is_copy ? 1 : 0;
  }

  // The worker may be lost: then the result comes late. Now and then a result comes twice.
  void give_result(std::size_t which) {
    const auto [worker, assignment, is_gone] = given_[which];
    given_.erase(given_.begin() + static_cast<std::ptrdiff_t>(which));
    const Chunk chunk = assignment.chunk;
    const bool is_first = !is_gone && commits_[at(chunk.first)] == 0;
    EXPECT_EQ(dispatcher_.complete(worker, assignment.id, now_s_, 0.001),
              is_first ? Commit::first : Commit::duplicate);
    if (is_first)
      for (Index i = chunk.first; i < chunk.end(); ++i) ++commits_[at(i)];
    duplicates_ += is_first ? 0 : 1;
    if (below(4) != 0) return;
    EXPECT_EQ(dispatcher_.complete(worker, assignment.id, now_s_, 0.001), Commit::duplicate);
  }

  // Whoever was here, one worker alone brings every loop to its end once all results are in.
  void drain() {
    join(0);
    for (int turn = 0; !dispatcher_.finished() && turn < 10'000; ++turn) {
      while (!given_.empty()) give_result(given_.size() - 1);
      assign(0);
      check_account();
    }
    EXPECT_TRUE(dispatcher_.finished());
  }

  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  int holders(Index i) const {
    return static_cast<int>(std::ranges::count_if(given_, [i](const Given& given) {
      const Chunk chunk = given.assignment.chunk;
      return !given.is_gone && chunk.first <= i && i < chunk.end();
    }));
  }

  std::uint32_t held(std::uint32_t worker) const {
    return static_cast<std::uint32_t>(std::ranges::count_if(
        given_, [worker](const Given& given) { return !given.is_gone && given.worker == WorkerId{worker}; }));
  }

  std::uint32_t live() const {
    return static_cast<std::uint32_t>(
        std::ranges::count_if(given_, [](const Given& given) { return !given.is_gone; }));
  }

  Index unassigned() const {
    Index count = 0;
    for (Index i = 0; i < iterations(); ++i) count += commits_[at(i)] == 0 && holders(i) == 0 ? 1 : 0;
    return count;
  }

  void check_account() {
    const Index committed = std::ranges::count(commits_, 1);
    EXPECT_EQ(dispatcher_.committed(), committed);
    EXPECT_EQ(dispatcher_.remaining(), unassigned());
    EXPECT_EQ(dispatcher_.finished(), committed == iterations());
    EXPECT_EQ(dispatcher_.workers_present(), std::ranges::count(is_here_, true));
    EXPECT_EQ(dispatcher_.stranded(), unassigned() > 0 && std::ranges::count(is_here_, true) == 0);
    const std::uint32_t worker = below(workers_);
    EXPECT_EQ(dispatcher_.held_count(WorkerId{worker}), held(worker));
    EXPECT_EQ(dispatcher_.held(WorkerId{worker}).size(), held(worker));
  }

  std::mt19937_64 random_;
  Reissue reissue_;
  std::uint32_t workers_;
  std::vector<bool> is_here_;
  std::vector<int> commits_;  // by iteration
  Dispatcher dispatcher_;
  std::vector<Given> given_;
  double now_s_ = 0;
  std::uint32_t most_given_ = 0;
  int duplicates_ = 0, copies_ = 0;
};

class RandomSchedules : public ::testing::TestWithParam<Reissue> {};

TEST_P(RandomSchedules, CommitEveryIterationExactlyOnce) {
  int duplicates = 0, copies = 0;
  for (std::uint64_t seed = 0; seed < 3000 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Schedule schedule(seed, GetParam());
    schedule.run();
    duplicates += schedule.duplicates();
    copies += schedule.copies();
  }
  EXPECT_GT(duplicates, 1000) << "the schedules are too tame to mean anything";
  EXPECT_EQ(copies > 1000, GetParam() == Reissue::on);
}

INSTANTIATE_TEST_SUITE_P(Reissue, RandomSchedules, ::testing::Values(Reissue::off, Reissue::on),
                         [](const auto& instance) { return instance.param == Reissue::on ? "On" : "Off"; });

}  // namespace
}  // namespace loadshare
