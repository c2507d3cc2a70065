#include "apps/loadshare/graph/assignments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "schedulers/error.hpp"

namespace loadshare::tool {

std::vector<Assignment> parse_assignments(std::string_view option, const std::string& text) {
  std::vector<Assignment> assignments;
  std::istringstream words(text);
  for (std::string word; std::getline(words, word, ',');) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == word.size())
      throw UsageError(fmt::format("{} has '{}'", option, word), "it wants name=value, separated by commas");
    const Assignment given{word.substr(0, equals), word.substr(equals + 1)};
    if (std::ranges::find(assignments, given.name, &Assignment::name) != assignments.end())
      throw UsageError(fmt::format("{} has '{}' twice", option, given.name));
    assignments.push_back(given);
  }
  return assignments;
}

}  // namespace loadshare::tool
