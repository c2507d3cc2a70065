#include "tests/runtime/dispatch/random_schedule.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

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

}  // namespace

RandomSchedule::RandomSchedule(const Setup& setup, Seen& seen)
    : random_(setup.seed),
      rules_(setup.rules),
      seen_(seen),
      where_(setup.workers, Where::away),
      windows_(setup.workers, 1),
      iterations_(static_cast<std::size_t>(setup.iterations)),
      dispatcher_(setup.iterations, scheduler(setup.seed), setup.rules) {}

std::unique_ptr<ChunkScheduler> RandomSchedule::scheduler(std::uint64_t seed) {
  const SchedulerTable table = built_in_schedulers();
  const std::uint32_t choice = below(static_cast<std::uint32_t>(table.entries().size()) + 4);
  if (choice >= table.entries().size()) return std::make_unique<Wild>(seed);
  return table.make(example_of(table.entries()[choice]), {count(), static_cast<Index>(where_.size())});
}

// --- Random events

void RandomSchedule::act() {
  const WorkerId worker{below(static_cast<std::uint32_t>(where_.size()))};
  const std::uint32_t what = below(100);
  now_s_ += 0.001 * below(10);
  if (what < 12) join(worker);
  if (what >= 12 && what < 15) leave(worker);
  if (what >= 15 && what < 18)
    rules_.copies == Copies::never&& below(4) > 0 ? cut_off(worker) : lose_at_work(worker);
  if (what >= 18 && what < 24) silence(worker);
  if (what >= 24 && what < 32) hear(worker);
  if (what >= 32 && what < 36) tick();
  if (what >= 36 && what < 40 && rules_.may_grow) open_some();
  const std::optional<std::size_t> which = any_given();
  if (!which) return;
  if (what >= 40 && what < 50) begin(*which);
  if (what >= 50 && what < 54 && rules_.on_failure != OnFailure::end) fail_some(*which);
  if (what >= 54 && what < 62) hand_back_some();
  if (what >= 62) returned(*which);
}

std::optional<std::size_t> RandomSchedule::any_given() {
  if (given_.empty()) return std::nullopt;
  return below(static_cast<std::uint32_t>(given_.size()));
}

void RandomSchedule::leave(WorkerId worker) {
  if (where(worker) == Where::away || where(worker) == Where::cut_off) return;
  place(worker) = Where::leaving;
  deadlines_[worker] = now_s_ + 0.02;
  dispatcher_.leaving(worker, now_s_ + 0.02, now_s_, out_);
  carry_out();
  depart(worker);
}

// A worker that holds nothing is lost immediately.
void RandomSchedule::cut_off(WorkerId worker) {
  if (where(worker) == Where::away || where(worker) == Where::cut_off) return;
  place(worker) = held(worker) > 0 ? Where::cut_off : Where::away;
  deadlines_[worker] = now_s_ + 0.05;
  dispatcher_.cut_off(worker, now_s_ + 0.05, now_s_, out_);
  carry_out();
}

void RandomSchedule::end_lease(WorkerId worker) {
  place(worker) = Where::away;
  for (Given& given : given_) given.is_gone |= given.worker == worker;
  free_what_nobody_has();
  ++seen_.leases_over;
}

void RandomSchedule::silence(WorkerId worker) {
  if (where(worker) != Where::here) return;
  place(worker) = Where::silent;
  ++seen_.silences;
  free_what_nobody_has();
  dispatcher_.silent(worker, now_s_, out_);
  carry_out();
}

void RandomSchedule::hear(WorkerId worker) {
  if (where(worker) == Where::silent) place(worker) = Where::here;
  dispatcher_.heard(worker, now_s_, out_);
  carry_out();
}

void RandomSchedule::tick() {
  for (std::uint32_t number = 0; number < where_.size(); ++number)
    if (where_[number] == Where::leaving && now_s_ >= deadlines_[WorkerId{number}]) {
      where_[number] = Where::overdue;
      free_what_nobody_has();
    } else if (where_[number] == Where::cut_off && now_s_ >= deadlines_[WorkerId{number}]) {
      end_lease(WorkerId{number});
    }
  dispatcher_.tick(now_s_, out_);
  carry_out();
}

