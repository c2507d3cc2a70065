#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace loadshare::tool {

/// One `name=value` of an option.
struct Assignment {
  std::string name;
  std::string value;
};

/// `n=5,p=8` of an option; throws UsageError that names it: no =, nothing beside it, a name twice.
std::vector<Assignment> parse_assignments(std::string_view option, const std::string& text);

}  // namespace loadshare::tool
