#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "runtime/dispatch/dispatcher.hpp"
#include "schedulers/table.hpp"

namespace loadshare {
namespace {

// Sizes as wild as the contract allows, now and then from the middle.
class Wild final : public ChunkScheduler {
 public:
  explicit Wild(std::uint64_t seed) : random_(seed) {}
  Cut next(const Request& request) override {
    const auto most = static_cast<std::uint64_t>(std::min<Index>(request.remaining, 20));
    const auto size = 1 + static_cast<Index>(random_() % most);
    if (random_() % 4 != 0) return {size};
    return {size, request.first + static_cast<Index>(random_() % 40)};
  }

 private:
  std::mt19937_64 random_;
};

enum class Where { away, here, silent, leaving, overdue };

// What a worker was given and has not returned.
struct Given {
  WorkerId worker;
  Assignment assignment;
  bool is_gone = false;  // its worker was lost since
  bool is_begun = false;
  bool is_recalled = false;
};

// One iteration, as an account of its own knows it.
struct Iteration {
  bool is_free = true;  // nobody has it
  bool was_given = false;
  bool is_skipped = false;
  bool is_away = false;  // surrendered to the parent
  int commits = 0;
  int losses = 0;
  std::optional<WorkerId> failed_on = std::nullopt;

  bool is_done() const { return commits > 0 || is_skipped || is_away; }
};

struct Seen {
  int copies = 0, discards = 0, late = 0, silences = 0, partial = 0, skips = 0, recalls = 0, cancels = 0,
      surrenders = 0;
  std::set<Ending> endings;
};

// One random schedule. Its own account, iteration by iteration, knows nothing of slots, contests or pools.
class Schedule {
 public:
  Schedule(std::uint64_t seed, DispatchRules rules, Seen& seen)
      : random_(seed),
        rules_(rules),
        seen_(seen),
        where_(1 + below(8), Where::away),
        windows_(where_.size(), 1),
        iterations_(below(300)),
        dispatcher_(count(), scheduler(seed), rules) {}

  void run() {
    for (int step = 0; step < 300 && !is_over() && !::testing::Test::HasFailure(); ++step) act();
    finish();
    seen_.endings.insert(dispatcher_.ending());
    const bool is_all_done =
        std::ranges::all_of(iterations_, [](const Iteration& one) { return one.is_done(); });
    const bool has_skipped =
        std::ranges::any_of(iterations_, [](const Iteration& one) { return one.is_skipped; });
    EXPECT_EQ(dispatcher_.ending() == Ending::finished, is_all_done && !has_skipped);
    EXPECT_EQ(dispatcher_.ending() == Ending::gaps, is_all_done && has_skipped);
    EXPECT_LE(dispatcher_.slots(), most_given_) << "slots are used again";
  }

 private:
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  Index count() const { return static_cast<Index>(iterations_.size()); }
  bool is_over() const { return dispatcher_.is_over(); }
  bool is_aside() const { return rules_.reissue == Reissue::on; }
  Iteration& at(Index i) { return iterations_[static_cast<std::size_t>(i)]; }
  Where& where(WorkerId worker) { return where_[to_number(worker)]; }

  std::unique_ptr<ChunkScheduler> scheduler(std::uint64_t seed) {
    const char* specs[] = {"send:1", "send:7",     "gss",      "factoring",
                           "tss",    "tss:last=2", "adaptive", "gss:round=up"};
    const std::uint32_t choice = below(10);
    if (choice >= std::size(specs)) return std::make_unique<Wild>(seed);
    return built_in_schedulers().make(specs[choice], {count(), static_cast<Index>(where_.size())});
  }

  // --- Events

  void act() {
    const WorkerId worker{below(static_cast<std::uint32_t>(where_.size()))};
    const std::uint32_t what = below(100);
    now_s_ += 0.001 * below(10);
    if (what < 12) join(worker);
    if (what >= 12 && what < 15) leave(worker);
    if (what >= 15 && what < 18) lose(worker);
    if (what >= 18 && what < 24) silence(worker);
    if (what >= 24 && what < 32) hear(worker);
    if (what >= 32 && what < 36) tick();
    if (what >= 36 && what < 38 && rules_.is_nested) open();
    if (what >= 38 && what < 40 && rules_.is_nested) withdraw();
    if (what >= 40 && what < 50) begin();
    if (what >= 50 && what < 54 && rules_.on_failure != OnFailure::end) fail();
    if (what >= 54 && what < 62) hand_back();
    if (what >= 62) give_result();
    check();
  }

