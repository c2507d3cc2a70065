#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <utility>

#include "tests/runtime/dispatch/random_schedule.hpp"

namespace loadshare {
namespace {

/// A loop one of whose workers is a group: it has a dispatcher of its own, the child, for the chunks that it
/// is given. Both live through random events; what one tells the other takes a while, in order. Each has its
/// account; what lies between them is checked here.
class Nest {
 public:
  Nest(std::uint64_t seed, Reissue parents, Reissue childs, Seen& parent_seen, Seen& child_seen)
      : random_(seed),
        group_{1 + below(4)},
        is_parent_aside_(parents == Reissue::on),
        child_rules_{.reissue = childs,
                     .on_failure = OnFailure::skip,
                     .retries = static_cast<std::uint8_t>(below(2)),
                     .crash_limit = 0,
                     .is_nested = true},
        child_seen_(child_seen),
        parent_({.seed = seed,
                 .rules = {.reissue = parents,
                           .on_failure = OnFailure::skip,
                           .retries = static_cast<std::uint8_t>(below(2)),
                           .crash_limit = 0},
                 .workers = to_number(group_) + 1,
                 .iterations = below(150),
                 .group = group_},
                parent_seen) {
    parent_.on_decision([this](const Decision& decision) { hear_parent(decision); });
    make_child();
  }

  void run() {
    for (int step = 0; step < 400 && is_going_on(); ++step) {
      act();
      settle();
      parent_.check();
      child_->check();
    }
    for (int turn = 0; turn < 1000 && is_going_on(); ++turn) bring_in_results();
    parent_.expect_right_end();
    child_->withdraw(parent_.count());
    child_->close();
    for (int turn = 0; turn < 1000 && !child_->is_over(); ++turn) child_->bring_in_results();
    child_->expect_right_end();
  }

 private:
  /// What the group has of its parent.
  struct Held {
    ChunkId id;
    Chunk chunk;
    bool is_begun = false;
  };
  /// What it says about that.
  struct Report {
    enum class Kind { begun, returned, handed_back, failed } kind;
    ChunkId id;
    Index handed_back = 0;
    std::optional<Index> failed_at = std::nullopt;
  };

  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  bool is_going_on() const { return !parent_.is_over() && !::testing::Test::HasFailure(); }

  void make_child() {
    child_.emplace(RandomSchedule::Setup{.seed = random_(),
                                         .rules = child_rules_,
                                         .workers = 1 + below(4),
                                         .iterations = parent_.count(),
                                         .has_parent = true},
                   child_seen_);
    child_->on_decision([this](const Decision& decision) { hear_child(decision); });
  }

  void act() {
    switch (below(8)) {
      case 0:
      case 1:
        return parent_.act();
      case 2:
        return deliver_order();
      case 3:
        return deliver_report();
      case 4:
        return below(10) == 0 ? lose_group() : give_back_what_nobody_takes();
      default:
        return child_->act();
    }
  }

  // The group is lost with all its workers, and comes back with others. Its results may come late.
  void lose_group() {
    if (parent_.where(group_) == Where::away) return;
    for (const Held& held : held_) reports_.push_back({Report::Kind::returned, held.id});
    held_.clear();
    orders_.clear();
    make_child();
    parent_.lose(group_);
  }

  void give_back_what_nobody_takes() {
    if (!child_->is_anybody_here()) child_->withdraw(parent_.count());
  }

  // --- From the parent to the child

  void hear_parent(const Decision& decision) {
    const bool is_give = decision.kind == Decision::Kind::give;
    if (is_give && decision.worker != group_) return expect_group_does_not_write(decision.chunk);
    if (is_give || (decision.kind == Decision::Kind::recall && decision.worker == group_))
      orders_.push_back(decision);
  }

  void deliver_order() {
    if (orders_.empty()) return;
    const Decision order = orders_.front();
    orders_.pop_front();
    if (order.kind == Decision::Kind::recall)
      recall(order.id);
    else
      open({order.id, order.chunk});
  }

  // It may have some of them already: what came back from it while it was silent.
  void open(const Held& given) {
    std::vector<Chunk> missing;
    for (Index i = given.chunk.first; i < given.chunk.end(); ++i) {
      if (is_held(i)) continue;
      if (missing.empty() || missing.back().end() != i) missing.push_back({i, 0});
      ++missing.back().size;
    }
    held_.push_back(given);
    for (const Chunk range : missing) child_->open(range);
  }

  void recall(ChunkId id) {
    const auto held = std::ranges::find(held_, id, &Held::id);
    if (held != held_.end()) child_->withdraw(held->chunk.size);
  }

  // --- From the child to the parent

  void hear_child(const Decision& decision) {
    switch (decision.kind) {
      case Decision::Kind::give:
        return begin(decision.chunk);
      case Decision::Kind::publish:
        return expect_held(decision.chunk);
      case Decision::Kind::surrender:
        return hand_back(decision.chunk);
      default:
        return;
    }
  }

  void begin(Chunk chunk) {
    expect_held(chunk);
    for (Held& held : held_)
      if (intersection(held.chunk, chunk).size > 0 && !std::exchange(held.is_begun, true))
        reports_.push_back({Report::Kind::begun, held.id});
  }

