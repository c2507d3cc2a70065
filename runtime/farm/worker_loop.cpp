#include "runtime/farm/worker_loop.hpp"

#include <chrono>
#include <thread>

#include "base/error.hpp"
#include "runtime/farm/program.hpp"
#include "runtime/host/scheduling.hpp"

namespace loadshare {

Account WorkerLoop::run() {
  const double cpu_before_s = thread_cpu_s();
  const std::optional<double> taken_before_s = most_taken_s();
  account_.start_s = last_end_s_ = monotonic_s();
  while (const std::optional<Task> task = next()) {
    const bool is_narrow = 2 * task->chunk.size <= at_once_;
    if (!is_narrow) others_come_by_s_ = 0;
    if (is_narrow && !take_others(*task)) break;
    if (is_narrow && together_.size() > 1)
      serve_together();
    else
      serve(*task);
  }
  account_.end_s = monotonic_s();
  account_.last_end_s = last_end_s_;
  account_.idle_s += account_.end_s - last_end_s_;
  if (const auto taken_s = most_taken_s(); taken_s && taken_before_s)
    account_.blocked_s = std::max(0.0, account_.stolen_s - (*taken_s - *taken_before_s));
  account_.waiting_cpu_s =
      std::max(0.0, thread_cpu_s() - cpu_before_s - (account_.computing_s - children_s_));
  return account_;
}

std::optional<Task> WorkerLoop::next() {
  was_queued_ = end_.has_next();
  return end_.next();
}

// As long as there are some here and another like the last still fits. False: the run is over.
bool WorkerLoop::take_others(const Task& first) {
  together_.assign(1, first);
  for (Index taken = first.chunk.size; together_.size() < most_together_;) {
    if (taken + together_.back().chunk.size > at_once_) break;
    if (const std::optional<Task> task = end_.next_here()) {
      together_.push_back(*task);
      taken += task->chunk.size;
    } else if (end_.over().load(std::memory_order_acquire) != 0) {
      return false;
    } else if (!is_worth_waiting()) {
      break;
    }
  }
  others_come_by_s_ = 0;
  return true;
}

// Or they were too long on their way, as they may be from another host: from now on some wait here.
bool WorkerLoop::is_worth_waiting() {
  constexpr std::chrono::microseconds a_moment{10};
  if (others_come_by_s_ == 0) return false;
  if (monotonic_s() < others_come_by_s_) {
    std::this_thread::sleep_for(a_moment);
    return true;
  }
  most_together_ = half_;
  return false;
}

void WorkerLoop::serve_together() {
  Stamps stamps;
  stamps.received_s = monotonic_s();
  account_wait(together_.front(), stamps.received_s);
  const double cpu_before_s = thread_cpu_s();
  double waited_s = 0;
  together_.back().signals.progressed(0);  // with it they are all begun
  stamps.begun_s = monotonic_s();
  try {
    compute_together(waited_s);
  } catch (...) {  // one by one it shows which of them failed
    for (const Task& task : together_) serve(task);
    return;
  }
  stamps.ended_s = monotonic_s();
  ticks_.learn(stamps.ended_s);
  const double wall_s = stamps.ended_s - stamps.begun_s;
  stamps.cpu_s = with_children_s(thread_cpu_s() - cpu_before_s, wall_s, waited_s);
  sampler_.timed(together_.front().chunk.size, wall_s);
  stamps.waited_s = static_cast<float>(waited_s);
  account_chunk(stamps, waited_s);
  constexpr double part_that_waiting_wins_back = 0.02;
  if (together_.size() > half_) others_come_by_s_ = stamps.ended_s + part_that_waiting_wins_back * wall_s;
  report_together(stamps);
}

void WorkerLoop::compute_together(double& waited_s) {
  std::vector<Work> works;
  for (const Task& task : together_)
    works.emplace_back(task.chunk, end_.worker(), task.input, task.output, end_.shared_input(), end_.over(),
                       task.signals);
  workload_.compute_together(works);
  for (const Work& work : works) waited_s += work.waited_s();
}

// Each has its share of the time, as though they had been computed one after the other.
void WorkerLoop::report_together(const Stamps& all) {
  Index iterations = 0, past = 0;
  for (const Task& task : together_) iterations += task.chunk.size;
  const auto part = [&](double amount, Index of) {
    return amount * static_cast<double>(of) / static_cast<double>(iterations);
  };
  const double wall_s = all.ended_s - all.begun_s;
  for (const Task& task : together_) {
    const bool was_here = past > 0 || was_queued_ || task.received_s > 0;
    Stamps stamps;
    stamps.received_s = was_here ? task.received_s : all.received_s;
    stamps.begun_s = all.begun_s + part(wall_s, past);
    past += task.chunk.size;
    const double held_s = part(wall_s, iterations - past);
    stamps.held_s = static_cast<float>(held_s);
    stamps.ended_s = all.ended_s - held_s;
    stamps.waited_s = static_cast<float>(part(all.waited_s, task.chunk.size));
    stamps.cpu_s = part(all.cpu_s, task.chunk.size);
    end_.done(task, &stamps);
    ++account_.chunks;
  }
  account_.iterations += iterations;
  together_.clear();
}

// What a chunk that failed took counts as waiting: nothing came of it.
void WorkerLoop::serve(const Task& task) {
  failed_at_.reset();
  try {
    if (sampler_.wants(task.chunk.size))
      serve_timed(task);
    else
      serve_untimed(task);
  } catch (const UsageError&) {  // not the chunk is to blame, but the program: what the master throws for it
    return end_.failed(task, outcome_of([] { throw; }), failed_at_);
  } catch (...) {
    return end_.failed(task, current_what(), failed_at_);
  }
  ++account_.chunks;
  account_.iterations += task.chunk.size;
}

void WorkerLoop::compute(const Task& task, double& waited_s) {
  Work work(task.chunk, end_.worker(), task.input, task.output, end_.shared_input(), end_.over(),
            task.signals);
  try {
    workload_.compute(work);
  } catch (...) {
    failed_at_ = work.current();
    children_.take(0);
    throw;
  }
  waited_s = work.waited_s();
}

void WorkerLoop::serve_timed(const Task& task) {
  Stamps stamps;
  stamps.received_s = monotonic_s();
  account_wait(task, stamps.received_s);
  const double cpu_before_s = sampler_.wants_cpu() ? thread_cpu_s() : 0;
  double waited_s = 0;
  stamps.begun_s = monotonic_s();
  compute(task, waited_s);
  stamps.ended_s = monotonic_s();
  ticks_.learn(stamps.ended_s);
  const double wall_s = stamps.ended_s - stamps.begun_s;
  stamps.cpu_s =
      sampler_.wants_cpu() ? with_children_s(thread_cpu_s() - cpu_before_s, wall_s, waited_s) : wall_s;
  finish_timed(task, stamps, waited_s);
}

// The iterations may suddenly cost more than those that were timed: a long chunk that went by untimed would
// be taken for waiting. Its processor time is not known; it is taken for all its time, as a short one's is.
void WorkerLoop::serve_untimed(const Task& task) {
  const std::uint64_t begun = processor_ticks();
  double waited_s = 0;
  compute(task, waited_s);
  const std::uint64_t passed = processor_ticks() - begun;
  if (ticks_.seconds(passed) < Sampler::short_chunk_s) {
    ++untimed_chunks_;
    return end_.done(task, nullptr);
  }
  Stamps stamps;
  stamps.ended_s = monotonic_s();
  ticks_.learn(stamps.ended_s);
  stamps.begun_s = std::max(last_end_s_, stamps.ended_s - ticks_.seconds(passed));
  stamps.received_s = stamps.begun_s;
  stamps.cpu_s = stamps.ended_s - stamps.begun_s;
  account_wait(task, stamps.received_s);
  finish_timed(task, stamps, waited_s);
}

// A body that waits for a child uses much less processor time than wall time. Other chunks therefore need not
// ask for the time of children. Reading the processor clock takes longer than reading the wall clock, so a
// short chunk could seem to use more than all of its time.
double WorkerLoop::with_children_s(double own_s, double wall_s, double waited_s) {
  constexpr double least_gap_s = 100e-6;
  const double gap_s = wall_s - waited_s - own_s;
  if (gap_s < least_gap_s) return std::min(own_s, wall_s);
  const double children_s = children_.take(gap_s);
  children_s_ += children_s;
  return own_s + children_s;
}

void WorkerLoop::finish_timed(const Task& task, Stamps stamps, double waited_s) {
  sampler_.timed(task.chunk.size, stamps.ended_s - stamps.begun_s);
  stamps.waited_s = static_cast<float>(waited_s);
  account_chunk(stamps, waited_s);
  if (task.received_s > 0 || was_queued_) stamps.received_s = task.received_s;
  end_.done(task, &stamps);
}

// The time since the last timed chunk: what its untimed successors took is estimated as the time of as many
// chunks like the last timed one; the rest was waiting.
void WorkerLoop::account_wait(const Task& task, double received_s) {
  const double span_s = received_s - last_end_s_;
  const double computing_s = std::min(span_s, static_cast<double>(untimed_chunks_) * sampler_.last_wall_s());
  const double moving_s = std::min(task.transfer_s, span_s - computing_s);
  account_.computing_s += computing_s;
  account_.communicating_s += moving_s;
  account_.idle_s += span_s - computing_s - moving_s;
  last_end_s_ = received_s;
  untimed_chunks_ = 0;
}

void WorkerLoop::account_chunk(const Stamps& stamps, double waited_s) {
  const double wall_s = stamps.ended_s - stamps.begun_s;
  const double busy_s = std::max(0.0, wall_s - waited_s);
  const double computing_s = std::min(stamps.cpu_s, busy_s);
  account_.computing_s += computing_s;
  account_.stolen_s += busy_s - computing_s;
  account_.communicating_s += wall_s - busy_s;
  account_.idle_s += stamps.begun_s - stamps.received_s;
  last_end_s_ = stamps.ended_s;
}

}  // namespace loadshare
