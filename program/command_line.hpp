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

/// Converts a word of the command line to the value of an option, and a default to its text in --help. `read`
/// takes the option's name for its errors, as in base/quantities.hpp: Form<double>{duration_s,
/// short_duration_text}.
template <class Value>
struct Form {
  std::function<Value(std::string_view option, const std::string& word)> read;
  std::function<std::string(const Value&)> text;
};

/// Reads a whole number from `least` to `most`.
Form<Index> whole(Index least, Index most = std::numeric_limits<Index>::max());
/// Reads a number by `read`: `number`, `positive_number`.
Form<double> real(double (*read)(std::string_view option, std::string_view word));
/// Reads one of several named values.
template <class Value, std::size_t count>
Form<Value> one_of(const Choices<Value, count>& choices) {
  return {
      [&choices](std::string_view option, const std::string& word) { return choose(option, word, choices); },
      [&choices](const Value& value) { return name_among(choices, value); }};
}
/// Reads the name of a row of `table`; errors call it a `kind`.
template <class Table>
Form<std::string> row_of(const Table& table, std::string_view kind) {
  return {[table, kind](std::string_view, const std::string& word) {
            return std::string(row_named(kind, word, table).name);
          },
          [](const std::string& name) { return name; }};
}

/// The options of a parser, with their values on the command line.
struct DeclaredOptions;

/// The options under one heading of --help. An option is declared once: its name, its place, the form of its
/// value, and its description. The place holds the default; an empty std::optional means that there is none.
/// A line end in a description begins a new line; all lines are broken to fit the terminal.
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
  /// Takes a word without a check: a file, or a value that is read later.
  void add(const char* name, std::string& place, const char* type, const std::string& text) const;
  /// Sets `place` to `given` if the option is given.
  template <class Value>
  void add_flag(const char* name, Value& place, Value given, const std::string& text) const {
    add_flag(
        name, [&place, given] { place = given; }, text);
  }

  /// Calls `take` with the option's word if it was given. `shown` is the default in --help.
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

/// Throws UsageError if an option has taken another option for its value. The command line must have been
/// parsed, with or without an error.
void require_values(const CLI::App& app);

/// Returns what CommandLineParser::values() does, for options that were added to CLI11's app directly.
std::map<std::string, std::string> option_values(const CLI::App& app);

/// Headings of --help that several programs have.
inline constexpr const char* output_group = "Output";
inline constexpr const char* testing_group = "For testing";

/// Parses a program's command line into the places of the declared options; answers --help and --version.
class CommandLineParser final {
 public:
  CommandLineParser(const std::string& program, const std::string& purpose);
  ~CommandLineParser();

  /// Returns the group with this heading. --help shows groups in the order of their first options.
  OptionGroup group(const char* heading);
  /// Lets the program add options to CLI11's app, before all others. Throws UsageError if one cannot be
  /// added.
  void add_own(const std::function<void(CLI::App&)>& add);
  /// Refuses the options that `add` would add: in a process that joins a master, only the master has them.
  void leave_to_master(std::function<void(CLI::App&)> add);
  /// Refuses all other options that were given, because only the master has them. To be called in a check.
  void leave_others_to_master(std::span<const std::string_view> names) const;
  /// Leaves options of add_own() out of the record, by name: they do not change the result, or are secret.
  /// Options with a secret's name ("--password") are always left out. Throws UsageError if there is no such
  /// option.
  void leave_unrecorded(std::span<const std::string> names);
  /// Returns the recorded options of add_own() that were given, with their values: `NAME=first --numbers=10`.
  std::string own_words() const;
  /// Returns all recorded options of add_own(), by name: the value given, or the default.
  std::map<std::string, OptionValue> own_values() const;
  /// Returns the value of each option on this rank, by name: as given, or its default. Options that may
  /// differ between ranks are left out. To be called in a check, or later.
  std::map<std::string, std::string> values() const;
  /// Prints `text`, made for a number of columns, instead of a run if the value of `option` is `help`. `what`
  /// names the text in the error if it cannot be printed.
  void answer_help(const char* option, const char* what, std::function<std::string(std::size_t)> text);
  /// Calls `check` after the options declared before it have been read; it may throw UsageError.
  void check(std::function<void()> check);

  /// Returns false if help or the version was requested, which the first rank has printed. Otherwise reads
  /// values and calls checks in the order of their declaration. Throws UsageError, which suggests the nearest
  /// option if one is unknown.
  bool parse(int argc, const char* const* argv);

 private:
  bool is_question(int argc, const char* const* argv);

  std::unique_ptr<DeclaredOptions> options_;
};

/// Adds --load. `targets` are the processes that it slows down, "workers" or "ranks"; `note` follows its
/// description.
void add_load_option(CommandLineParser& parser, std::string& place, std::string_view targets,
                     std::string_view note);

}  // namespace loadshare
