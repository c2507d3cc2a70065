#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "apps/common/option_group.hpp"

namespace loadshare {

/// Where --help shows options that are for testing only.
inline constexpr const char* testing_group = "For testing";

/// Parses a program's command line into the words of the options it was told of, and of --help and --version.
class CommandLineParser final {
 public:
  CommandLineParser(const std::string& program, const std::string& purpose);
  ~CommandLineParser();

  /// --help shows groups in the order of their first options.
  OptionGroup group(const char* heading);

  /// Returns false when help or the version was asked for (and printed, by the first rank only); throws
  /// UsageError, naming the nearest option to an unknown one.
  bool parse(int argc, const char* const* argv);

 private:
  std::unique_ptr<CLI::App> app_;
};

/// Prints what was asked for instead of a run, on the first rank only.
void answer(std::string_view what, const std::string& text);

}  // namespace loadshare