void RandomSchedule::open_some() {
  if (iterations_.size() > 600) return;
  const Chunk range{count(), 1 + below(40)};
  iterations_.resize(iterations_.size() + static_cast<std::size_t>(range.size), {.opening = ++openings_});
  ++seen_.openings;
  dispatcher_.opened(range, now_s_, out_);
  carry_out();
}

void RandomSchedule::fail_some(std::size_t which) {
  const Chunk chunk = given_[which].assignment.chunk;
  std::optional<Index> at;
  if (below(2) == 0) at = chunk.first + below(static_cast<std::uint32_t>(chunk.size));
  fail(which, at);
}

// What was recalled and is not begun, all of it; where nothing is, of anything else not begun all or the
// end.
void RandomSchedule::hand_back_some() {
  const auto find_unbegun = [this](bool is_recalled) {
    return std::ranges::find_if(
        given_, [&](const Given& given) { return !given.is_begun && given.is_recalled == is_recalled; });
  };
  auto found = find_unbegun(true);
  if (found == given_.end()) found = find_unbegun(false);
  if (found == given_.end()) return;
  const auto which = static_cast<std::size_t>(found - given_.begin());
  const Index size = found->assignment.chunk.size;
  if (below(8) == 0) return hand_back_too_much(which);
  hand_back(which, found->is_recalled ? size : 1 + below(static_cast<std::uint32_t>(size)));
}

// What it never had: that changes nothing.
void RandomSchedule::hand_back_too_much(std::size_t which) {
  const auto& [id, chunk, is_copy, landing] = given_[which].assignment;
  dispatcher_.handed_back(given_[which].worker, id, {chunk.first, chunk.size + 1}, now_s_, out_);
  EXPECT_TRUE(out_.empty());
}

// --- Events

void RandomSchedule::join(WorkerId worker) {
  windows_[to_number(worker)] = 1 + below(3);
  if (where(worker) == Where::cut_off) end_lease(worker);  // its earlier work has stopped
  place(worker) = Where::here;
  for (Iteration& one : iterations_) one.lost_with.erase(worker);
  dispatcher_.joined(worker, {.window = windows_[to_number(worker)]}, now_s_, out_);
  carry_out();
}

// With its oldest chunk begun, most of the time.
void RandomSchedule::lose_at_work(WorkerId worker) {
  const auto oldest = std::ranges::find_if(
      given_, [worker](const Given& given) { return given.worker == worker && !given.is_gone; });
  if (oldest != given_.end() && below(8) > 0) begin(static_cast<std::size_t>(oldest - given_.begin()));
  lose(worker);
}

void RandomSchedule::lose(WorkerId worker) {
  if (where(worker) == Where::away) return;
  const bool may_blame = std::exchange(place(worker), Where::away) == Where::here;
  for (Given& given : given_) {
    if (given.is_gone || given.worker != worker) continue;
    given.is_gone = true;
    const Chunk blamed = may_blame && given.is_begun ? given.assignment.chunk : Chunk{};
    for (Index i = blamed.first; i < blamed.end(); ++i) at(i).lost_with.insert(worker);
  }
  free_what_nobody_has();
  dispatcher_.lost(worker, now_s_, out_);
  carry_out();
}

void RandomSchedule::close() {
  dispatcher_.closed(out_);
  carry_out();
}

void RandomSchedule::drain() {
  is_draining_ = true;
  dispatcher_.drain(out_);
  carry_out();
}

void RandomSchedule::begin(std::size_t which) {
  const Given given = given_[which];
  for (std::size_t i = 0; i <= which && !given.is_gone; ++i)
    given_[i].is_begun |= given_[i].worker == given.worker && !given_[i].is_gone;
  dispatcher_.progressed(given.worker, given.assignment.id, below(2) == 0 ? 0 : below(30));
}

void RandomSchedule::fail(std::size_t which, std::optional<Index> where) {
  const Given given = take(which);
  for (Index i = given.assignment.chunk.first; i < given.assignment.chunk.end(); ++i)
    if (!given.is_gone && has(given, i)) at(i).failed_on = given.worker;
  has_failed_ |= !given.is_gone;
  if (!given.is_gone) free_what_nobody_has();
  dispatcher_.failed(given.worker, given.assignment.id, where, now_s_, out_);
  carry_out();
  depart(given.worker);
}

