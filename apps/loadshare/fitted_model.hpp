#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "models/messages/curve.hpp"

namespace loadshare::tool {

struct FittedGroup {
  std::vector<std::string> names;
  Index samples = 0;
  communication::Curve curve;
};

/// A curve for each group of a person's measurements.
struct FittedModel {
  static constexpr int schema = 1;  ///< of its JSON

  std::string fit;
  std::string size_name;
  std::vector<std::string> group_columns;
  std::vector<FittedGroup> groups;
};

/// The names of a group in one line: "C1 standard sender".
std::string group_text(const std::vector<std::string>& names);

/// A time as duration_text() has it, and three digits of nanoseconds where it is shorter than a microsecond:
/// a byte's share is a fraction of one.
std::string fine_duration_text(double seconds);

/// A size without an exponent, as it is typed: "1500000", "0.5".
std::string size_text(double size);

/// The model as JSON: `schema`, `fit`, `size` and `group_columns`, and `groups`, each with `names`, `samples`
/// and `segments`, whose fields are those of communication::Segment.
std::string model_json(const FittedModel& model);

/// The model in such a text; throws UsageError, beginning with `path`, where it is of another schema, is
/// broken or is no model.
FittedModel parse_model(const std::string& path, const std::string& text);

/// A group as the model's JSON has it.
nlohmann::ordered_json group_json(const FittedGroup& group);

/// What a person reads of a fit: for each group its range, a table of its segments, and what is to be known
/// of them.
std::string model_text(const FittedModel& model);

}  // namespace loadshare::tool
