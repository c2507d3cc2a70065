#include "models/program/timing_graph/program.hpp"

#include <fmt/format.h>

namespace loadshare::timing_graph {

void OpBudget::refuse(const Origin& origin) const {
  throw UnknownMeetings(problem_at(
      origin.place, fmt::format("the program becomes longer than {} steps", most_),
      fmt::format("reached in '{}'", origin.name), "ask for a smaller n or p, or for fewer rounds"));
}

}  // namespace loadshare::timing_graph