void RandomSchedule::hand_back(std::size_t which, Index size) {
  const Given given = given_[which];
  const Chunk chunk = given.assignment.chunk;
  if (size == chunk.size) {
    take(which);
  } else {
    given_[which].assignment.chunk.size -= size;
    given_[which].is_recalled = false;
  }
  if (!given.is_gone) free_what_nobody_has();
  dispatcher_.handed_back(given.worker, given.assignment.id, {chunk.end() - size, size}, now_s_, out_);
  carry_out();
  depart(given.worker);
}

// The worker may be lost: then the result comes late. Now and then a result comes twice.
void RandomSchedule::returned(std::size_t which) {
  const Given given = take(which);
  seen_.late += given.is_gone ? 1 : 0;
  returning_ = given.is_gone ? std::nullopt : std::optional(given);
  dispatcher_.returned(given.worker, given.assignment.id, {.compute_s = 0.001}, now_s_, out_);
  carry_out();
  if (returning_) expect_all_published(given);
  returning_.reset();
  depart(given.worker);
  if (below(4) != 0 || is_over()) return;
  dispatcher_.returned(given.worker, given.assignment.id, {}, now_s_, out_);
  ASSERT_EQ(out_.size(), 1u);
  EXPECT_EQ(out_.front().kind, Decision::Kind::discard);
  carry_out();
}

void RandomSchedule::bring_in_results() {
  if (where_[0] != Where::here) join(WorkerId{0});
  while (!is_over()) {
    if (given_.empty()) return is_draining_ ? tick() : void();
    returned(given_.size() - 1);
  }
}

Given RandomSchedule::take(std::size_t which) {
  const Given given = given_[which];
  given_.erase(given_.begin() + static_cast<std::ptrdiff_t>(which));
  return given;
}

// Who leaves has left when it holds nothing.
void RandomSchedule::depart(WorkerId worker) {
  const bool leaves = where(worker) == Where::leaving || where(worker) == Where::overdue;
  if (leaves && held(worker) == 0) place(worker) = Where::away;
}

// --- Decisions

void RandomSchedule::carry_out() {
  for (const Decision& decision : out_) {
    EXPECT_FALSE(has_ended_) << "nothing is decided after the end";
    carry_out(decision);
  }
  out_.clear();
}

void RandomSchedule::carry_out(const Decision& decision) {
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
    case Decision::Kind::skip:
      return skip(decision.chunk);
    case Decision::Kind::set_aside:
      ADD_FAILURE() << "nobody says who is on which host";
      return;
    case Decision::Kind::wait:
      EXPECT_FALSE(is_anybody_here());
      return;
    case Decision::Kind::end:
      has_ended_ = true;
      return end(decision);
  }
}

void RandomSchedule::give(const Decision& decision) {
  const auto [id, chunk, is_copy, landing] = decision.assignment();
  EXPECT_EQ(where(decision.worker), Where::here);
  EXPECT_FALSE(is_draining_);
  EXPECT_LT(held(decision.worker), windows_[to_number(decision.worker)]);
  EXPECT_TRUE(!is_copy || held(decision.worker) == 0) << "copies are for those with nothing else to do";
  EXPECT_TRUE(!is_copy || free_count() == 0) << "before all others";
  ASSERT_TRUE(chunk.size >= 1 && chunk.first >= 0 && chunk.end() <= count());
  EXPECT_EQ(landing, is_aside() ? Landing::aside : Landing::in_place);
  for (Index i = chunk.first; i < chunk.end(); ++i) {
    EXPECT_FALSE(at(i).is_done());
    EXPECT_EQ(at(i).is_free, !is_copy);
    EXPECT_TRUE(may_have_two() || holders(i) == 0) << "a worker may still compute it";
    EXPECT_TRUE(!is_copy || holders(i) < 3);
    EXPECT_EQ(at(i).opening, at(chunk.first).opening) << "what was opened apart is given apart";
    at(i).is_free = false;
  }
  for (const Given& given : given_)
    EXPECT_TRUE(given.is_gone || given.assignment.id.slot != id.slot) << "the slot is in use";
  given_.push_back({decision.worker, decision.assignment()});
  seen_.copies += is_copy ? 1 : 0;
  most_given_ = std::max(most_given_, live());
}

