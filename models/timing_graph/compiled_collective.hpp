#pragma once

#include <cstdint>
#include <memory>

#include "models/timing_graph/compiled_steps.hpp"
#include "models/timing_graph/graph.hpp"
#include "models/timing_graph/scope.hpp"

namespace loadshare::timing_graph {

/// Throws UsageError at `place` on an unknown call.
std::unique_ptr<CompiledStep> compile_collective(const Collective& collective, const Place& place,
                                                 std::uint32_t origin, Scope& scope);

}  // namespace loadshare::timing_graph
