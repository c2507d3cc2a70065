#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>

#include "models/farm/scenario.hpp"
#include "models/messages/message_costs.hpp"
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

/// The shared input of a loop on its way from the master to so many other hosts by those links, cut as
/// SharedUnits cuts it; `begins_at`: see SharedArrival.
SharedInputModel shared_input_of(const LoopRecord& data, double begins_at, std::size_t other_hosts,
                                 std::span<const std::shared_ptr<const communication::MessageCosts>> links);

/// How bringing the shared input (SharedUnits) delays first chunks. Its pieces come to a host from a certain
/// part of the time on; and from then until all of it is everywhere, who passes it on looks for messages all
/// the time, which takes a part of what the host is granted.
struct SharedArrival {
  double begins_at = 0;  ///< as a share of the time until it is everywhere: none is there before
  /// By the share of a processor that hosts are granted: what of it bringing the input takes meanwhile.
  std::map<double, double> taken_shares;

  /// Of the nearest share; 0 where nothing is known.
  double taken_share(double share) const;
};

/// What of a granted share computing has, when nothing but messages is beside it (LoopFit::OfShare).
using CpuEfficiency = std::function<double(double)>;

/// From when the first chunks of undisturbed runs ended, given the processor time that they took: those of
/// workers that are on other hosts than the master, and compute for longer than the input takes to come.
/// Where no run has such chunks, the input delays nobody.
SharedArrival fit_shared_arrival(std::span<const RunRecord> runs, const CpuEfficiency& cpu_efficiency);

}  // namespace loadshare::predictor