  void join(WorkerId worker) {
    windows_[to_number(worker)] = 1 + below(3);
    where(worker) = Where::here;
    dispatcher_.joined(worker, {.window = windows_[to_number(worker)]}, now_s_, out_);
  }

  void leave(WorkerId worker) {
    if (where(worker) == Where::away) return;
    where(worker) = Where::leaving;
    deadlines_[worker] = now_s_ + 0.02;
    dispatcher_.leaving(worker, now_s_ + 0.02, now_s_, out_);
    carry_out();
    depart(worker);
  }

  void lose(WorkerId worker) {
    if (where(worker) == Where::away) return;
    where(worker) = Where::away;
    bool is_oldest = true;
    for (Given& given : given_) {
      if (given.is_gone || given.worker != worker) continue;
      given.is_gone = true;
      const bool is_blamed = given.is_begun || std::exchange(is_oldest, false);
      const Chunk chunk = given.assignment.chunk;
      for (Index i = chunk.first; is_blamed && i < chunk.end(); ++i) ++at(i).losses;
    }
    free_what_nobody_has();
    dispatcher_.lost(worker, now_s_, out_);
  }

  void silence(WorkerId worker) {
    if (where(worker) != Where::here) return;
    where(worker) = Where::silent;
    ++seen_.silences;
    free_what_nobody_has();
    dispatcher_.silent(worker, now_s_, out_);
  }

  void hear(WorkerId worker) {
    if (where(worker) == Where::silent) where(worker) = Where::here;
    dispatcher_.heard(worker, now_s_, out_);
  }

  void tick() {
    for (std::uint32_t number = 0; number < where_.size(); ++number)
      if (where_[number] == Where::leaving && now_s_ >= deadlines_[WorkerId{number}]) {
        where_[number] = Where::overdue;
        free_what_nobody_has();
      }
    dispatcher_.tick(now_s_, out_);
  }

  void open() {
    if (iterations_.size() > 600) return;
    const Chunk range{count(), 1 + below(40)};
    iterations_.resize(iterations_.size() + static_cast<std::size_t>(range.size));
    dispatcher_.opened(range, now_s_, out_);
  }

  void withdraw() { dispatcher_.withdraw(below(30), out_); }

  void begin() {
    if (given_.empty()) return;
    Given& given = given_[below(static_cast<std::uint32_t>(given_.size()))];
    given.is_begun |= !given.is_gone;
    if (below(2) == 0) return dispatcher_.begun(given.worker, given.assignment.id);
    dispatcher_.progressed(given.worker, given.assignment.id, below(30));
  }

  void fail() {
    if (given_.empty()) return;
    const Given given = take(below(static_cast<std::uint32_t>(given_.size())));
    const Chunk chunk = given.assignment.chunk;
    for (Index i = chunk.first; i < chunk.end() && !given.is_gone; ++i) at(i).failed_on = given.worker;
    has_failed_ |= !given.is_gone;
    std::optional<Index> where;
    if (below(2) == 0) where = chunk.first + below(static_cast<std::uint32_t>(chunk.size));
    if (!given.is_gone) free_what_nobody_has();
    dispatcher_.failed(given.worker, given.assignment.id, where, now_s_, out_);
    carry_out();
    depart(given.worker);
  }

  // All or the end of what was not begun; now and then what it never had.
  void hand_back() {
    const auto is_fit = [](const Given& given) { return !given.is_begun; };
    const auto found = std::ranges::find_if(given_, is_fit);
    if (found == given_.end()) return;
    const Given given = *found;
    const Chunk chunk = given.assignment.chunk;
    if (below(8) == 0)
      return dispatcher_.handed_back(given.worker, given.assignment.id, {chunk.first, chunk.size + 1}, now_s_,
                                     out_);
    const Index size = 1 + below(static_cast<std::uint32_t>(chunk.size));
    if (size == chunk.size)
      given_.erase(found);
    else
      found->assignment.chunk.size -= size;
    if (!given.is_gone) free_what_nobody_has();
    dispatcher_.handed_back(given.worker, given.assignment.id, {chunk.end() - size, size}, now_s_, out_);
    carry_out();
    depart(given.worker);
  }

  // The worker may be lost: then the result comes late. Now and then a result comes twice.
  void give_result() {
    if (given_.empty()) return;
    returned(below(static_cast<std::uint32_t>(given_.size())));
  }

