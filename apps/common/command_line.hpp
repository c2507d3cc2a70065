#pragma once

#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace loadshare {

/// Where --help shows options that are for testing only.
inline constexpr const char* testing_group = "For testing";

/// Parses the command line into what `app` was told of. Returns false when help or the version was asked for
/// (and printed, by the first rank only); throws UsageError, naming the nearest option to an unknown one.
bool parse_command_line(CLI::App& app, int argc, const char* const* argv);

/// Prints what was asked for instead of a run, on the first rank only.
void answer(std::string_view what, const std::string& text);

}  // namespace loadshare
