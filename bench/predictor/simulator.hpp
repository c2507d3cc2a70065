#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/reference/arguments.hpp"
#include "runtime/load/load_plan.hpp"
#include "runtime/load/load_spec.hpp"
#include "schedulers/chunk_scheduler.hpp"

namespace loadshare::bench {

/// How messages that meet at the master's outgoing or incoming link use it: one after the other, or by
/// sharing the bandwidth.
enum class Port { in_turn, shared };

/// The farm that both simulators simulate: a master that only coordinates, with one outgoing and one incoming
/// link for all messages, and workers that compute. Work is in seconds of a processor of speed 1.
struct ScenarioOptions {
  std::string scheduler;
  Index iterations = 0;
  double iteration_s = 0;
  std::vector<double> speeds;    ///< one per worker
  std::optional<LoadSpec> load;  ///< the master's rank is 0, the workers' are 1 and up
  double latency_s = 0;
  double bandwidth_bytes_per_s = 0;
  Port port = Port::in_turn;
  double order_bytes = 0;  ///< without the input
  double report_bytes = 0;
  double input_bytes = 0;  ///< per iteration
  double result_bytes = 0;
  double master_order_s = 0;  ///< processor time for sending a chunk
  double master_report_s = 0;
  std::size_t prefetch = 0;  ///< chunks queued at a worker beyond the one it computes

  double input_of(const Chunk& chunk) const {
    return order_bytes + input_bytes * static_cast<double>(chunk.size);
  }
  double result_of(const Chunk& chunk) const {
    return report_bytes + result_bytes * static_cast<double>(chunk.size);
  }
  /// Returns the seconds on a processor of speed 1.
  double work_s(const Chunk& chunk) const { return iteration_s * static_cast<double>(chunk.size); }
  /// Returns the load of that rank, if it has one.
  std::optional<LoadPlan> load_of(std::size_t rank) const;
  std::unique_ptr<ChunkScheduler> make_scheduler() const;
};

/// The result of a simulation.
struct Simulated {
  double makespan_s = 0;
  Index chunks = 0;
  Index iterations = 0;  ///< computed by workers
  double taken_s = 0;    ///< wall time of one simulation
};

/// Implements main of both simulators: reads the scenario, simulates it `--repetitions` times, verifies the
/// results and prints one line of JSON. Does not use MPI, because SimGrid defines MPI's functions too.
/// Returns the exit code.
int run_simulator(const char* name, int argc, const char* const* argv,
                  const std::function<Simulated(const ScenarioOptions&)>& simulate);

}  // namespace loadshare::bench
