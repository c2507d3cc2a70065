#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "base/io/text.hpp"
#include "models/farm/farm_simulation.hpp"

// The part of FarmSimulation about workers that come and go; farm_simulation.cpp has their chunks.

namespace loadshare::predictor {

void FarmSimulation::expect_changes() {
  has_changes_ = !std::ranges::all_of(scenario_.workers, &Stay::is_whole, &WorkerModel::stay);
  if (!has_changes_) return;
  late_shared_here_s_.resize(workers_.size());
  for (std::uint32_t number = 0; number < workers_.size(); ++number) {
    const Stay& stay = scenario_.workers[number].stay;
    if (stay.is_late()) events_.push({stay.from_s, number, Event::Kind::comes, 0});
    if (stay.has_end()) events_.push({stay.until_s, number, Event::Kind::goes, 0});
    if (stay.is_late()) ++yet_to_come_;
  }
}

/// What of the shared input is under way goes on: other hosts have it from there.
bool FarmSimulation::is_for_nobody(const Event& event) const {
  return workers_[event.worker].is_gone && event.kind != Event::Kind::shared_sent &&
         event.kind != Event::Kind::shared_input_here && event.kind != Event::Kind::handed_back &&
         event.kind != Event::Kind::ticks;
}

double FarmSimulation::handle_change(const Event& event) {
  double now_s = event.at_s;
  if (event.kind == Event::Kind::goes) now_s = go(event);
  if (event.kind == Event::Kind::handed_back) now_s = handed_back(event);
  if (event.kind == Event::Kind::comes) come(event);
  if (event.kind == Event::Kind::recall_here) hand_back(event.worker);
  if (event.kind == Event::Kind::ticks) dispatcher_.tick(now_s, decisions_);
  if (event.kind == Event::Kind::shared_sent_late) {
    network_.shared_sent_late();
    events_.push({now_s + scenario_.shared.tail_s, event.worker, Event::Kind::shared_here_late, 0});
  }
  if (event.kind == Event::Kind::goes || event.kind == Event::Kind::comes || event.kind == Event::Kind::ticks)
    expect_tick();
  return now_s;
}

/// Of a verdict that is withheld for a while (see DispatchRules::verdict_after_s).
void FarmSimulation::expect_tick() {
  if (const std::optional<double> next_s = dispatcher_.next_tick_s())
    events_.push({*next_s, 0, Event::Kind::ticks, 0});
}

/// A host that the farm has not had yet needs the shared input, and all its workers wait for it.
void FarmSimulation::come(const Event& event) {
  --yet_to_come_;
  const WorkerModel& model = scenario_.workers[event.worker];
  workers_[event.worker].free_at_s = event.at_s;
  workers_[event.worker].awaits_shared = needs_shared(model) && model.leads_host;
  join(event.worker, event.at_s);
  if (workers_[event.worker].awaits_shared) network_.send_shared_late(event.worker, event.at_s);
}

double FarmSimulation::go(const Event& event) {
  const double now_s = master_.serve_s(event.at_s, 0);
  Worker& worker = workers_[event.worker];
  if (scenario_.workers[event.worker].stay.end == Stay::End::leaves) {
    dispatcher_.leaving(WorkerId{event.worker}, never_s, now_s, decisions_);
  } else {
    forget_held(event.worker, event.at_s);
    network_.lose_shared(event.worker, event.at_s);
    worker.is_gone = true;
    dispatcher_.lost(WorkerId{event.worker}, now_s, decisions_);
  }
  return now_s;
}

/// What it had begun was in vain, ended or not, for its result is not here.
void FarmSimulation::forget_held(std::uint32_t number, double now_s) {
  Worker& worker = workers_[number];
  WorkerOutcome& outcome = outcome_.workers[number];
  for (std::uint16_t i = 0; i < worker.size; ++i) {
    const Held& one = held(number, slot_behind_head(worker, i));
    network_.leave_out(number, one.bundle(), i < worker.begun);
    if (i >= worker.begun) continue;
    dispatcher_.progressed(WorkerId{number}, one.id, 0);
    const double computed_s = std::max(0.0, std::min(now_s, one.ended_s) - one.begun_s - one.waited_s);
    // The chunks before the current one would have returned.
    outcome_.lost_iterations += one.bundle().width();
    outcome_.lost_s += computed_s / static_cast<double>(one.chunks);
    outcome.computing_s -= one.ended_s - one.begun_s - one.waited_s - computed_s;
  }
  outcome.last_end_s = std::min(outcome.last_end_s, now_s);
  worker.size = worker.begun = 0;
}

void FarmSimulation::recall(const Decision& recalled, double now_s) {
  const std::uint32_t number = to_number(recalled.worker);
  const Worker& worker = workers_[number];
  const double here_s = now_s + network_.word_s(number);
  for (std::uint16_t i = worker.begun; i < worker.size; ++i)
    if (Held& one = held(number, slot_behind_head(worker, i)); one.id == recalled.id) {
      one.recalled_s = here_s;
      events_.push({here_s, number, Event::Kind::recall_here, 0});
    }
}

/// What it was asked for and has not begun, the newest first. What is still on its way to it, or stands
/// before what it keeps, is computed: a worker need not hand back.
void FarmSimulation::hand_back(std::uint32_t number) {
  Worker& worker = workers_[number];
  for (; worker.begun < worker.size; --worker.size) {
    const std::uint16_t slot = slot_behind_head(worker, static_cast<std::uint16_t>(worker.size - 1));
    const Held& newest = held(number, slot);
    if (newest.recalled_s > now_s_ || newest.received_s > now_s_) return;
    if (free_places_.empty()) {
      if (handed_back_.size() > std::numeric_limits<std::uint16_t>::max()) return;
      free_places_.push_back(static_cast<std::uint16_t>(handed_back_.size()));
      handed_back_.emplace_back();
    }
    const std::uint16_t place = free_places_.back();
    free_places_.pop_back();
    handed_back_[place] = {newest.id, newest.chunk};
    network_.leave_out(number, newest.bundle(), false);
    events_.push({now_s_ + network_.word_s(number), number, Event::Kind::handed_back, place});
  }
}

double FarmSimulation::handed_back(const Event& event) {
  const HandedBack back = handed_back_[event.slot];
  free_places_.push_back(event.slot);
  const double now_s = master_.serve_s(event.at_s, 0);
  dispatcher_.handed_back(WorkerId{event.worker}, back.id, back.chunk, now_s, decisions_);
  return now_s;
}

void FarmSimulation::throw_stranded(double now_s) const {
  throw UsageError(fmt::format("no worker is left to compute {} of {} iterations", dispatcher_.remaining(),
                               dispatcher_.iterations()),
                   fmt::format("the last worker is gone at {:.3g} s, and none joins later", now_s),
                   "let a worker stay, or let one join");
}

void FarmSimulation::require_good_end() const {
  if (dispatcher_.ending() == Ending::finished) return;
  if (dispatcher_.ending() == Ending::stranded)
    throw UsageError(
        fmt::format("the run would end with {} of {} iterations left", dispatcher_.remaining(),
                    dispatcher_.iterations()),
        fmt::format("there would be no worker for {}, the longest time that a farm waits (--patience)",
                    duration_text(*scenario_.patience_s)),
        "let a worker stay, or let one join sooner");
  throw UsageError(
      "the run would not finish",
      "so many workers would be lost with one iteration that the farm would give it up (--crash-limit)",
      "lose fewer workers, or lose them later");
}

void FarmSimulation::tell_stays() {
  const double end_s = outcome_.makespan_s;
  for (std::size_t number = 0; number < workers_.size(); ++number) {
    Stay& stay = outcome_.stays.emplace_back(scenario_.workers[number].stay);
    if (stay.end == Stay::End::leaves)
      stay.until_s = std::max(stay.until_s, outcome_.workers[number].last_end_s);
    stay.until_s = std::min(stay.until_s, end_s);
    stay.from_s = std::min(stay.from_s, end_s);
  }
}

}  // namespace loadshare::predictor
