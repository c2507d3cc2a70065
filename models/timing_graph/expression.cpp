#include "models/timing_graph/expression.hpp"

#include <fmt/format.h>

#include <utility>

namespace loadshare::timing_graph {

std::string text_of(const Place& place) {
  if (!place.source) return {};
  if (place.line == 0) return *place.source;
  return fmt::format("{}:{}:{}", *place.source, place.line, place.column);
}

Expression constant(double value, Place place) {
  return {fmt::format("{}", value), std::move(place)};
}

}  // namespace loadshare::timing_graph
