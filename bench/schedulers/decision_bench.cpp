// Measures one decision: the next size of each technique, and assigning and completing a chunk in the
// dispatcher.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/dispatch/dispatcher.hpp"
#include "schedulers/table.hpp"

namespace {

using namespace loadshare;

constexpr Index iterations = 1'000'000'000;
enum class Feedback { once, always };

// Measures one decision. With Feedback::always it includes the feedback on the chunk, from which adaptive
// techniques learn: that it was assigned, and its times. Every worker has returned three chunks before the
// clock starts. When the loop is used up, the same scheduler starts it again, because making another one
// would count in the times.
void decide(benchmark::State& state, const SchedulerEntry& entry, Feedback feedback) {
  const Index crowd = state.range(0);
  const auto workers = static_cast<std::uint32_t>(crowd);
  const SchedulerTable table = built_in_schedulers();
  const std::unique_ptr<ChunkScheduler> scheduler = table.make(example_of(entry), {iterations, crowd});
  const auto report = [&](WorkerId worker, Chunk chunk) {
    scheduler->completed({.worker = worker,
                          .chunk = chunk,
                          .response_s = 1e-3 * (to_number(worker) % 4 + 1),
                          .compute_s = 1e-3});
  };
  for (const Index size : {3, 4, 5})
    for (std::uint32_t worker = 0; worker < workers; ++worker) report(WorkerId{worker}, {0, size});
  Index remaining = iterations;
  std::uint32_t turn = 0;
  double now_s = 0;
  bool is_right = true;
  for (auto _ : state) {
    const WorkerId worker{turn};
    turn = turn + 1 == workers ? 0 : turn + 1;
    const Index size = scheduler->next({worker, iterations - remaining, remaining, 0, crowd, now_s}).size;
    is_right &= size >= 1 && size <= remaining;
    if (feedback == Feedback::always) {
      const Chunk chunk{iterations - remaining, size};
      scheduler->assigned(worker, chunk);
      report(worker, chunk);
      now_s += 1e-6;
    }
    remaining -= size;
    if (remaining <= 0) remaining = iterations;
  }
  if (!is_right) state.SkipWithError("a size is outside [1, remaining]");
}

// Measures one event with two decisions: every worker holds a chunk, returns it in turn and gets the next.
void dispatch(benchmark::State& state, Reissue reissue) {
  constexpr Index endless = Index{1} << 60;
  const auto crowd = static_cast<std::uint32_t>(state.range(0));
  Dispatcher dispatcher(endless, built_in_schedulers().make("send:3", {endless, state.range(0)}),
                        {.reissue = reissue, .workers_expected = state.range(0)});
  std::vector<ChunkId> held;
  Decisions decisions;
  for (std::uint32_t worker = 0; worker < crowd; ++worker) {
    dispatcher.joined(WorkerId{worker}, {}, 0.0, decisions);
    held.push_back(decisions.back().id);
  }
  // A stride without common divisor visits all workers, rarely two neighbours one after the other.
  std::uint32_t worker = 0;
  double now_s = 0;
  Index duplicates = 0;
  for (auto _ : state) {
    worker = (worker + 7919) % crowd;
    now_s += 1e-6;
    decisions.clear();
    dispatcher.returned(WorkerId{worker}, held[worker], {.compute_s = 1e-6}, now_s, decisions);
    if (decisions.front().kind != Decision::Kind::publish) ++duplicates;
    held[worker] = decisions.back().id;
  }
  const Index expected = 3 * static_cast<Index>(state.iterations());
  if (duplicates != 0 || dispatcher.committed() != expected || dispatcher.outstanding() != 3 * state.range(0))
    state.SkipWithError("the dispatcher's account is wrong");
  if (dispatcher.slots() > crowd) state.SkipWithError("the dispatcher did not reuse its slots");
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const SchedulerTable table = built_in_schedulers();
  for (const auto& [name, feedback] :
       {std::pair{"decide/", Feedback::once}, {"decide_and_learn/", Feedback::always}})
    for (const auto& entry : table.entries()) {
      const std::string kind = name_among(size_kinds, entry.kind);
      benchmark::RegisterBenchmark((name + kind + "/" + entry.name).c_str(), decide, entry, feedback)
          ->Arg(4)
          ->Arg(100'000);
    }
  for (const auto& [name, reissue] :
       {std::pair{"assign_complete", Reissue::off}, {"assign_complete_reissue", Reissue::on}})
    benchmark::RegisterBenchmark(name, dispatch, reissue)->Arg(10)->Arg(1000)->Arg(100'000);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
