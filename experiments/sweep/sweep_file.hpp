#pragma once

#include <string>

#include "experiments/sweep/spec.hpp"
#include "experiments/yaml/value.hpp"

namespace loadshare::sweep {

/// Understands a sweep file (format: experiments/sweep.schema.json). Throws UsageError as
/// `file:line:column: problem (why) suggestion` for whatever can be known without running anything.
SweepSpec read_sweep(const yaml::Value& file, Setting setting);

}  // namespace loadshare::sweep
