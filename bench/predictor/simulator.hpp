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

/// What messages do that meet at the master's way out, or at its way in: wait for the one before, or share
/// the bandwidth.
enum class Port { in_turn, shared };

/// A farm as both simulators get it: one master that only coordinates, with one way out and one way
/// in that all messages share, and workers that compute. Work is in seconds of a processor of speed 1.
struct ScenarioOptions {
  std::string scheduler;
  Index iterations = 0;
  double iteration_s = 0;
  std::vector<double> speeds;    ///< one a worker
  std::optional<LoadSpec> load;  ///< the master's rank is 0, the workers' are 1 and up
  double latency_s = 0;
  double bandwidth_bytes_per_s = 0;
  Port port = Port::in_turn;
  double order_bytes = 0;  ///< without its input
  double report_bytes = 0;
  double input_bytes = 0;  ///< an iteration
  double result_bytes = 0;
  double master_order_s = 0;  ///< processor time that giving a chunk takes
  double master_report_s = 0;
  std::size_t prefetch = 0;  ///< chunks queued at a worker beyond the one it computes

  double input_of(const Chunk& chunk) const {
    return order_bytes + input_bytes * static_cast<double>(chunk.size);
  }
  double result_of(const Chunk& chunk) const {
    return report_bytes + result_bytes * static_cast<double>(chunk.size);
  }
  /// The seconds of a processor of speed 1.
  double work_s(const Chunk& chunk) const { return iteration_s * static_cast<double>(chunk.size); }
  /// What disturbs that rank, if anything does.
  std::optional<LoadPlan> load_of(std::size_t rank) const;
  std::unique_ptr<ChunkScheduler> make_scheduler() const;
};

/// What a simulator says of a farm.
struct Simulated {
  double makespan_s = 0;
  Index chunks = 0;
  Index iterations = 0;  ///< that workers computed
  double taken_s = 0;    ///< on the wall, for one run
};

/// The frame of both simulators' main: reads the scenario, simulates it `--repetitions` times, verifies what
/// came of it and prints one line of JSON. Knows nothing of MPI, whose functions SimGrid defines too. Returns
/// what main should.
int run_simulator(const char* name, int argc, const char* const* argv,
                  const std::function<Simulated(const ScenarioOptions&)>& simulate);

}  // namespace loadshare::bench
