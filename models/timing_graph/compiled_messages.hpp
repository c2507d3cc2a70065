#pragma once

#include <cstdint>
#include <memory>

#include "models/timing_graph/compiled_steps.hpp"
#include "models/timing_graph/graph.hpp"

namespace loadshare::timing_graph {

std::unique_ptr<CompiledStep> compile_send(const Send& send, std::uint32_t origin, Compilation& compilation);
std::unique_ptr<CompiledStep> compile_receive(const Receive& receive, std::uint32_t origin,
                                              Compilation& compilation);
std::unique_ptr<CompiledStep> compile_exchange(const Exchange& exchange, std::uint32_t origin,
                                               Compilation& compilation);
/// Throws UsageError at `place` where no step before it begins a request of that name.
std::unique_ptr<CompiledStep> compile_wait(const Wait& wait, const Place& place, std::uint32_t origin,
                                           const Compilation& compilation);

}  // namespace loadshare::timing_graph
