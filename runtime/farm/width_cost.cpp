#include "runtime/farm/width_cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "base/statistics.hpp"
#include "runtime/host/clock.hpp"
#include "runtime/transport/host_memory.hpp"
#include "runtime/transport/shared_input.hpp"

namespace loadshare {
namespace {

/// A chunk is wide once each worker gets no more than so many of them.
constexpr Index chunks_each = 4;
/// Beyond so many narrow chunks in one, their beginnings cost next to nothing.
constexpr Index most_narrow_in_wide = 64;
/// Rounds end with so many, but none too short: five of some microseconds can all fall into one disturbance.
constexpr int enough_rounds = 5;
constexpr double enough_s = 0.01;

/// Processor time and wall time. Wall time is longer on a host that is limited, or that others use.
struct TimesToRepeat {
  double cpu_s = 0;
  double wall_s = 0;
};

/// The time that computing again may take.
TimesToRepeat budget_of(const RunRecord& record, WorkerId worker) {
  constexpr double share = 0.02, least_s = 0.1, most_s = 0.5, disturbed = 2;
  const auto rank = std::ranges::find(record.ranks, worker, &RankRecord::worker);
  const double capacity = rank == record.ranks.end() ? 1 : rank->capacity;
  const double seconds = std::clamp(share * record.makespan_s, least_s, most_s);
  return {capacity * seconds, disturbed * seconds};
}

/// The times of a chunk of that width, estimated from all chunks that are no wider.
TimesToRepeat chunk_times(const RunRecord& record, Index width) {
  TimesToRepeat sum;
  double iterations = 0;
  for (const ChunkRecord& chunk : record.chunks) {
    if (chunk.chunk.size > width) continue;
    sum.cpu_s += chunk.cpu_s;
    sum.wall_s += chunk.ended_s - chunk.begun_s - chunk.waited_s;
    iterations += static_cast<double>(chunk.chunk.size);
  }
  if (iterations == 0) return {};
  const double chunks = iterations / static_cast<double>(width);
  return {sum.cpu_s / chunks, sum.wall_s / chunks};
}

/// So many narrow chunks make the wide one; fewer than 2: it cannot be wide enough.
Index narrow_in_wide(const RunRecord& record, Index width, const TimesToRepeat& budget) {
  const TimesToRepeat each = chunk_times(record, width);
  if (each.cpu_s <= 0 || record.workers < 1) return 0;
  // Once to warm up, and then both ways: the wide chunk is taken for as costly as the narrow ones.
  double affordable = std::min(budget.cpu_s / 3 / each.cpu_s, static_cast<double>(most_narrow_in_wide));
  if (each.wall_s > 0) affordable = std::min(affordable, budget.wall_s / 3 / each.wall_s);
  return std::min(static_cast<Index>(affordable), record.iterations / (chunks_each * record.workers) / width);
}

/// Computes chunks of a loop that was already computed, all of whose shared input is there.
class Recomputing {
 public:
  Recomputing(Workload& workload, WorkerId worker, Chunk widest, double until_s)
      : workload_(workload),
        worker_(worker),
        until_s_(until_s),
        shape_{.pieces = SharedInput::count_pieces(workload)},
        memory_(ControlBlock::bytes(shape_)),
        control_(shape_, memory_.bytes().data()),
        shared_(workload, control_),
        output_(workload.output_bytes(widest)) {
    for (std::size_t piece = 0; piece < shape_.pieces; ++piece) shared_.mark_ready(piece);
  }

  /// Processor seconds for all of `iterations`, in chunks of `width`; nothing if the time is up before.
  std::optional<double> seconds(Chunk iterations, Index width) {
    const double begun_s = thread_cpu_s();
    for (Chunk chunk{iterations.first, width}; chunk.first < iterations.end(); chunk.first += width) {
      if (monotonic_s() >= until_s_) return std::nullopt;
      const std::span<std::byte> output = output_.bytes().first(workload_.output_bytes(chunk));
      Work work(chunk, worker_, workload_.input(chunk), output, shared_, control_.over());
      workload_.compute(work);
    }
    return thread_cpu_s() - begun_s;
  }