void RandomSchedule::publish(const Decision& decision) {
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

void RandomSchedule::recall(const Decision& decision) {
  Given& given = given_[find(decision.worker, decision.id)];
  const bool is_leaving = where(decision.worker) == Where::leaving;
  EXPECT_TRUE(is_draining_ || is_leaving || (where(decision.worker) == Where::here && free_count() == 0))
      << "somebody has come, and there is nothing else for him";
  EXPECT_FALSE(given.is_begun || given.is_recalled);
  EXPECT_EQ(given.assignment.chunk, decision.chunk);
  given.is_recalled = true;
  ++seen_.recalls;
}

void RandomSchedule::cancel(const Decision& decision) {
  expect_all_published(given_[find(decision.worker, decision.id)]);
  ++seen_.cancels;
}

void RandomSchedule::skip(Chunk chunk) {
  EXPECT_EQ(rules_.on_failure, OnFailure::skip);
  EXPECT_EQ(chunk.size, 1);
  EXPECT_TRUE(at(chunk.first).failed_on);
  EXPECT_FALSE(at(chunk.first).is_done());
  at(chunk.first).is_skipped = true;
  at(chunk.first).is_free = false;
  ++seen_.skips;
}

void RandomSchedule::end(const Decision& decision) {
  EXPECT_EQ(decision.ending, dispatcher_.ending());
  seen_.endings.insert(decision.ending);
  const Chunk chunk = decision.chunk;
  EXPECT_TRUE(decision.ending != Ending::drained || (is_draining_ && dispatcher_.outstanding() == 0));
  const bool is_failure = decision.ending == Ending::failed;
  if (decision.ending == Ending::culprit) {
    EXPECT_EQ(chunk.size, 1);
    EXPECT_GE(at(chunk.first).lost_with.size(), rules_.crash_limit);
  }
  EXPECT_TRUE(!is_failure || (rules_.on_failure == OnFailure::retry && chunk.size == 1)) << "it is found";
}

// --- The account

bool RandomSchedule::is_reliable(const Given& given) const {
  return !given.is_gone && (where(given.worker) == Where::here || where(given.worker) == Where::leaving);
}

bool RandomSchedule::has(const Given& given, Index i) const {
  const Chunk chunk = given.assignment.chunk;
  return chunk.first <= i && i < chunk.end();
}

/// An iteration is free if it is not done and no reliable worker has it. In place, and if copies are never
/// made, a worker that is not surely gone still has it. Only changed iterations are freed: those given away
/// because of a silence stay with both workers.
void RandomSchedule::free_what_nobody_has() {
  std::vector<bool> is_had(iterations_.size(), false);
  for (const Given& given : given_) {
    if (given.is_gone || (may_have_two() && !is_reliable(given))) continue;
    for (Index i = given.assignment.chunk.first; i < given.assignment.chunk.end(); ++i)
      if (has(given, i)) is_had[static_cast<std::size_t>(i)] = true;
  }
  for (std::size_t i = 0; i < iterations_.size(); ++i)
    if (!iterations_[i].is_done() && !is_had[i]) iterations_[i].is_free = true;
}

template <class Is>
Index RandomSchedule::count_if(Is is) const {
  return std::ranges::count_if(iterations_, is);
}

Index RandomSchedule::free_count() const {
  return count_if([](const Iteration& one) { return one.is_free; });
}

int RandomSchedule::holders(Index i) const {
  return static_cast<int>(
      std::ranges::count_if(given_, [&](const Given& given) { return !given.is_gone && has(given, i); }));
}

std::uint32_t RandomSchedule::held(WorkerId worker) const {
  return static_cast<std::uint32_t>(std::ranges::count_if(
      given_, [worker](const Given& given) { return !given.is_gone && given.worker == worker; }));
}

std::uint32_t RandomSchedule::live() const {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(given_, [](const Given& given) { return !given.is_gone; }));
}

