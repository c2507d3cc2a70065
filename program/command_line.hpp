#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace loadshare {

/// The options under one heading of --help. Their values are words, each in a place of the caller's, until
/// the command line has been parsed.
class OptionGroup final {
 public:
  OptionGroup(CLI::App& app, std::string heading);

  /// An option of one value; what `word` holds already is shown as its default.
  void add(const char* name, std::string& word, const char* type, const std::string& text) const;
  /// The same, where an empty word stands for a default that is `shown`.
  void add(const char* name, std::string& word, const char* type, const std::string& text,
           const char* shown) const;
  void add_flag(const char* name, bool& is_given, const std::string& text) const;

 private:
  CLI::App& app_;
  std::string heading_;
};

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
