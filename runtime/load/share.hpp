#pragma once

#include <string_view>

namespace loadshare {

/// The largest share of a processor that a load may ask for: some hundred threads would be needed beyond.
inline constexpr double most_load_share = 0.99;

/// A share of a processor, more than 0 and less than 1. Throws UsageError, beginning with `what`.
double parse_share(std::string_view what, std::string_view text);

/// How many threads must compete with one worker to get `share` of a processor that is shared fairly.
int threads_for(double share);

}  // namespace loadshare
