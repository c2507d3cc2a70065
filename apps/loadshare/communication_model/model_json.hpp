#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "apps/loadshare/communication_model/fitted_model.hpp"

namespace loadshare::tool {

/// The model as JSON: `schema`, `fit`, `size` and `group_columns`, and `groups`, each with `names`, `samples`
/// and `segments`, whose fields are those of communication::Segment.
std::string model_json(const FittedModel& model);

/// The model in such a text; throws UsageError, beginning with `path`, where it is of another schema, is
/// broken or is no model.
FittedModel parse_model(const std::string& path, const std::string& text);

/// A group as the model's JSON has it.
nlohmann::ordered_json group_json(const FittedGroup& group);

}  // namespace loadshare::tool
