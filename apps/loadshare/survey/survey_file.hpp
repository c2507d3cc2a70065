#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "apps/loadshare/survey/measure.hpp"
#include "base/io/json.hpp"

namespace loadshare::tool {

/// A survey as JSON, a rank a line.
std::string to_json(const HostSurvey& survey);

/// Reads what that wrote; `path` is named in errors. Throws UsageError that names the path, and the line of
/// the rank that is wrong.
HostSurvey parse_survey(const std::string& text, const std::string& path);

/// One rank, as it stands in the file and as ranks tell the first of them.
nlohmann::ordered_json rank_json(const SurveyedRank& rank);
SurveyedRank read_surveyed_rank(const Fields& fields);

}  // namespace loadshare::tool
