#pragma once

#include "experiments/sweep/spec.hpp"
#include "experiments/yaml/document.hpp"
#include "schedulers/table.hpp"

namespace loadshare::sweep {

/// Reads a sweep file (format: experiments/sweep.schema.json). `schedulers` are those of the project's own
/// programs. Throws UsageError as `file:line:column: problem (why); suggestion` for every error that can be
/// found without running anything.
SweepSpec read_sweep(const yaml::Value& file, Setting setting, const SchedulerTable& schedulers);

}  // namespace loadshare::sweep