 private:
  Workload& workload_;
  WorkerId worker_;
  double until_s_;  // by monotonic_s
  ControlShape shape_;
  PrivateMemory memory_;
  ControlBlock control_;
  SharedInput shared_;
  PrivateMemory output_;
};

/// Compares both widths; nothing if the time was up before both were tried.
std::optional<WidthCost> compare(Recomputing& loop, Chunk iterations, Index width, double until_s) {
  double narrow_s = std::numeric_limits<double>::infinity(), wide_s = narrow_s;
  (void)loop.seconds(iterations, iterations.size);
  const double begun_s = thread_cpu_s();
  double now_s = begun_s;
  int rounds = 0;
  do {
    const auto narrow = loop.seconds(iterations, width), wide = loop.seconds(iterations, iterations.size);
    if (!narrow || !wide) break;
    narrow_s = std::min(narrow_s, *narrow);
    wide_s = std::min(wide_s, *wide);
    now_s = thread_cpu_s();
    ++rounds;
  } while (now_s < until_s && (rounds < enough_rounds || now_s < begun_s + enough_s));
  if (rounds == 0) return std::nullopt;
  return WidthCost{width, iterations.size, narrow_s / wide_s, WidthCost::Source::repetition};
}

/// The timed chunks, in the order of their iterations.
std::vector<ChunkRecord> by_place(const RunRecord& record) {
  std::vector<ChunkRecord> chunks;
  for (const ChunkRecord& chunk : record.chunks)
    if (!chunk.is_duplicate && chunk.cpu_s > 0) chunks.push_back(chunk);
  std::ranges::sort(chunks, {}, [](const ChunkRecord& chunk) { return chunk.chunk.first; });
  return chunks;
}

std::map<WorkerId, std::string> hosts_of(const RunRecord& record) {
  std::map<WorkerId, std::string> hosts;
  for (const RankRecord& rank : record.ranks)
    if (rank.worker) hosts[*rank.worker] = rank.host;
  return hosts;
}

/// The cost of a chunk's beginning, in iterations, estimated from two chunks whose iterations cost the same:
/// each chunk has one beginning.
double beginning_by(const ChunkRecord& wide, const ChunkRecord& narrow) {
  const auto of_wide = static_cast<double>(wide.chunk.size),
             of_narrow = static_cast<double>(narrow.chunk.size);
  if (wide.cpu_s <= narrow.cpu_s) return std::numeric_limits<double>::infinity();
  return (narrow.cpu_s * of_wide - wide.cpu_s * of_narrow) / (wide.cpu_s - narrow.cpu_s);
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

std::optional<WidthCost> width_cost_of(const RunRecord& record) {
  constexpr std::size_t fewest_pairs = 3;
  constexpr Index much_wider = 2;
  if (std::ranges::any_of(record.ranks, [](const RankRecord& rank) { return waiting_share(rank) > 0; }))
    return std::nullopt;
  const std::vector<ChunkRecord> chunks = by_place(record);
  std::map<WorkerId, std::string> hosts = hosts_of(record);
  std::vector<double> beginnings;
  WidthCost cost{.narrow = typical_width(record)};
  for (std::size_t i = 1; i < chunks.size(); ++i) {
    const auto [narrow, wide] = std::minmax(
        chunks[i - 1], chunks[i], [](const auto& a, const auto& b) { return a.chunk.size < b.chunk.size; });
    if (chunks[i - 1].chunk.end() != chunks[i].chunk.first) continue;
    if (wide.chunk.size < much_wider * narrow.chunk.size) continue;
    if (hosts[narrow.worker] != hosts[wide.worker]) continue;
    beginnings.push_back(beginning_by(wide, narrow));
    cost.wide = std::max(cost.wide, wide.chunk.size);
  }
  if (beginnings.size() < fewest_pairs || cost.wide < much_wider * cost.narrow) return std::nullopt;
  const double beginning = median_of(beginnings);
  const auto of = [&](Index width) { return 1 + beginning / static_cast<double>(width); };
  if (!std::isfinite(beginning) || of(cost.narrow) <= 0) return std::nullopt;
  cost.ratio = of(cost.narrow) / of(cost.wide);
  return cost;
}

std::optional<WidthCost> measure_width_cost(Workload& workload, WorkerId worker, const RunRecord& record) {
  const Index width = typical_width(record);
  if (width < 1) return std::nullopt;
  const TimesToRepeat budget = budget_of(record, worker);
  const Index count = narrow_in_wide(record, width, budget);
  if (count < 2) return std::nullopt;
  const Chunk middle{(record.iterations - count * width) / 2, count * width};
  try {
    Recomputing loop(workload, worker, middle, monotonic_s() + budget.wall_s);
    const auto cost = compare(loop, middle, width, thread_cpu_s() + budget.cpu_s / 2);
    return cost && cost->ratio > 0 && std::isfinite(cost->ratio) ? cost : std::nullopt;
  } catch (...) {
    return std::nullopt;  // the run itself is over and good: what cannot be measured is left out
  }
}

}  // namespace loadshare
