#pragma once

#include <cstdint>
#include <memory>

#include "models/timing_graph/compiled_steps.hpp"
#include "models/timing_graph/graph.hpp"

namespace loadshare::timing_graph {

/// Throws UsageError at `place` where the variable cannot have its name.
std::unique_ptr<CompiledStep> compile_loop(const Loop& loop, const Place& place, std::uint32_t origin,
                                           Compilation& compilation);
std::unique_ptr<CompiledStep> compile_branch(const Branch& branch, Compilation& compilation);

}  // namespace loadshare::timing_graph
