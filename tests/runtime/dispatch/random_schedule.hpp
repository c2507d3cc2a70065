#pragma once

#include <map>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <vector>

#include "runtime/dispatch/dispatcher.hpp"

namespace loadshare {

/// Where a worker is.
enum class Where { away, here, silent, leaving, overdue, cut_off };

/// What a worker was given and has not returned.
struct Given {
  WorkerId worker;
  Assignment assignment;
  bool is_gone = false;  ///< its worker was lost since
  bool is_begun = false;
  bool is_recalled = false;
};

/// One iteration, as an account of its own knows it.
struct Iteration {
  bool is_free = true;  ///< nobody has it
  bool is_skipped = false;
  int opening = 0;  ///< how often anything was opened before it was
  int commits = 0;
  std::set<WorkerId> lost_with = {};  ///< who has not come again
  std::optional<WorkerId> failed_on = std::nullopt;

  bool is_done() const { return commits > 0 || is_skipped; }
};

/// What was met in many schedules.
struct Seen {
  int copies = 0, discards = 0, late = 0, silences = 0, partial = 0, skips = 0, recalls = 0, cancels = 0,
      openings = 0, leases_over = 0;
  std::set<Ending> endings;
};

/// A dispatcher under random events, and an account that checks its decisions iteration by iteration and
/// knows nothing of slots, contests or pools.
class RandomSchedule {
 public:
  struct Setup {
    std::uint64_t seed = 0;
    DispatchRules rules = {};
    std::uint32_t workers = 1;
    Index iterations = 0;
  };
  RandomSchedule(const Setup& setup, Seen& seen);

  /// One random event.
  void act();
  /// The dispatcher's sums are the account's, and nobody is left idle.
  void check();
  /// Worker 0 alone brings every loop to its end: it joins, and all results come in.
  void bring_in_results();
  void expect_right_end() const;

  // Events; `which` as find() says.
  void join(WorkerId worker);
  void lose(WorkerId worker);
  void lose_at_work(WorkerId worker);
  void close();
  void drain();
  void begin(std::size_t which);
  void fail(std::size_t which, std::optional<Index> at);
  /// So many of its last iterations.
  void hand_back(std::size_t which, Index size);
  void returned(std::size_t which);

  bool is_over() const { return dispatcher_.is_over(); }
  Index count() const { return static_cast<Index>(iterations_.size()); }
  const Iteration& iteration(Index i) const { return iterations_[static_cast<std::size_t>(i)]; }
  Where where(WorkerId worker) const { return where_[to_number(worker)]; }
  bool is_anybody_here() const;
  /// Of given assignments, its place; throws std::logic_error where it was never given, or is done with.
  std::size_t find(WorkerId worker, ChunkId id) const;

 private:
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }
  bool is_aside() const { return rules_.reissue == Reissue::on || rules_.landing == Landing::aside; }
  /// Whether another worker may have a chunk while its holder may still compute it.
  bool may_have_two() const { return is_aside() && rules_.copies == Copies::allowed; }
  Iteration& at(Index i) { return iterations_[static_cast<std::size_t>(i)]; }
  Where& place(WorkerId worker) { return where_[to_number(worker)]; }
  std::unique_ptr<ChunkScheduler> scheduler(std::uint64_t seed);

  void leave(WorkerId worker);
  void cut_off(WorkerId worker);
  void end_lease(WorkerId worker);
  void silence(WorkerId worker);
  void hear(WorkerId worker);
  void tick();
  void open_some();
  std::optional<std::size_t> any_given();
  void fail_some(std::size_t which);
  void hand_back_some();
  void hand_back_too_much(std::size_t which);
  Given take(std::size_t which);
  void depart(WorkerId worker);

  void carry_out();
  void carry_out(const Decision& decision);
  void give(const Decision& decision);
  void publish(const Decision& decision);
  void recall(const Decision& decision);
  void cancel(const Decision& decision);
  void skip(Chunk chunk);
  void end(const Decision& decision);

  bool is_reliable(const Given& given) const;
  bool has(const Given& given, Index i) const;
  void free_what_nobody_has();
  template <class Is>
  Index count_if(Is is) const;
  Index free_count() const;
  int holders(Index i) const;
  std::uint32_t held(WorkerId worker) const;
  std::uint32_t live() const;
  void expect_all_published(const Given& given) const;
  void expect_nobody_idle() const;
  void expect_copied_enough() const;
  bool may_be_withheld(const Iteration& one) const;
  void expect_sums();

  std::mt19937_64 random_;
  bool has_failed_ = false;
  DispatchRules rules_;
  Seen& seen_;
  std::vector<Where> where_;
  std::vector<std::uint32_t> windows_;
  std::map<WorkerId, double> deadlines_;
  std::vector<Iteration> iterations_;
  int openings_ = 0;
  Dispatcher dispatcher_;
  Decisions out_;
  std::vector<Given> given_;
  std::optional<Given> returning_;
  bool has_ended_ = false, is_draining_ = false;
  double now_s_ = 0;
  std::uint32_t most_given_ = 0;
};

}  // namespace loadshare
