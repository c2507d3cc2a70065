#pragma once

#include <string>
#include <string_view>

#include "experiments/yaml/tree.hpp"
#include "schedulers/error.hpp"

namespace loadshare::yaml {

/// `file:line:column: problem (why) suggestion`, exit code 2.
UsageError error_at(const std::string& file, Position position, std::string_view problem,
                    std::string_view why = {}, std::string_view suggestion = {});

/// Reads one YAML document; `file` is only named in errors. Throws UsageError: bad syntax, a key twice in one
/// map, an alias inside what it repeats, nothing at all, a second document.
NodePointer parse(const std::string& text, const std::string& file);

}  // namespace loadshare::yaml
