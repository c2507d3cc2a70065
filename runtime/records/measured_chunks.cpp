#include "runtime/records/measured_chunks.hpp"

#include <algorithm>
#include <utility>

namespace loadshare {

void ChunkSums::add(const ChunkRecord& chunk) {
  const double wall = chunk.ended_s - chunk.begun_s;
  chunks += chunk.is_duplicate ? 0 : 1;
  wall_s += wall;
  cpu_s += chunk.cpu_s;
  waited_s += chunk.waited_s;
  stolen_s += std::max(0.0, wall - chunk.waited_s - chunk.cpu_s);
}

void ClockBounds::add(const ChunkRecord& chunk) {
  least_s = std::max(least_s, chunk.ended_s - chunk.returned_s);
  most_s = std::min(most_s, chunk.received_s - chunk.assigned_s);
}

double ClockBounds::corrected(double estimate_s) const {
  return least_s > most_s ? estimate_s : std::clamp(estimate_s, least_s, most_s);
}

MeasuredChunks::MeasuredChunks(WorkOf work, std::size_t most) : work_(std::move(work)), most_(most) {}

MeasuredChunks::Worker& MeasuredChunks::at(WorkerId worker) {
  const std::size_t number = to_number(worker);
  if (number >= workers_.size()) workers_.resize(number + 1);
  Worker& record = workers_[number];
  if (!std::exchange(record.is_known, true)) ++known_;
  return record;
}

void MeasuredChunks::add(const ChunkRecord& chunk) {
  Worker& worker = at(chunk.worker);
  ++timed_;
  worker.chunks.all.add(chunk);
  worker.chunks.clock.add(chunk);
  worker.chunks.last_return_s = std::max(worker.chunks.last_return_s, chunk.returned_s);
  if (!is_to_be_listed(worker)) return leave_out(chunk);
  listed_.push_back(chunk);
  if (listed_.size() >= std::max(most_, least_each * known_)) thin();
}

// Lists one of each `every_` chunks, at a random position; the first chunk of all is listed.
bool MeasuredChunks::is_to_be_listed(Worker& worker) {
  if (worker.passed_over-- > 0) return false;
  const std::size_t place = random_.below(every_);
  worker.passed_over = every_ - 1 - std::exchange(worker.place, place) + place;
  return true;
}

void MeasuredChunks::leave_out(const ChunkRecord& chunk) {
  if (work_) at(chunk.worker).chunks.unlisted_work += work_(chunk.chunk);
}

void MeasuredChunks::thin() {
  struct Pair {
    bool is_half = false;   // its first chunk was seen
    bool has_first = true;  // it contains the worker's first chunk
    bool keeps_other = false;
  };
  every_ *= 2;
  std::vector<Pair> pairs(workers_.size());
  std::erase_if(listed_, [&](const ChunkRecord& chunk) {
    Pair& pair = pairs[to_number(chunk.worker)];
    pair.is_half = !pair.is_half;
    if (pair.is_half) pair.keeps_other = !std::exchange(pair.has_first, false) && random_.below(2) == 1;
    const bool is_left_out = pair.is_half == pair.keeps_other;
    if (is_left_out) leave_out(chunk);
    return is_left_out;
  });
}

void MeasuredChunks::joined(WorkerId worker) {
  WorkerChunks& chunks = at(worker).chunks;
  chunks.before_last_joining = chunks.all;
}

const WorkerChunks& MeasuredChunks::of(WorkerId worker) const {
  static const WorkerChunks none;
  return to_number(worker) < workers_.size() ? workers_[to_number(worker)].chunks : none;
}

}  // namespace loadshare