  void returned(std::size_t which) {
    const Given given = take(which);
    seen_.late += given.is_gone ? 1 : 0;
    returning_ = given.is_gone ? std::nullopt : std::optional(given);
    dispatcher_.returned(given.worker, given.assignment.id, {.compute_s = 0.001}, now_s_, out_);
    carry_out();
    if (returning_) expect_all_published(given.assignment.chunk);
    returning_.reset();
    depart(given.worker);
    if (below(4) == 0 && !is_over()) {
      dispatcher_.returned(given.worker, given.assignment.id, {}, now_s_, out_);
      ASSERT_FALSE(out_.empty());
      EXPECT_EQ(out_.front().kind, Decision::Kind::discard);
    }
  }

  Given take(std::size_t which) {
    const Given given = given_[which];
    given_.erase(given_.begin() + static_cast<std::ptrdiff_t>(which));
    return given;
  }

  /// Who leaves has left when it holds nothing.
  void depart(WorkerId worker) {
    const bool leaves = where(worker) == Where::leaving || where(worker) == Where::overdue;
    if (leaves && held(worker) == 0) where(worker) = Where::away;
  }

  // --- Decisions

  void check() {
    carry_out();
    if (!is_over()) {
      expect_nobody_idle();
      expect_sums();
    }
  }

  void carry_out() {
    for (const Decision& decision : out_) {
      EXPECT_FALSE(has_ended_) << "nothing is decided after the end";
      carry_out(decision);
    }
    out_.clear();
  }

  void carry_out(const Decision& decision) {
    switch (decision.kind) {
      case Decision::Kind::give:
        return give(decision);
      case Decision::Kind::publish:
        return publish(decision);
      case Decision::Kind::discard:
        ++seen_.discards;
        return;
      case Decision::Kind::recall:
        return recall(decision);
      case Decision::Kind::cancel:
        return cancel(decision);
      case Decision::Kind::surrender:
        return surrender(decision.chunk);
      case Decision::Kind::skip:
        return skip(decision.chunk);
      case Decision::Kind::wait:
        EXPECT_EQ(std::ranges::count(where_, Where::here), 0);
        return;
      case Decision::Kind::end:
        has_ended_ = true;
        return end(decision);
    }
  }

  void give(const Decision& decision) {
    const auto [id, chunk, is_copy, landing] = decision.assignment();
    EXPECT_EQ(where(decision.worker), Where::here);
    EXPECT_LT(held(decision.worker), windows_[to_number(decision.worker)]);
    EXPECT_TRUE(!is_copy || held(decision.worker) == 0) << "copies are for those with nothing else to do";
    EXPECT_TRUE(!is_copy || free_count() == 0) << "before all others";
    ASSERT_TRUE(chunk.size >= 1 && chunk.first >= 0 && chunk.end() <= count());
    EXPECT_EQ(landing, is_aside() ? Landing::aside : Landing::in_place);
    for (Index i = chunk.first; i < chunk.end(); ++i) {
      EXPECT_FALSE(at(i).is_done());
      EXPECT_EQ(at(i).is_free, !is_copy);
      EXPECT_TRUE(is_aside() || holders(i) == 0) << "somebody may still write to its place";
      EXPECT_TRUE(!is_copy || holders(i) < 3);
      at(i).is_free = false;
      at(i).was_given = true;
    }
    for (const Given& given : given_)
      EXPECT_TRUE(given.is_gone || given.assignment.id.slot != id.slot) << "the slot is in use";
    given_.push_back({decision.worker, decision.assignment()});
    seen_.copies += is_copy ? 1 : 0;
    most_given_ = std::max(most_given_, live());
  }

  void publish(const Decision& decision) {
    ASSERT_TRUE(returning_ && returning_->assignment.id == decision.id);
    const Chunk whole = returning_->assignment.chunk, part = decision.chunk;
    EXPECT_TRUE(part.size > 0 && whole.first <= part.first && part.end() <= whole.end());
    for (Index i = part.first; i < part.end(); ++i) {
      EXPECT_FALSE(at(i).is_done());
      ++at(i).commits;
      at(i).is_free = false;
    }
    seen_.partial += part.size < whole.size ? 1 : 0;
  }

  void expect_all_published(Chunk chunk) {
    for (Index i = chunk.first; i < chunk.end(); ++i) EXPECT_TRUE(at(i).is_done());
  }

  void recall(const Decision& decision) {
    const auto found = std::ranges::find_if(given_, [&](const Given& given) {
      return given.worker == decision.worker && given.assignment.id == decision.id;
    });
    ASSERT_NE(found, given_.end());
    found->is_recalled = true;
    ++seen_.recalls;
  }

