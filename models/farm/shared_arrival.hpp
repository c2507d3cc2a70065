#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>

#include "models/farm/scenario.hpp"
#include "models/messages/message_costs.hpp"
#include "runtime/records/records.hpp"

namespace loadshare::predictor {

/// The shared input of a loop on its way from the master to so many other hosts by those links, cut as
/// SharedUnits cuts it; `begins_at`: see SharedArrival.
SharedInputModel shared_input_of(const LoopRecord& data, double begins_at, std::size_t other_hosts,
                                 std::span<const std::shared_ptr<const communication::MessageCosts>> links);

/// How bringing the shared input (SharedUnits) delays first chunks. Its pieces come to a host from a certain
/// part of the time on; and from then until all of it is everywhere, chunks hardly get on: they wait for
/// pieces, and who passes these on, or sends them, as the master does, looks for messages all the time.
struct SharedArrival {
  double begins_at = 0;  ///< as a share of the time until it is everywhere: none is there before
  /// By the share of a processor that hosts are granted: for what part of the time meanwhile a chunk does not
  /// get on. A little more than all of it, for caches are cold afterwards.
  std::map<double, double> taken_shares;
  double masters_share = 0;  ///< the same of the master's own worker

  /// Of the nearest share; 0 where nothing is known.
  double taken_share(double share) const;
};

/// How long a chunk of that rank would compute with nothing beside it, by what its iterations cost elsewhere.
using ComputingTime = std::function<double(const RankRecord&, const ChunkRecord&)>;

/// From when the first chunks of undisturbed runs ended: those of workers that are on other hosts than the
/// master, and compute for longer than the input takes to come; of the master's own worker, all that it began
/// until then. Where no run has such chunks, the input delays nobody.
SharedArrival fit_shared_arrival(std::span<const RunRecord> runs, const ComputingTime& computing_s);

}  // namespace loadshare::predictor
