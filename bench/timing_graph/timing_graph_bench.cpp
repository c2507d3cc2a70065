// Measures how many events (operations of a process: a segment, a send, a receive, a wait) of a timing graph
// are expanded and evaluated per second. The makespans are compared with closed forms.
#include <benchmark/benchmark.h>

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "models/messages/message_costs.hpp"
#include "models/program/timing_graph/evaluation.hpp"
#include "models/program/timing_graph/expansion.hpp"

namespace {

using namespace loadshare::timing_graph;
using loadshare::communication::LinearCosts;

constexpr double latency_s = 1e-3, bandwidth_bytes_per_s = 1e6, segment_s = 1e-2, message_bytes = 2000;
constexpr double events_wanted = 1e6;

Expression formula(std::string text) {
  return {std::move(text), {}};
}

Step step(Action action) {
  return {"", {}, std::move(action)};
}

Graph graph_of(Steps rounds, std::int64_t processes, double round_count) {
  Steps steps{step(Loop{constant(round_count), "i", std::move(rounds)})};
  return {"bench", {{"p", constant(static_cast<double>(processes))}}, {{std::nullopt, std::move(steps), {}}}};
}

// Every process computes, then sends to the next: n rounds of a segment and a message whose receive is
// posted.
Graph ring(std::int64_t processes) {
  Steps steps{step(Compute{formula("0.01 + 0 * i")}),
              step(Send{formula("(rank + 1) % p"), constant(message_bytes)}),
              step(Receive{formula("(rank + p - 1) % p")})};
  return graph_of(std::move(steps), processes,
                  std::round(events_wanted / (3 * static_cast<double>(processes))));
}

// A receive is posted after its process has sent, and completes when the message has arrived.
double ring_makespan_s(std::int64_t processes) {
  const double rounds = std::round(events_wanted / (3 * static_cast<double>(processes)));
  return rounds * (segment_s + latency_s + message_bytes / bandwidth_bytes_per_s);
}

double alltoall_rounds(std::int64_t processes) {
  return std::round(events_wanted / (4 * static_cast<double>(processes * (processes - 1))));
}

Graph alltoall(std::int64_t processes) {
  return graph_of({step(Collective{"alltoall", constant(message_bytes)})}, processes,
                  alltoall_rounds(processes));
}

// All processes start their messages at the same time, in an order in which every incoming link receives one
// at a time: p - 1 messages one after the other, the last arriving a latency later.
double alltoall_makespan_s(std::int64_t processes) {
  return alltoall_rounds(processes) *
         (latency_s + static_cast<double>(processes - 1) * message_bytes / bandwidth_bytes_per_s);
}

bool has_failed = false;  // benchmarks cannot return it

enum class Expansion { before, measured };

using MakeGraph = Graph (*)(std::int64_t processes);
using Makespan = double (*)(std::int64_t processes);

void evaluation(benchmark::State& state, MakeGraph make, Makespan expected_s, Expansion expansion) {
  const LinearCosts costs({latency_s, bandwidth_bytes_per_s, 1e9});
  const Graph graph = make(state.range(0));
  Program program = expand(graph, {});
  double makespan_s = 0;
  for (auto _ : state) {
    if (expansion == Expansion::measured) program = expand(graph, {});
    makespan_s = evaluate(program, costs).makespan_s;
  }
  const double expected = expected_s(state.range(0));
  if (std::abs(makespan_s - expected) > 1e-9 * expected) {
    has_failed = true;
    state.SkipWithError(
        ("makespan " + std::to_string(makespan_s) + " s instead of " + std::to_string(expected)).c_str());
  }
  state.SetItemsProcessed(static_cast<std::int64_t>(program.ops.size()) * state.iterations());
  state.counters["events"] = static_cast<double>(program.ops.size());
}

}  // namespace

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  for (const auto& [name, expansion] :
       {std::pair{"", Expansion::before}, {"_with_expansion", Expansion::measured}}) {
    benchmark::RegisterBenchmark((std::string("ring") + name).c_str(), evaluation, ring, ring_makespan_s,
                                 expansion)
        ->Arg(2)
        ->Arg(64)
        ->Arg(1000)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark((std::string("alltoall") + name).c_str(), evaluation, alltoall,
                                 alltoall_makespan_s, expansion)
        ->Arg(8)
        ->Arg(32)
        ->Arg(500)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RunSpecifiedBenchmarks();
  return has_failed ? 1 : 0;
}
