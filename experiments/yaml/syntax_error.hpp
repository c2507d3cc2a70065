#pragma once

#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>

#include <string>

#include "experiments/yaml/tree.hpp"
#include "schedulers/error.hpp"

namespace loadshare::yaml {

/// The parser's marks count from 0, and are -1 where it knows no place.
Position position_of(const YAML::Mark& mark);

/// What the parser found wrong in `text`, in the words of this project.
UsageError syntax_error(const std::string& text, const std::string& file, const YAML::ParserException& error);

}  // namespace loadshare::yaml
