#pragma once

#include "experiments/sweep/spec.hpp"
#include "experiments/yaml/document.hpp"
#include "schedulers/table.hpp"

namespace loadshare::sweep {

/// Understands a sweep file (format: experiments/sweep.schema.json); `schedulers` are what our own programs
/// take. Throws UsageError as `file:line:column: problem (why); suggestion` for whatever can be known without
/// running anything.
SweepSpec read_sweep(const yaml::Value& file, Setting setting, const SchedulerTable& schedulers);

}  // namespace loadshare::sweep