  void cancel(const Decision& decision) {
    const auto found = std::ranges::find_if(given_, [&](const Given& given) {
      return given.worker == decision.worker && given.assignment.id == decision.id;
    });
    ASSERT_NE(found, given_.end());
    expect_all_published(found->assignment.chunk);
    ++seen_.cancels;
  }

  void surrender(Chunk chunk) {
    EXPECT_TRUE(rules_.is_nested);
    for (Index i = chunk.first; i < chunk.end(); ++i) {
      EXPECT_TRUE(at(i).is_free && !at(i).was_given);
      at(i).is_free = false;
      at(i).is_away = true;
    }
    ++seen_.surrenders;
  }

  void skip(Chunk chunk) {
    EXPECT_EQ(rules_.on_failure, OnFailure::skip);
    EXPECT_EQ(chunk.size, 1);
    EXPECT_TRUE(at(chunk.first).failed_on);
    EXPECT_FALSE(at(chunk.first).is_done());
    at(chunk.first).is_skipped = true;
    at(chunk.first).is_free = false;
    ++seen_.skips;
  }

  void end(const Decision& decision) {
    EXPECT_EQ(decision.ending, dispatcher_.ending());
    const Chunk chunk = decision.chunk;
    const bool is_culprit = decision.ending == Ending::culprit,
               is_failure = decision.ending == Ending::failed;
    for (Index i = chunk.first; is_culprit && i < chunk.end(); ++i)
      EXPECT_GE(at(i).losses, rules_.most_losses);
    EXPECT_TRUE(!is_failure || (rules_.on_failure == OnFailure::retry && chunk.size == 1)) << "it is found";
  }

  // --- The account

  bool is_reliable(const Given& given) {
    return !given.is_gone && (where(given.worker) == Where::here || where(given.worker) == Where::leaving);
  }

  /// Free is what is not done and nobody has who can be relied on; in place, whoever is not surely gone has
  /// it still. Only where something changed that way: what was given away because of a silence stays with
  /// both.
  void free_what_nobody_has() {
    std::vector<bool> has(iterations_.size(), false);
    for (const Given& given : given_) {
      if (given.is_gone || (is_aside() && !is_reliable(given))) continue;
      for (Index i = given.assignment.chunk.first; i < given.assignment.chunk.end(); ++i)
        has[static_cast<std::size_t>(i)] = true;
    }
    for (std::size_t i = 0; i < iterations_.size(); ++i)
      if (!iterations_[i].is_done() && !has[i]) iterations_[i].is_free = true;
  }

  Index free_count() const {
    return std::ranges::count_if(iterations_, [](const Iteration& one) { return one.is_free; });
  }

  int holders(Index i) const {
    return static_cast<int>(std::ranges::count_if(given_, [i](const Given& given) {
      const Chunk chunk = given.assignment.chunk;
      return !given.is_gone && chunk.first <= i && i < chunk.end();
    }));
  }

  std::uint32_t held(WorkerId worker) const {
    return static_cast<std::uint32_t>(std::ranges::count_if(
        given_, [worker](const Given& given) { return !given.is_gone && given.worker == worker; }));
  }

  std::uint32_t live() const {
    return static_cast<std::uint32_t>(
        std::ranges::count_if(given_, [](const Given& given) { return !given.is_gone; }));
  }

  // Whoever is here and has room has no free iterations beside it, but for those it failed on itself.
  void expect_nobody_idle() {
    const auto present = std::ranges::count(where_, Where::here);
    for (std::uint32_t number = 0; number < where_.size(); ++number) {
      const WorkerId worker{number};
      if (where_[number] != Where::here || held(worker) > 0) continue;
      const bool is_work = std::ranges::any_of(iterations_, [&](const Iteration& one) {
        return one.is_free && (present == 1 || one.failed_on != worker);
      });
      EXPECT_FALSE(is_work) << "worker " << number << " idles beside free iterations";
      // A range on which somebody failed is not copied, whole or in parts.
      if (is_aside() && free_count() == 0 && !has_failed_) expect_copied_enough();
    }
  }

  void expect_copied_enough() {
    for (const Given& given : given_) {
      if (given.is_gone) continue;
      for (Index i = given.assignment.chunk.first; i < given.assignment.chunk.end(); ++i)
        EXPECT_TRUE(at(i).is_done() || holders(i) >= 3) << "a copy was due of iteration " << i;
    }
  }

