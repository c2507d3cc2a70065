#pragma once

#include <string>
#include <vector>

#include "apps/loadshare/surroundings.hpp"

namespace loadshare::tool {

enum class Level { ok, warn };

/// One thing looked at: `warn  cores: 4 ranks share 2 processors (why it matters) what to do`.
struct Finding {
  Level level = Level::ok;
  std::string what;
  std::string finding;
  std::string why;     ///< may be empty
  std::string advice;  ///< may be empty
};

/// What in the surroundings would make runs slow. Pure. What cannot be surroundings is left out.
std::vector<Finding> diagnose(const Surroundings& surroundings);

bool has_warning(const std::vector<Finding>& findings);

/// The finding as one line without line end.
std::string line_of(const Finding& finding);

}  // namespace loadshare::tool
