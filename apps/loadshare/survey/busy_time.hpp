#pragma once

#include <span>

#include "apps/loadshare/survey/host_survey.hpp"

namespace loadshare::tool {

/// The two clocks of a busy thread at one instant: when it began, and then at the end of each piece.
struct BusyStamp {
  double time_s = 0;
  double cpu_s = 0;  ///< processor time it has had
};

/// How fast pieces of so many floating-point operations went, by their processor time.
MeasuredSpeed speed_of(std::span<const BusyStamp> stamps, double operations_each);

/// Processor time / time of a thread that always had something to do, in (0, 1]. A control group's limit lets
/// it run in turns, and a turn more or less at the ends would be several percent: under a grant it is counted
/// from the end of the first stop to the end of the last, where these lie far enough apart.
double busy_share(std::span<const BusyStamp> stamps, const std::optional<predictor::Grant>& grant);

/// By how much of itself what is available of a grant may be wrong, where so many seconds were measured: a
/// turn more or less.
double turn_error(const predictor::Grant& grant, double seconds);

/// What others leave of a grant (nothing: of a whole processor) to a thread that had that share, in (0, 1].
double available_of(double busy, const std::optional<predictor::Grant>& grant);

/// What one of so many ranks has that live by the same limit; nothing where it is a whole processor.
std::optional<predictor::Grant> grant_of_one(const predictor::Grant& of_all, int ranks);

}  // namespace loadshare::tool
