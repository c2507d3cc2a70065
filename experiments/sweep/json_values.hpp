#pragma once

#include <nlohmann/json.hpp>

#include "experiments/sweep/spec.hpp"

namespace loadshare::sweep {

/// A value as JSON: flags are booleans, texts that are written as JSON would write a number are numbers
/// (`720` and `0.5`, but not `010` or what stands in quotes), all else is text.
nlohmann::ordered_json to_json(const Scalar& value);

nlohmann::ordered_json to_json(const Parameters& parameters);

/// A line of JSON; bytes that are no UTF-8 are replaced.
std::string one_line(const nlohmann::ordered_json& json);

}  // namespace loadshare::sweep
