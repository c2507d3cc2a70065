#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/farm/loop_fit.hpp"
#include "models/farm/processors.hpp"
#include "models/farm/scenario.hpp"
#include "models/messages/message_costs.hpp"
#include "runtime/load/load_spec.hpp"
#include "runtime/records/records.hpp"

namespace loadshare::predictor {

/// What the farm itself costs beside computing and the network: processor time in seconds of an undisturbed
/// processor, and how late messages are seen by who naps between looks at MPI (transport/mpi/poll_nap.hpp).
struct FarmCosts {
  double report_s = 50e-6;  ///< the master takes a result that came by a message
  double order_s = 50e-6;   ///< and gives the next chunk
  double near_s = 0.1e-6;   ///< either, of its own host: bench/README.md, "chunks", 4.7 million a second
  double worker_report_s = 50e-6;  ///< a worker's part in that
  /// The same where a control group limits its host: with it the errors of experiments/prediction have no
  /// bias (README.md there).
  double limited_report_s = 300e-6;
  double polling_share = 0;           ///< of the master's processor that goes into looking for messages
  double polling_latency_s = 200e-6;  ///< half a nap, where ranks nap
};

/// The master's part from what runs with messages tell of its processor time: what grows with their length is
/// looking, what grows with their chunks is serving. The others as by default. Only runs whose master naps
/// while it waits tell anything; of none, all are as by default.
FarmCosts fit_farm_costs(std::span<const RunRecord> runs);

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

/// A loop and the farm that runs it, wherever that is: fitted to runs, or given by hand.
struct FarmModel {
  LoopFit loop;
  LoopRecord data;  ///< how many bytes travel
  FarmCosts costs;
  SharedArrival arrival;

  Index iterations() const { return loop.cost.iterations(); }
};

/// What runs of one loop tell. Throws UsageError where they are none, are of different loops, tell nothing of
/// what travels (records of an older loadshare), or have no timed chunk.
FarmModel fit_farm(std::span<const RunRecord> runs);

/// What messages between two hosts cost.
using Network = std::function<std::shared_ptr<const communication::MessageCosts>(const HostModel& master,
                                                                                 const HostModel& worker)>;

/// A run to be predicted: one rank a host of the list, in its order; hosts of one name are one host.
struct FarmSetting {
  std::vector<HostModel> hosts;
  bool master_works = true;
  std::size_t master_rank = 0;
  Index prefetch = 0;
  Reissue reissue = Reissue::off;
  std::optional<LoadSpec> load;
  bool knows_phases = false;  ///< the load's phases are those of its seed, in every replicate
  bool naps = true;           ///< how ranks wait for messages: they nap, else they spin
};

/// The scenario of one of many equally likely runs: number 0 is the middle one, without deviations of its
/// own and with the load's own seed; others draw their load's random phases, what the runs leave open of the
/// loop's cost, and a deviation of it and one of all messages (MessageCosts::deviation) from their number,
/// the same for whatever technique. Throws UsageError where a host has no speed, the master is not among the
/// hosts, or nobody is left to work.
Scenario make_scenario(const FarmModel& model, const FarmSetting& setting, const Network& network,
                       std::uint64_t replicate);

/// Whether replicates differ from each other: else one of them tells all. Throws as make_scenario() does.
bool has_chance(const FarmModel& model, const FarmSetting& setting, const Network& network);

}  // namespace loadshare::predictor