  void expect_sums() {
    const auto count_if = [this](auto is) { return std::ranges::count_if(iterations_, is); };
    EXPECT_EQ(dispatcher_.committed(), count_if([](const Iteration& one) { return one.commits == 1; }));
    EXPECT_EQ(dispatcher_.skipped(), count_if([](const Iteration& one) { return one.is_skipped; }));
    EXPECT_EQ(dispatcher_.iterations(), count_if([](const Iteration& one) { return !one.is_away; }));
    EXPECT_EQ(dispatcher_.remaining(), free_count());
    EXPECT_GE(dispatcher_.done(), dispatcher_.committed());
    EXPECT_EQ(dispatcher_.workers_present(), std::ranges::count(where_, Where::here));
    const WorkerId worker{below(static_cast<std::uint32_t>(where_.size()))};
    EXPECT_EQ(dispatcher_.held_count(worker), held(worker));
    EXPECT_EQ(dispatcher_.held(worker).size(), held(worker));
  }

  // Whoever was here, one worker alone brings every loop to its end once all results are in.
  void finish() {
    if (rules_.is_nested) dispatcher_.closed(out_);
    carry_out();
    for (int turn = 0; !is_over() && turn < 10'000 && !::testing::Test::HasFailure(); ++turn) {
      if (where_[0] != Where::here) join(WorkerId{0});
      check();
      while (!given_.empty() && !is_over()) returned(given_.size() - 1);
      check();
    }
    EXPECT_TRUE(is_over());
  }

  std::mt19937_64 random_;
  bool has_failed_ = false;
  DispatchRules rules_;
  Seen& seen_;
  std::vector<Where> where_;
  std::vector<std::uint32_t> windows_;
  std::map<WorkerId, double> deadlines_;
  std::vector<Iteration> iterations_;
  Dispatcher dispatcher_;
  Decisions out_;
  std::vector<Given> given_;
  std::optional<Given> returning_;
  bool has_ended_ = false;
  double now_s_ = 0;
  std::uint32_t most_given_ = 0;
};

Seen run_schedules(std::uint64_t count, DispatchRules rules) {
  Seen seen;
  for (std::uint64_t seed = 0; seed < count && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    rules.retries = seed % 2 == 0 ? 1 : 0;
    Schedule(seed, rules, seen).run();
  }
  return seen;
}

constexpr std::uint64_t schedules = 2000;

TEST(RandomSchedules, InPlaceNothingIsGivenWhileItsHolderMayWrite) {
  const Seen seen = run_schedules(schedules, {.most_losses = 0, .patience_s = std::nullopt});
  EXPECT_EQ(seen.copies, 0);
  EXPECT_GT(seen.late, 1000) << "the schedules are too tame to mean anything";
  EXPECT_EQ(seen.endings, std::set{Ending::finished});
}

TEST(RandomSchedules, AsideTheFirstResultCounts) {
  const Seen seen =
      run_schedules(schedules, {.reissue = Reissue::on, .most_losses = 0, .patience_s = std::nullopt});
  for (const int count :
       {seen.copies, seen.discards, seen.late, seen.silences, seen.partial, seen.recalls, seen.cancels})
    EXPECT_GT(count, 300) << "the schedules are too tame to mean anything";
  EXPECT_EQ(seen.endings, std::set{Ending::finished});
}

TEST(RandomSchedules, WhatFailsIsSkipped) {
  for (const Reissue reissue : {Reissue::off, Reissue::on}) {
    const Seen seen = run_schedules(
        schedules,
        {.reissue = reissue, .on_failure = OnFailure::skip, .most_losses = 0, .patience_s = std::nullopt});
    EXPECT_GT(seen.skips, 1000);
    EXPECT_EQ(seen.endings, (std::set{Ending::finished, Ending::gaps}));
  }
}

TEST(RandomSchedules, WhatFailsAgainEndsTheLoop) {
  const Seen seen = run_schedules(
      schedules,
      {.reissue = Reissue::on, .on_failure = OnFailure::retry, .most_losses = 2, .patience_s = std::nullopt});
  EXPECT_EQ(seen.endings, (std::set{Ending::finished, Ending::culprit, Ending::failed}));
}

TEST(RandomSchedules, NobodyIsWaitedForLongerThanPatienceLasts) {
  const Seen seen = run_schedules(schedules, {.most_losses = 0, .patience_s = 0.05});
  EXPECT_EQ(seen.endings, (std::set{Ending::finished, Ending::stranded}));
}

TEST(RandomSchedules, AParentOpensAndWithdraws) {
  const Seen seen = run_schedules(
      schedules, {.reissue = Reissue::on, .most_losses = 0, .patience_s = std::nullopt, .is_nested = true});
  EXPECT_GT(seen.surrenders, 1000);
  EXPECT_EQ(seen.endings, std::set{Ending::finished});
}

}  // namespace
}  // namespace loadshare
