#pragma once

#include <string>
#include <string_view>

#include "models/timing_graph/expression.hpp"
#include "schedulers/error.hpp"

namespace loadshare::timing_graph {

/// `ring.yaml:12:7: problem (why) suggestion`.
UsageError problem_at(const Place& place, std::string_view problem, std::string_view why = {},
                      std::string_view suggestion = {});

/// ` at ring.yaml:12:7`, for a second place in a sentence; empty without one.
std::string behind(const Place& place);

}  // namespace loadshare::timing_graph
