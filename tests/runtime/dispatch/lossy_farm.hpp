#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "runtime/dispatch/dispatcher.hpp"

namespace loadshare::test {

/// A dispatcher with workers that compute in virtual time, one process each, and are lost: at a given
/// instant, or whenever they compute a deadly iteration. No re-issue.
class LossyFarm {
 public:
  struct Setup {
    std::vector<double> costs;             ///< seconds, by iteration
    std::vector<double> lost_at_s = {};    ///< by worker; infinite: never
    std::optional<Index> deadly = {};      ///< ends every process that computes it
    std::optional<double> restart_s = {};  ///< time until a new process follows one that is lost
    bool reports_progress = true;          ///< the dispatcher learns how far a lost worker had come
    std::uint32_t window = 2;
  };
  struct Result {
    Ending ending = Ending::open;
    Index committed = 0;
    Chunk where = {};            ///< of a culprit
    Index first_lost_chunk = 0;  ///< the width of the first chunk with which a process was lost
    int processes_lost = 0;
  };

  LossyFarm(Setup setup, std::unique_ptr<ChunkScheduler> scheduler)
      : setup_(std::move(setup)),
        dispatcher_(static_cast<Index>(setup_.costs.size()), std::move(scheduler),
                    {.patience_s = 60, .workers_expected = static_cast<Index>(setup_.lost_at_s.size())}) {}

  Result run() {
    for (const double lost_at_s : setup_.lost_at_s) join(lost_at_s);
    while (!dispatcher_.is_over()) {
      const auto next =
          std::ranges::min_element(workers_, {}, [this](const Worker& one) { return next_s(one); });
      const double tick_s = dispatcher_.next_tick_s().value_or(never_s);
      if (next_s(*next) == never_s && tick_s == never_s) break;  // it hangs: the ending stays open
      now_s_ = std::max(now_s_, std::min(next_s(*next), tick_s));
      if (tick_s <= next_s(*next)) {
        dispatcher_.tick(now_s_, out_);
        carry_out();
      } else {
        act(static_cast<std::uint32_t>(next - workers_.begin()));
      }
    }
    result_.ending = dispatcher_.ending();
    result_.committed = dispatcher_.committed();
    return result_;
  }

 private:
  static constexpr double never_s = std::numeric_limits<double>::infinity();

  struct Worker {
    double lost_at_s = never_s;
    double restarts_at_s = never_s;
    std::deque<Assignment> queue = {};  // the first is being computed
    double begun_s = 0;
    bool is_gone = false;
  };

  double cost_s(Chunk chunk) const {
    double seconds = 0;
    for (Index i = chunk.first; i < chunk.end(); ++i) seconds += setup_.costs[static_cast<std::size_t>(i)];
    return seconds;
  }
  bool is_deadly(Chunk chunk) const {
    return setup_.deadly && chunk.first <= *setup_.deadly && *setup_.deadly < chunk.end();
  }
  /// When its chunk ends, or ends the process, in the middle of the deadly iteration.
  double ends_s(const Worker& worker) const {
    if (worker.queue.empty()) return never_s;
    const Chunk chunk = worker.queue.front().chunk;
    if (!is_deadly(chunk)) return worker.begun_s + cost_s(chunk);
    return worker.begun_s + cost_s({chunk.first, *setup_.deadly - chunk.first}) +
           cost_s({*setup_.deadly, 1}) / 2;
  }
  double next_s(const Worker& worker) const {
    return worker.is_gone ? worker.restarts_at_s : std::min(ends_s(worker), worker.lost_at_s);
  }

  void join(double lost_at_s) {
    const WorkerId worker{static_cast<std::uint32_t>(workers_.size())};
    workers_.push_back({.lost_at_s = lost_at_s});
    dispatcher_.joined(worker, {.window = setup_.window}, now_s_, out_);
    carry_out();
  }

  void act(std::uint32_t number) {
    Worker& worker = workers_[number];
    if (worker.is_gone) {
      worker.restarts_at_s = never_s;
      return join(never_s);
    }
    const bool ends = !worker.queue.empty() && is_deadly(worker.queue.front().chunk);
    if (worker.lost_at_s <= now_s_ || ends) return lose(number);
    const Assignment done = worker.queue.front();
    worker.queue.pop_front();
    const double took_s = now_s_ - worker.begun_s;
    begin(number);
    dispatcher_.returned(WorkerId{number}, done.id, {.compute_s = took_s}, now_s_, out_);
    carry_out();
  }

