#include "program/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/names.hpp"
#include "runtime/farm/program.hpp"

namespace loadshare {
namespace {

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  return names;
}

[[noreturn]] void refuse_extra(const CLI::App& app, const std::string& word) {
  if (!word.starts_with('-'))
    throw UsageError(fmt::format("unexpected argument '{}'", word), "", "see --help");
  const std::string option = word.substr(0, word.find('='));
  // Of one letter, any other is but one slip away.
  const auto meant = option.starts_with("--") ? nearest(option.substr(2), option_names(app)) : std::nullopt;
  throw UsageError(fmt::format("unknown option '{}'", option), "",
                   meant ? fmt::format("did you mean '--{}'?", *meant) : "see --help");
}

/// An option with too many or too few values; `text` is CLI11's message, the option's name before a colon.
[[noreturn]] void refuse_count(const std::string& text, std::span<const char* const> words) {
  const std::string option = text.substr(0, text.find(':'));
  const auto times = std::ranges::count_if(
      words, [&](std::string_view word) { return word == option || word.starts_with(option + '='); });
  if (times > 1) throw UsageError(fmt::format("{} is given {} times", option, times), "", "give it once");
  throw UsageError(fmt::format("{} has no value", option), "", "see --help");
}

/// An empty word is most often a shell variable that was never set: taken for an option not given, it would
/// cost the result of a run. (CLI11 would take the next word as the value of `--c=`.)
void refuse_empty_values(std::span<const char* const> words) {
  std::string_view last = "the command line";
  for (const std::string_view word : words) {
    const bool is_option = word.starts_with("--");
    if (is_option && word.ends_with('=')) last = word.substr(0, word.size() - 1);
    if (word.empty() || (is_option && word.ends_with('=')))
      throw UsageError(fmt::format("{} has an empty value", last), "", "give one, or leave the option out");
    if (is_option) last = word;
  }
}

}  // namespace

OptionGroup::OptionGroup(CLI::App& app, std::string heading) : app_(app), heading_(std::move(heading)) {}

void OptionGroup::add(const char* name, std::string& word, const char* type, const std::string& text) const {
  add(name, word, type, text, word.c_str());
}

void OptionGroup::add(const char* name, std::string& word, const char* type, const std::string& text,
                      const char* shown) const {
  app_.add_option(name, word, text)->type_name(type)->default_str(shown)->group(heading_);
}

void OptionGroup::add_flag(const char* name, bool& is_given, const std::string& text) const {
  app_.add_flag(name, is_given, text)->group(heading_);
}

CommandLineParser::CommandLineParser(const std::string& program, const std::string& purpose)
    : app_(std::make_unique<CLI::App>(purpose, program)) {
  app_->set_version_flag("--version", LOADSHARE_VERSION);
}

CommandLineParser::~CommandLineParser() = default;

OptionGroup CommandLineParser::group(const char* heading) {
  return {*app_, heading};
}

bool CommandLineParser::parse(int argc, const char* const* argv) {
  const std::span words(argv + 1, argv + std::max(argc, 1));
  refuse_empty_values(words);
  try {
    app_->parse(argc, argv);
    return true;
  } catch (const CLI::CallForHelp&) {
    answer("the help", app_->help());
  } catch (const CLI::CallForVersion& version) {
    answer("the version", fmt::format("{}\n", version.what()));
  } catch (const CLI::ParseError& error) {
    if (!app_->remaining().empty()) refuse_extra(*app_, app_->remaining().front());
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch))
      refuse_count(error.what(), words);
    throw UsageError(error.what(), "", "see --help");
  }
  return false;
}

void answer(std::string_view what, const std::string& text) {
  if (detect_launch().is_first()) show(stdout, what, text);
}

}  // namespace loadshare
