#pragma once

#include <map>
#include <string>

#include "apps/loadshare/metrics/fields.hpp"
#include "apps/loadshare/metrics/run.hpp"
#include "runtime/timing/records.hpp"

namespace loadshare::tool {

/// What a run record was asked to do: its program and its options, without those that follow from the number
/// of ranks or from other options, and those of the result.
Setting read_setting(const Fields& record);

/// Of a run's options those: what says which problem it solves, and how.
std::map<std::string, OptionValue> setting_options(const std::map<std::string, OptionValue>& options);

/// A load's spec without the seed of its phases: a sweep gives each repetition another.
std::string without_seed(std::string load);

/// Whether another run of the same options computes the same: not where each measures first what it is to
/// compute.
bool repeats_work(const Fields& record);

}  // namespace loadshare::tool