  void lose(std::uint32_t number) {
    Worker& worker = workers_[number];
    ++result_.processes_lost;
    if (!worker.queue.empty()) {
      const Assignment& at = worker.queue.front();
      if (result_.first_lost_chunk == 0) result_.first_lost_chunk = at.chunk.size;
      Index computed = 0;
      while (computed < at.chunk.size && worker.begun_s + cost_s({at.chunk.first, computed + 1}) <= now_s_)
        ++computed;
      if (is_deadly(at.chunk)) computed = std::min(computed, *setup_.deadly - at.chunk.first);
      dispatcher_.progressed(WorkerId{number}, at.id, setup_.reports_progress ? computed : 0);
    }
    worker.is_gone = true;
    worker.queue.clear();
    if (setup_.restart_s) worker.restarts_at_s = now_s_ + *setup_.restart_s;
    dispatcher_.lost(WorkerId{number}, now_s_, out_);
    carry_out();
  }

  void begin(std::uint32_t number) {
    Worker& worker = workers_[number];
    worker.begun_s = now_s_;
    if (!worker.queue.empty()) dispatcher_.progressed(WorkerId{number}, worker.queue.front().id, 0);
  }

  void carry_out() {
    while (!out_.empty()) {
      const Decision decision = out_.front();
      out_.erase(out_.begin());
      const std::uint32_t number = to_number(decision.worker);
      if (decision.kind == Decision::Kind::give) {
        workers_[number].queue.push_back(decision.assignment());
        if (workers_[number].queue.size() == 1) begin(number);
      } else if (decision.kind == Decision::Kind::recall) {
        std::erase_if(workers_[number].queue, [&](const Assignment& one) { return one.id == decision.id; });
        dispatcher_.handed_back(decision.worker, decision.id, decision.chunk, now_s_, out_);
      } else if (decision.kind == Decision::Kind::end && decision.ending == Ending::culprit) {
        result_.where = decision.chunk;
      }
    }
  }

  Setup setup_;
  Dispatcher dispatcher_;
  std::vector<Worker> workers_;
  Decisions out_;
  Result result_;
  double now_s_ = 0;
};

/// Draws a number between the two, its logarithm uniform.
inline Index draw_between(Index least, Index most, std::mt19937_64& random) {
  std::uniform_real_distribution<double> exponent(std::log(static_cast<double>(least)),
                                                  std::log(static_cast<double>(most)));
  return static_cast<Index>(std::exp(exponent(random)));
}

/// Iterations of 1 ms to 1 s, each between half and twice as long as the others.
inline std::vector<double> draw_costs(Index iterations, std::mt19937_64& random) {
  const double typical_s = 1e-3 * static_cast<double>(draw_between(1, 1000, random));
  std::uniform_real_distribution<double> factor(0.5, 2);
  std::vector<double> costs(static_cast<std::size_t>(iterations));
  for (double& cost_s : costs) cost_s = typical_s * factor(random);
  return costs;
}

/// A farm of which all workers but one are lost, at instants drawn from the time that it would take.
inline LossyFarm::Setup draw_losses_at_random(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::uint32_t workers = std::vector{4u, 8u, 12u}[seed % 3];
  LossyFarm::Setup setup{.costs = draw_costs(draw_between(20, 2000, random), random)};
  double all_s = 0;
  for (const double cost_s : setup.costs) all_s += cost_s;
  std::uniform_real_distribution<double> instant(0, all_s / 2);
  for (std::uint32_t number = 0; number + 1 < workers; ++number) setup.lost_at_s.push_back(instant(random));
  setup.lost_at_s.push_back(std::numeric_limits<double>::infinity());
  setup.reports_progress = random() % 2 == 0;
  setup.window = 1 + static_cast<std::uint32_t>(random() % 3);
  return setup;
}

/// The same, but all at once in the last tenth of the run, within half a second.
inline LossyFarm::Setup draw_losses_in_a_burst(std::uint64_t seed) {
  LossyFarm::Setup setup = draw_losses_at_random(seed);
  std::mt19937_64 random(seed + 1'000'000);
  double all_s = 0;
  for (const double cost_s : setup.costs) all_s += cost_s;
  const double run_s = all_s / static_cast<double>(setup.lost_at_s.size());
  std::uniform_real_distribution<double> tail(0.9, 1), within_s(0, 0.5);
  const double begin_s = run_s * tail(random);
  for (double& lost_at_s : setup.lost_at_s)
    if (std::isfinite(lost_at_s)) lost_at_s = begin_s + within_s(random);
  return setup;
}

/// A farm with one deadly iteration, in which each process that is lost is followed by a new one.
inline LossyFarm::Setup draw_deadly_iteration(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const std::size_t workers = std::vector{4u, 8u, 12u}[seed % 3];
  LossyFarm::Setup setup{.costs = draw_costs(draw_between(100, 5000, random), random)};
  setup.lost_at_s.assign(workers, std::numeric_limits<double>::infinity());
  setup.deadly = static_cast<Index>(random() % setup.costs.size());
  setup.restart_s = 0.5;
  setup.reports_progress = random() % 2 == 0;
  setup.window = 1 + static_cast<std::uint32_t>(random() % 3);
  return setup;
}

}  // namespace loadshare::test