bool RandomSchedule::is_anybody_here() const {
  return std::ranges::count(where_, Where::here) > 0;
}

std::size_t RandomSchedule::find(WorkerId worker, ChunkId id) const {
  const auto found = std::ranges::find_if(
      given_, [&](const Given& given) { return given.worker == worker && given.assignment.id == id; });
  if (found == given_.end()) throw std::logic_error("an assignment that was never given");
  return static_cast<std::size_t>(found - given_.begin());
}

void RandomSchedule::expect_all_published(const Given& given) const {
  for (Index i = given.assignment.chunk.first; i < given.assignment.chunk.end(); ++i)
    EXPECT_TRUE(iteration(i).is_done() || !has(given, i));
}

void RandomSchedule::check() {
  if (is_over()) return;
  if (!is_draining_) expect_nobody_idle();
  expect_sums();
}

bool RandomSchedule::may_be_withheld(const Iteration& one) const {
  return rules_.crash_limit > 0 && one.lost_with.size() >= rules_.crash_limit;
}

// If a present worker has nothing, no iterations are free, except those on which it failed itself, and those
// that may be withheld.
void RandomSchedule::expect_nobody_idle() const {
  const auto present = std::ranges::count(where_, Where::here);
  for (std::uint32_t number = 0; number < where_.size(); ++number) {
    const WorkerId worker{number};
    if (where_[number] != Where::here || held(worker) > 0) continue;
    const bool is_work = std::ranges::any_of(iterations_, [&](const Iteration& one) {
      return one.is_free && !may_be_withheld(one) && (present == 1 || one.failed_on != worker);
    });
    EXPECT_FALSE(is_work) << "worker " << number << " idles beside free iterations";
    // A range on which somebody failed is not copied, whole or in parts.
    // Who waits for what was recalled for him copies nothing meanwhile.
    const bool is_recalling =
        std::ranges::any_of(given_, [](const Given& given) { return given.is_recalled && !given.is_gone; });
    const bool is_copied = rules_.reissue == Reissue::on && rules_.copies == Copies::allowed;
    if (is_copied && free_count() == 0 && !has_failed_ && !is_recalling) expect_copied_enough();
  }
}

void RandomSchedule::expect_copied_enough() const {
  for (const Given& given : given_) {
    if (given.is_gone) continue;
    for (Index i = given.assignment.chunk.first; i < given.assignment.chunk.end(); ++i)
      EXPECT_TRUE(iteration(i).is_done() || !has(given, i) || holders(i) >= 3 ||
                  may_be_withheld(iteration(i)))
          << "a copy was due of iteration " << i;
  }
}

void RandomSchedule::expect_sums() {
  EXPECT_EQ(dispatcher_.committed(), count_if([](const Iteration& one) { return one.commits == 1; }));
  EXPECT_EQ(dispatcher_.skipped(), count_if([](const Iteration& one) { return one.is_skipped; }));
  EXPECT_EQ(dispatcher_.iterations(), count());
  EXPECT_EQ(dispatcher_.remaining(), free_count());
  EXPECT_GE(dispatcher_.done(), dispatcher_.committed());
  EXPECT_EQ(dispatcher_.workers_present(), std::ranges::count(where_, Where::here));
  const WorkerId worker{below(static_cast<std::uint32_t>(where_.size()))};
  EXPECT_EQ(dispatcher_.held_count(worker), held(worker));
  EXPECT_EQ(dispatcher_.held(worker).size(), held(worker));
}

void RandomSchedule::expect_right_end() const {
  EXPECT_TRUE(is_over());
  const bool is_all_done =
      std::ranges::all_of(iterations_, [](const Iteration& one) { return one.is_done(); });
  const bool has_skipped = count_if([](const Iteration& one) { return one.is_skipped; }) > 0;
  EXPECT_EQ(dispatcher_.ending() == Ending::finished, is_all_done && !has_skipped);
  EXPECT_EQ(dispatcher_.ending() == Ending::gaps, is_all_done && has_skipped);
  EXPECT_LE(dispatcher_.slots(), most_given_) << "slots are used again";
}

}  // namespace loadshare