  // Where it has iterations twice, other parts of the one may have been begun for the other: it gives back
  // from here on, and computes them once.
  void hand_back(Chunk range) {
    for (Held& held : held_) {
      if (intersection(held.chunk, range).size == 0) continue;
      EXPECT_TRUE(is_parent_aside_ || range.end() == held.chunk.end());
      const Index first = std::max(held.chunk.first, range.first);
      reports_.push_back({Report::Kind::handed_back, held.id, held.chunk.end() - first});
      held.chunk.size = first - held.chunk.first;
    }
    std::erase_if(held_, [](const Held& held) { return held.chunk.size == 0; });
  }

  /// What the child is done with goes back.
  void settle() {
    std::erase_if(held_, [this](const Held& held) {
      std::optional<Index> skipped;
      for (Index i = held.chunk.first; i < held.chunk.end(); ++i) {
        if (!child_->iteration(i).is_done()) return false;
        if (child_->iteration(i).is_skipped) skipped = i;
      }
      if (!skipped)
        reports_.push_back({Report::Kind::returned, held.id});
      else
        reports_.push_back({Report::Kind::failed, held.id, 0, below(2) == 0 ? skipped : std::nullopt});
      return true;
    });
  }

  void deliver_report() {
    if (reports_.empty()) return;
    const Report report = reports_.front();
    reports_.pop_front();
    const std::size_t which = parent_.find(group_, report.id);
    switch (report.kind) {
      case Report::Kind::begun:
        return parent_.begin(which);
      case Report::Kind::returned:
        return parent_.returned(which);
      case Report::Kind::handed_back:
        return parent_.hand_back(which, report.handed_back);
      case Report::Kind::failed:
        return parent_.fail(which, report.failed_at);
    }
  }

  // --- What lies between the two

  bool is_held(Index i) const {
    return std::ranges::any_of(
        held_, [i](const Held& held) { return held.chunk.first <= i && i < held.chunk.end(); });
  }

  /// Whatever the child gives and publishes, it has of its parent at that time.
  void expect_held(Chunk chunk) const {
    for (Index i = chunk.first; i < chunk.end(); ++i) EXPECT_TRUE(is_held(i));
  }

  /// Where both let results land in place, no worker of the group may still write where another will.
  void expect_group_does_not_write(Chunk chunk) const {
    if (is_parent_aside_ || child_rules_.reissue == Reissue::on) return;
    for (Index i = chunk.first; i < chunk.end(); ++i) EXPECT_EQ(child_->writers(i), 0);
  }

  void bring_in_results() {
    child_->bring_in_results();
    settle();
    while (!orders_.empty()) deliver_order();
    settle();
    while (!reports_.empty() && !parent_.is_over()) deliver_report();
    parent_.bring_in_results();
    parent_.check();
    child_->check();
  }

  std::mt19937_64 random_;
  WorkerId group_;
  bool is_parent_aside_;
  DispatchRules child_rules_;
  Seen& child_seen_;
  RandomSchedule parent_;
  std::optional<RandomSchedule> child_;
  std::vector<Held> held_;
  std::deque<Decision> orders_;
  std::deque<Report> reports_;
};

struct NestedSeen {
  Seen parent, child;
};

NestedSeen run_nests(Reissue parents, Reissue childs) {
  NestedSeen seen;
  for (std::uint64_t seed = 0; seed < 1000 && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Nest(seed, parents, childs, seen.parent, seen.child).run();
  }
  EXPECT_EQ(seen.parent.endings, (std::set{Ending::finished, Ending::gaps}));
  EXPECT_EQ(seen.child.endings, (std::set{Ending::finished, Ending::gaps}));
  for (const int count : {seen.parent.late, seen.parent.recalls, seen.parent.skips, seen.child.surrenders,
                          seen.child.skips, seen.child.late})
    EXPECT_GT(count, 100) << "the schedules are too tame to mean anything";
  return seen;
}

TEST(NestedSchedules, InPlaceNothingIsGivenWhileAWorkerOfTheGroupMayWrite) {
  const NestedSeen seen = run_nests(Reissue::off, Reissue::off);
  EXPECT_EQ(seen.parent.copies + seen.child.copies, 0);
}

TEST(NestedSchedules, AGroupMayCopyWithinItself) {
  const NestedSeen seen = run_nests(Reissue::off, Reissue::on);
  EXPECT_EQ(seen.parent.copies, 0);
  EXPECT_GT(seen.child.copies, 500);
}

TEST(NestedSchedules, AGroupsChunksMayBeCopied) {
  const NestedSeen seen = run_nests(Reissue::on, Reissue::off);
  EXPECT_GT(seen.parent.copies, 500);
  EXPECT_EQ(seen.child.copies, 0);
}

TEST(NestedSchedules, BothMayCopy) {
  const NestedSeen seen = run_nests(Reissue::on, Reissue::on);
  EXPECT_GT(seen.parent.copies, 500);
  EXPECT_GT(seen.child.copies, 500);
}

}  // namespace
}  // namespace loadshare
