#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/names.hpp"
#include "base/types.hpp"
#include "runtime/records/records.hpp"

namespace CLI {
class App;
}

namespace loadshare {

/// How a word becomes the value of an option, and what --help shows of a default. `read` is told the option's
/// name for its errors, as those of base/quantities.hpp are: Form<double>{duration_s, short_duration_text}.
template <class Value>
struct Form {
  std::function<Value(std::string_view option, const std::string& word)> read;
  std::function<std::string(const Value&)> text;
};

/// A whole number from `least` to `most`.
Form<Index> whole(Index least, Index most = std::numeric_limits<Index>::max());
/// A number, as `read` takes it: `number`, `positive_number`.
Form<double> real(double (*read)(std::string_view option, std::string_view word));
/// One of several named values.
template <class Value, std::size_t count>
Form<Value> one_of(const Choices<Value, count>& choices) {
  return {
      [&choices](std::string_view option, const std::string& word) { return choose(option, word, choices); },
      [&choices](const Value& value) { return name_among(choices, value); }};
}
/// The name of a row of a table; errors call it a `kind`.
template <class Table>
Form<std::string> row_of(const Table& table, std::string_view kind) {
  return {[table, kind](std::string_view, const std::string& word) {
            return std::string(row_named(kind, word, table).name);
          },
          [](const std::string& name) { return name; }};
}

/// What a parser was told of, and found on the command line.
struct DeclaredOptions;

/// The options under one heading of --help. An option is declared once: its name, its place (which holds its
/// default, and an empty std::optional where there is none), how its word is read, and its line of --help.
class OptionGroup final {
 public:
  OptionGroup(DeclaredOptions& options, std::string heading);

  template <class Place, class Value>
  void add(const char* name, Place& place, const Form<Value>& form, const char* type,
           const std::string& text) const {
    add_word(
        name,
        [name, &place, read = form.read](const std::string& word) {
          place = static_cast<Place>(read(name, word));
        },
        default_text(place, form), type, text);
  }
  template <class Value, std::size_t count>
  void add(const char* name, Value& place, const Choices<Value, count>& choices, const char* type,
           const std::string& text) const {
    add(name, place, one_of(choices), type, text);
  }
  /// A word as it is: a file, or what something else reads.
  void add(const char* name, std::string& place, const char* type, const std::string& text) const;
  /// Sets `place` to `given` where the option is.
  template <class Value>
  void add_flag(const char* name, Value& place, Value given, const std::string& text) const {
    add_flag(
        name, [&place, given] { place = given; }, text);
  }

  /// What the others are made of: `take` is called with the word that was given, if one was.
  void add_word(const char* name, std::function<void(const std::string&)> take, const std::string& shown,
                const char* type, const std::string& text) const;
  void add_flag(const char* name, std::function<void()> take, const std::string& text) const;

 private:
  template <class Place, class Value>
  static std::string default_text(const Place& place, const Form<Value>& form) {
    return form.text(static_cast<Value>(place));
  }
  template <class Place, class Value>
  static std::string default_text(const std::optional<Place>& place, const Form<Value>& form) {
    return place ? default_text(*place, form) : std::string();
  }

  DeclaredOptions& options_;
  std::string heading_;
};

/// For words that have been parsed, with or without an error: throws UsageError if an option has taken
/// another option for its value.
void require_values(const CLI::App& app);

/// As CommandLineParser::values(), for options that were added through CLI11 alone.
std::map<std::string, std::string> option_values(const CLI::App& app);

/// Where --help shows options that are for testing only.
inline constexpr const char* testing_group = "For testing";

/// Parses a program's command line into the places of the options it was told of; knows --help and --version.
class CommandLineParser final {
 public:
  CommandLineParser(const std::string& program, const std::string& purpose);
  ~CommandLineParser();

  /// --help shows groups in the order of their first options.
  OptionGroup group(const char* heading);
  /// Adds options to CLI11's app by its own means; before any others. Throws UsageError where they cannot be.
  void add_own(const std::function<void(CLI::App&)>& add);
  /// Such options as are the master's alone, where this process joins it: here they are refused.
  void leave_to_master(std::function<void(CLI::App&)> add);
  /// For a check: refuses what was given besides these, as the master's, too.
  void leave_others_to_master(std::span<const std::string_view> names) const;
  /// Options of add_own(), by name, that are not recorded: they do not change what is computed, or must stay
  /// secret. An option whose name says so ("--password") is one of them anyway. Throws UsageError if there is
  /// no such option.
  void leave_unrecorded(std::span<const std::string> names);
  /// Those of add_own() that are recorded and were given, with their words: `NAME=first --numbers=10`.
  std::string own_words() const;
  /// All of add_own() that are recorded, by name: the value given, or the default.
  std::map<std::string, OptionValue> own_values() const;
  /// The value of each option on this rank, by name: as given, or its default. Options that may differ
  /// between ranks are left out. To be called in a check, or later.
  std::map<std::string, std::string> values() const;
  /// `help` as the word of an option asks for a text instead of a run; `what` it is, should it not be
  /// printed.
  void answer_help(const char* option, const char* what, std::function<std::string()> text);
  /// Does something once the options that were declared before have been read; it may throw UsageError.
  void check(std::function<void()> check);

  /// Returns false when help or the version was asked for (and printed, by the first rank only). Otherwise
  /// words are read and checks done in the order in which they were declared. Throws UsageError, naming the
  /// nearest option to an unknown one.
  bool parse(int argc, const char* const* argv);

 private:
  bool is_question(int argc, const char* const* argv);

  std::unique_ptr<DeclaredOptions> options_;
};

}  // namespace loadshare
