#include "models/timing_graph/problem.hpp"

#include <fmt/format.h>

#include <string>

namespace loadshare::timing_graph {

UsageError problem_at(const Place& place, std::string_view problem, std::string_view why,
                      std::string_view suggestion) {
  const std::string where = text_of(place);
  return UsageError(where.empty() ? std::string(problem) : fmt::format("{}: {}", where, problem), why,
                    suggestion);
}

std::string behind(const Place& place) {
  const std::string text = text_of(place);
  return text.empty() ? text : " at " + text;
}

}  // namespace loadshare::timing_graph
