#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace loadshare::tool {

/// `3:17`, line and column of the byte (from 1) at which nlohmann's parser stopped.
std::string json_position(std::string_view text, std::size_t byte);

/// A JSON object, and on which lines of its text the objects begin that are in its lists, by the lists'
/// names.
struct LocatedJson {
  nlohmann::json json;
  std::map<std::string, std::vector<std::size_t>> lines;
};

/// Parses the text; throws nlohmann's parse_error.
LocatedJson locate_json(std::string_view text);

}  // namespace loadshare::tool
