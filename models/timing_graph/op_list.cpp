#include "models/timing_graph/op_list.hpp"

#include <fmt/format.h>

#include "models/timing_graph/problem.hpp"

namespace loadshare::timing_graph {

void OpBudget::refuse(const Origin& origin) const {
  throw problem_at(origin.place, fmt::format("the program becomes longer than {} steps", most_),
                   fmt::format("reached in '{}'", origin.name),
                   "ask for a smaller n or p, or for fewer rounds");
}

}  // namespace loadshare::timing_graph
