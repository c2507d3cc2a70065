#pragma once

#include <string>

#include "experiments/yaml/value.hpp"

namespace loadshare::yaml {

/// Reads a file and returns its whole content as a value without a name. Throws UsageError: it cannot be read
/// (no such file, a directory), is longer than 16 MB, or is no valid YAML.
Value load(const std::string& path);

/// The same for text that is already in memory; `file` is named in errors.
Value read(const std::string& text, const std::string& file);

}  // namespace loadshare::yaml
