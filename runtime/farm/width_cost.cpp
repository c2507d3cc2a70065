#include "runtime/farm/width_cost.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <map>

#include "runtime/host/clock.hpp"
#include "runtime/transport/host_memory.hpp"

namespace loadshare {
namespace {

/// A chunk is wide once each worker gets no more than so many of them.
constexpr Index chunks_each = 4;
/// Beyond so many narrow chunks in one, their beginnings cost next to nothing.
constexpr Index most_narrow_in_wide = 64;
/// Rounds end with so many, but none too short: five of some microseconds can all fall into one disturbance.
constexpr int enough_rounds = 5;
constexpr double enough_s = 0.01;

/// Processor time that measuring may take; a limited host takes longer for it.
double budget_s(const RunRecord& record, WorkerId worker) {
  constexpr double share = 0.02, least_s = 0.1, most_s = 0.5;
  const auto rank = std::ranges::find(record.ranks, worker, &RankRecord::worker);
  const double capacity = rank == record.ranks.end() ? 1 : rank->capacity;
  return capacity * std::clamp(share * record.makespan_s, least_s, most_s);
}

/// Processor time of an iteration, in chunks no wider than `width`.
double iteration_s(const RunRecord& record, Index width) {
  double seconds = 0;
  Index iterations = 0;
  for (const ChunkRecord& chunk : record.chunks) {
    if (chunk.chunk.size > width) continue;
    seconds += chunk.cpu_s;
    iterations += chunk.chunk.size;
  }
  return iterations > 0 ? seconds / static_cast<double>(iterations) : 0;
}

/// So many narrow chunks make the wide one; fewer than 2: it cannot be wide enough.
Index narrow_in_wide(const RunRecord& record, Index width, double most_s) {
  const double each_s = iteration_s(record, width) * static_cast<double>(width);
  if (each_s <= 0 || record.workers < 1) return 0;
  // Once to warm up, and then both ways: the wide chunk is taken for as costly as the narrow ones.
  const double affordable = std::min(most_s / 3 / each_s, static_cast<double>(most_narrow_in_wide));
  return std::min(static_cast<Index>(affordable), record.iterations / (chunks_each * record.workers) / width);
}

/// Computes chunks of a loop that was already computed, all of whose shared input is there.
class Recomputing {
 public:
  Recomputing(Workload& workload, WorkerId worker, Chunk widest)
      : workload_(workload),
        worker_(worker),
        shape_{.pieces = SharedInput::count_pieces(workload)},
        memory_(ControlBlock::bytes(shape_)),
        control_(shape_, memory_.bytes().data()),
        shared_(workload, control_),
        output_(workload.output_bytes(widest)) {
    for (std::size_t piece = 0; piece < shape_.pieces; ++piece) shared_.mark_ready(piece);
  }

  /// Processor seconds for all of `iterations`, in chunks of `width`.
  double seconds(Chunk iterations, Index width) {
    const double begun_s = thread_cpu_s();
    for (Chunk chunk{iterations.first, width}; chunk.first < iterations.end(); chunk.first += width) {
      const std::span<std::byte> output = output_.bytes().first(workload_.output_bytes(chunk));
      Work work(chunk, worker_, workload_.input(chunk), output, shared_, control_.over());
      workload_.compute(work);
    }
    return thread_cpu_s() - begun_s;
  }

 private:
  Workload& workload_;
  WorkerId worker_;
  ControlShape shape_;
  PrivateMemory memory_;
  ControlBlock control_;
  SharedInput shared_;
  PrivateMemory output_;
};

WidthCost compare(Recomputing& loop, Chunk iterations, Index width, double until_s) {
  double narrow_s = std::numeric_limits<double>::infinity(), wide_s = narrow_s;
  (void)loop.seconds(iterations, iterations.size);
  const double begun_s = thread_cpu_s();
  double now_s = begun_s;
  int rounds = 0;
  do {
    narrow_s = std::min(narrow_s, loop.seconds(iterations, width));
    wide_s = std::min(wide_s, loop.seconds(iterations, iterations.size));
    now_s = thread_cpu_s();
    ++rounds;
  } while (now_s < until_s && (rounds < enough_rounds || now_s < begun_s + enough_s));
  return {width, iterations.size, narrow_s / wide_s};
}

}  // namespace

Index typical_width(const RunRecord& record) {
  std::map<Index, Index> iterations;  // by width
  Index all = 0;
  for (const ChunkRecord& chunk : record.chunks) {
    iterations[chunk.chunk.size] += chunk.chunk.size;
    all += chunk.chunk.size;
  }
  for (Index passed = 0; const auto& [width, count] : iterations)
    if (passed += count; 2 * passed >= all) return width;
  return 0;
}

std::optional<WidthCost> measure_width_cost(Workload& workload, WorkerId worker, const RunRecord& record) {
  const Index width = typical_width(record);
  if (width < 1 || !workload.uses_processor()) return std::nullopt;
  const double most_s = budget_s(record, worker);
  const Index count = narrow_in_wide(record, width, most_s);
  if (count < 2) return std::nullopt;
  const Chunk middle{(record.iterations - count * width) / 2, count * width};
  try {
    Recomputing loop(workload, worker, middle);
    const WidthCost cost = compare(loop, middle, width, thread_cpu_s() + most_s / 2);
    return cost.ratio > 0 && cost.ratio < std::numeric_limits<double>::infinity() ? std::optional(cost)
                                                                                  : std::nullopt;
  } catch (const std::exception&) {
    return std::nullopt;  // the run itself is over and good: what cannot be measured is left out
  }
}

}  // namespace loadshare
