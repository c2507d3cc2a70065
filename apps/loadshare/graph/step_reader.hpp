#pragma once

#include "experiments/yaml/value.hpp"
#include "models/timing_graph/graph.hpp"

namespace loadshare::tool {

timing_graph::Place place_of(const yaml::Value& value);
timing_graph::Expression read_expression(const yaml::Value& value);

/// A list of steps, at least one. Throws UsageError as `file:line:column: ...`.
timing_graph::Steps read_steps(const yaml::Value& list);

}  // namespace loadshare::tool
