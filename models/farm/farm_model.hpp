#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/farm/farm_costs.hpp"
#include "models/farm/loop_fit.hpp"
#include "models/farm/processors.hpp"
#include "models/farm/scenario.hpp"
#include "models/farm/shared_arrival.hpp"
#include "models/messages/message_costs.hpp"
#include "runtime/load/load_spec.hpp"
#include "runtime/records/records.hpp"

namespace loadshare::predictor {

/// A loop and the farm that runs it, wherever that is: fitted to runs, or given by hand.
struct FarmModel {
  LoopFit loop;
  LoopRecord data;  ///< how many bytes travel
  FarmCosts costs;
  SharedArrival arrival;
  double error_deviation = 0;  ///< of other techniques' runs: held_out_deviation(); 0: nothing tells

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
