#pragma once

#include <string>

#include "apps/common/option_group.hpp"

namespace loadshare::spmd {

/// What is timed: from rank 0's data to its result, or only what all ranks do.
enum class RunPart { whole, parallel };

/// Adds --part; `data` is what rank 0 deals out: "the keys".
void add_run_part(const OptionGroup& group, std::string& word, const std::string& data);

/// The value of --part; throws UsageError.
RunPart parse_run_part(const std::string& word);

/// As on the command line.
std::string name_of(RunPart part);

}  // namespace loadshare::spmd
