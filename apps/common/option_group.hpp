#pragma once

#include <string>

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

}  // namespace loadshare
