#pragma once

#include <functional>
#include <map>
#include <span>

#include "runtime/timing/records.hpp"

namespace loadshare::predictor {

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
using DeliveredShare = std::function<double(double)>;

/// From when the first chunks of undisturbed runs ended, given the processor time that they took: those of
/// workers that are on other hosts than the master, and compute for longer than the input takes to come.
/// Where no run has such chunks, the input delays nobody.
SharedArrival fit_shared_arrival(std::span<const RunRecord> runs, const DeliveredShare& delivered);

}  // namespace loadshare::predictor
