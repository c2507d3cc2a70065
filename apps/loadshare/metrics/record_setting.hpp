#pragma once

#include "apps/loadshare/metrics/fields.hpp"
#include "apps/loadshare/metrics/run.hpp"

namespace loadshare::tool {

/// What a run record was asked to do: its program and its options, without those that follow from the number
/// of ranks or from other options, and those of the result.
Setting read_setting(const Fields& record);

/// Whether another run of the same options computes the same: not where each measures first what it is to
/// compute.
bool repeats_work(const Fields& record);

}  // namespace loadshare::tool
