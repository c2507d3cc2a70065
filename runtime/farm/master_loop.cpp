#include "runtime/farm/master_loop.hpp"

#include <utility>

#include "base/error.hpp"
#include "runtime/host/clock.hpp"

namespace loadshare {

namespace {
constexpr double tick_s = 0.1;
}

MasterLoop::MasterLoop(MasterEnd& end, Dispatcher& dispatcher, std::size_t workers, std::size_t prefetch,
                       const RunControls& controls, std::string iteration_name)
    : end_(end),
      dispatcher_(dispatcher),
      controls_(controls),
      iteration_name_(std::move(iteration_name)),
      depth_(prefetch + 1),
      queues_(workers) {
  for (Queue& queue : queues_) queue.ring.resize(depth_);
}

void MasterLoop::run() {
  const double cpu_before_s = thread_cpu_s();
  start_s_ = now_s_ = monotonic_s();
  try {
    serve();
  } catch (...) {
    end_.stop();
    throw;
  }
  finish_s_ = now_s_;
  end_.stop();
  account_.start_s = start_s_;
  account_.end_s = finish_s_;
  account_.communicating_s = finish_s_ - start_s_ - account_.idle_s;
  account_.waiting_cpu_s = thread_cpu_s() - cpu_before_s;
}

void MasterLoop::serve() {
  for (std::uint32_t i = 0; i < queues_.size(); ++i) dispatcher_.join(WorkerId{i});
  // Breadth first: with few chunks, every worker gets one before any gets its second.
  for (std::size_t round = 0; round < depth_; ++round)
    for (std::uint32_t i = 0; i < queues_.size(); ++i)
      if (queues_[i].size == round) refill(WorkerId{i});
  while (!dispatcher_.finished()) {
    const std::size_t count = collect();
    for (std::size_t i = 0; i < count; ++i) handle(events_[i]);
    if (!deferred_.empty()) retry_deferred();
    if (now_s_ >= next_tick_s_) tick();
  }
}

std::size_t MasterLoop::collect() {
  // The time is taken after the reports, which may come in while they are looked for: none returns before it
  // has ended.
  std::size_t count = end_.poll(events_);
  now_s_ = monotonic_s();
  if (count > 0) return count;
  const double wait_begun_s = now_s_;
  end_.wait(tick_s);
  count = end_.poll(events_);
  now_s_ = monotonic_s();
  account_.idle_s += now_s_ - wait_begun_s;
  return count;
}

void MasterLoop::handle(const Event& event) {
  if (event.report.kind == Report::Kind::failed) fail(event);
  returned(event);
  refill(event.worker);
}

void MasterLoop::returned(const Event& event) {
  Queue& queue = queues_[to_number(event.worker)];
  const Held held = queue.ring[queue.head];
  queue.head = queue.head + 1 == depth_ ? 0 : queue.head + 1;
  --queue.size;
  // A copy that lost the race may be heard of before the one that won it is at its place: it must not be
  // taken for the first result.
  if (event.report.kind == Report::Kind::dropped && dispatcher_.is_open(event.worker, event.report.id))
    deferred_.push_back({event, held});
  else
    commit(event, held);
}

void MasterLoop::retry_deferred() {
  std::erase_if(deferred_, [this](const Deferred& late) {
    if (dispatcher_.is_open(late.event.worker, late.event.report.id)) return false;
    commit(late.event, late.held);
    refill(late.event.worker);
    return true;
  });
}

void MasterLoop::commit(const Event& event, const Held& held) {
  const Stamps& stamps = event.report.stamps;
  const double compute_s = stamps.ended_s - stamps.begun_s;
  const bool is_first =
      dispatcher_.complete(event.worker, event.report.id, now_s_, compute_s) == Commit::first;
  if (is_first) {
    ++chunks_total_;
    Contribution& contribution = queues_[to_number(event.worker)].contribution;
    ++contribution.chunks;
    contribution.iterations += held.chunk.size;
  }
  if (event.report.is_timed == 0) return;
  const double received_s = stamps.received_s > 0 ? stamps.received_s : held.assigned_s;
  chunks_.push_back({held.chunk, event.worker, held.assigned_s, received_s, stamps.begun_s, stamps.ended_s,
                     now_s_, stamps.cpu_s, !is_first});
}

void MasterLoop::refill(WorkerId worker) {
  Queue& queue = queues_[to_number(worker)];
  // Copies of unfinished chunks are for workers with nothing else to do.
  if (queue.size > 0 && dispatcher_.remaining() == 0) return;
  const std::optional<Assignment> assignment = dispatcher_.assign(worker, now_s_);
  if (!assignment) return;
  std::size_t tail = queue.head + queue.size;
  if (tail >= depth_) tail -= depth_;
  queue.ring[tail] = {assignment->chunk, now_s_};
  ++queue.size;
  end_.give(worker, *assignment);
}

void MasterLoop::tick() {
  next_tick_s_ = now_s_ + tick_s;
  if (controls_.interrupted != nullptr && controls_.interrupted->load())
    throw Error(ExitCode::interrupted, "interrupted",
                std::to_string(dispatcher_.committed()) + " " + iteration_name_ + " were done");
  if (dispatcher_.stranded())
    throw Error(ExitCode::workers_lost, "no worker is left",
                std::to_string(dispatcher_.remaining()) + " " + iteration_name_ + " are not done");
  if (controls_.on_progress)
    controls_.on_progress(now_s_ - start_s_, dispatcher_.committed(),
                          dispatcher_.committed() + dispatcher_.remaining() + dispatcher_.outstanding());
}

void MasterLoop::fail(const Event& event) {
  const Queue& queue = queues_[to_number(event.worker)];
  const Chunk chunk = queue.ring[queue.head].chunk;
  throw Error(ExitCode::run_failed,
              "worker " + std::to_string(to_number(event.worker)) + " failed on " + iteration_name_ + " " +
                  std::to_string(chunk.first) + "-" + std::to_string(chunk.end() - 1),
              end_.failure_text(event.worker));
}

}  // namespace loadshare
