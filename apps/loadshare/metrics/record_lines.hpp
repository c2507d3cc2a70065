#pragma once

#include <string>

#include "apps/loadshare/metrics/sources.hpp"

namespace loadshare::tool {

/// The runs of a file with a JSON record a line: a program's own, or that of a sweep around it. Errors and
/// omissions are those of runs_of().
Source read_record_lines(const std::string& path);

}  // namespace loadshare::tool
