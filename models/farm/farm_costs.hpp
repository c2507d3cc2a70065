#pragma once

#include <span>

#include "runtime/records/records.hpp"

namespace loadshare::predictor {

/// What the farm itself costs beside computing and the network: processor time in seconds of an undisturbed
/// processor, and how late messages are seen by who naps between looks at MPI (transport/mpi/poll_nap.hpp).
struct FarmCosts {
  double report_s = 50e-6;  ///< the master takes a result that came by a message
  double order_s = 50e-6;   ///< and gives the next chunk
  double near_s = 0.1e-6;   ///< either, of its own host: bench/README.md, "chunks", 4.7 million a second
  double worker_report_s = 50e-6;     ///< a worker's part in that, for both
  double polling_share = 0;           ///< of the master's processor that goes into looking for messages
  double polling_latency_s = 200e-6;  ///< half a nap, where ranks nap
  double journal_each_s = 0;          ///< the master's host keeps the result of an iteration in a journal
};

/// From what runs with messages tell of the processor time that the farm itself took, the master's and each
/// other host's: what grows with their length is looking, what grows with their chunks is serving. The others
/// as by default. Only runs whose ranks nap while they wait tell anything; of none, all are as by default.
FarmCosts fit_farm_costs(std::span<const RunRecord> runs);

/// Processor time that the runs' journals took for an iteration; 0 where none tells.
double journal_each_s(std::span<const RunRecord> runs);

}  // namespace loadshare::predictor
