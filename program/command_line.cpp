#include "program/command_line.hpp"

#include <fmt/format.h>
#include <locale.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/io/terminal.hpp"
#include "base/quantities.hpp"
#include "program/help.hpp"
#include "program/version.hpp"
#include "runtime/farm/agreement.hpp"
#include "runtime/farm/program.hpp"

namespace loadshare {

struct DeclaredOptions {
  DeclaredOptions(const std::string& purpose, const std::string& program) : app(purpose, program) {}

  /// An option that the program itself added.
  struct Own {
    const CLI::Option* option;
    std::string name;  // preceded by its subcommand's name, if it has one
    std::string default_word;
    bool is_recorded;
  };
  /// An option; or, without one, a check of the options before it.
  struct Declared {
    const CLI::Option* option;
    std::function<void(const std::string&)> take;
    std::string word = {};
    bool is_on = true;  // a flag may be given as --flag=false
  };
  struct Answer {
    const char* option;
    const char* what;
    std::function<std::string(std::size_t columns)> text;
  };

  CLI::App app;
  std::vector<Own> own;
  std::function<void(CLI::App&)> add_masters;  // adds the program's options that only the master has
  std::deque<Declared> declared;               // a deque, because CLI11 keeps the addresses of the words
  std::vector<Answer> answers;
};

namespace {

/// Prints the requested text instead of a run, on the first rank only. All ranks must have the same request,
/// because a rank without it would begin a run and wait for the others.
void answer(const CLI::App& app, std::string_view what, const std::string& text) {
  const Launch launch = detect_launch();
  if (launch.is_mpi && launch.ranks > 1) require_agreement({own_program(), option_values(app)});
  if (launch.is_first()) show(stdout, what, text);
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  return names;
}

/// Returns whether the word belongs to an option or a positional argument that `add` would add.
bool would_be_known(const std::function<void(CLI::App&)>& add, const std::string& option) {
  if (!add) return false;
  CLI::App app;
  add(app);
  const auto has = [&](const std::string& name) { return app.get_option_no_throw(name) != nullptr; };
  if (option.starts_with("--")) return has(option);
  if (option.starts_with('-')) return has(option.substr(0, 2));
  return std::ranges::any_of(app.get_options(), &CLI::Option::get_positional);
}

[[noreturn]] void refuse_masters(const std::string& option) {
  throw UsageError(fmt::format("'{}' is given to a worker that joins", option),
                   "the master decides what is computed and how, and sends these options",
                   "leave it out here");
}

[[noreturn]] void refuse_extra(const DeclaredOptions& options, const std::string& word) {
  const CLI::App& app = options.app;
  const std::string option = word.substr(0, word.find('='));
  if (would_be_known(options.add_masters, option)) refuse_masters(option);
  if (!word.starts_with('-'))
    throw UsageError(fmt::format("unexpected argument '{}'", word), "", "see --help");
  // A name of one letter is close to every other such name, so none is suggested.
  const auto meant = option.starts_with("--") ? nearest(option.substr(2), option_names(app)) : std::nullopt;
  throw UsageError(fmt::format("unknown option '{}'", option), "",
                   meant ? fmt::format("did you mean '--{}'?", *meant) : "see --help");
}

std::string example_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  return type.empty() ? "it needs one" : fmt::format("it needs one, as in {} {}", option.get_name(), type);
}

/// Refuses an option with too many or too few values. `text` is CLI11's message: the option's name, then a
/// colon.
[[noreturn]] void refuse_count(const CLI::App& app, const std::string& text,
                               std::span<const char* const> words) {
  const std::string option = text.substr(0, text.find(':'));
  const auto times = std::ranges::count_if(
      words, [&](std::string_view word) { return word == option || word.starts_with(option + '='); });
  if (times > 1) throw UsageError(fmt::format("{} is given {} times", option, times), "", "give it once");
  const CLI::Option* known = app.get_option_no_throw(option);
  throw UsageError(fmt::format("{} has no value", option),
                   known == nullptr ? "it needs one" : example_of(*known), "see --help");
}

/// Describes the values of the program's own option. CLI11 names a type and a check, as in INT:NONNEGATIVE.
std::string form_of(const CLI::Option& option) {
  constexpr std::pair<std::string_view, const char*> types[] = {
      {"UINT", "a whole number, 0 at least"}, {"INT", "a whole number"}, {"FLOAT", "a number"}};
  constexpr std::pair<std::string_view, const char*> checks[] = {{":NONNEGATIVE", ", 0 at least"},
                                                                 {":POSITIVE", ", more than 0"}};
  const std::string name = option.get_type_name();
  std::string form = name;
  for (const auto& [type, words] : types)
    if (name == type || name.starts_with(fmt::format("{}:", type))) form = words;
  for (const auto& [check, words] : checks)
    if (name.ends_with(check)) form += words;
  return form;
}

std::string wanted(const CLI::Option& option) {
  const std::string form = form_of(option);
  return form.empty() ? "it takes no value" : fmt::format("it must be {}", form);
}

/// Reports an error that CLI11 found in the values of the program's own options, in the form of our errors.
[[noreturn]] void refuse_value(const CLI::App& app, const CLI::ParseError& error) {
  constexpr std::string_view unreadable = "Could not convert: ";
  constexpr const char* suggestion = "see --help";
  constexpr std::size_t most_words = 200;  // longer messages contain bounds of hundreds of digits
  const std::string text = error.what();
  for (const CLI::Option* option : app.get_options()) {
    const std::string name = option->get_name();
    const std::string problem = fmt::format("{} is '{}'", name, fmt::join(option->results(), ","));
    const bool is_unreadable = text.starts_with(fmt::format("{}{} = ", unreadable, name));
    if (!is_unreadable && !text.starts_with(name + ": ")) continue;
    const std::string why = text.substr(name.size() + 2);
    const bool has_words = !is_unreadable && why.size() < most_words;
    throw UsageError(problem, has_words ? why : wanted(*option), suggestion);
  }
  throw UsageError(text, "", suggestion);
}

/// Refuses empty values. Most come from a shell variable that is not set; if such an option were ignored, the
/// result of a run could be lost. (CLI11 would take the next word as the value of `--c=`.)
void refuse_empty_values(std::span<const char* const> words) {
  std::string_view last = "the command line";
  for (const std::string_view word : words) {
    const bool is_option = word.starts_with("--");
    if (is_option && word.ends_with('=')) last = word.substr(0, word.size() - 1);
    if (word.empty() || (is_option && word.ends_with('=')))
      throw UsageError(fmt::format("{} has an empty value", last), "perhaps a shell variable is not set",
                       "give a value, or leave the option out");
    if (is_option) last = word;
  }
}

/// A scope in which the calling thread reads numbers with a decimal point, in any locale of the program.
/// CLI11 reads fractions of a program's own options by strtold().
class PlainNumbers final {
 public:
  PlainNumbers() : plain_(newlocale(LC_ALL_MASK, "C", nullptr)), before_(uselocale(plain_)) {}
  ~PlainNumbers() {
    uselocale(before_);
    if (plain_ != nullptr) freelocale(plain_);
  }
  PlainNumbers(const PlainNumbers&) = delete;
  PlainNumbers& operator=(const PlainNumbers&) = delete;

 private:
  locale_t plain_;  // null if there is not enough memory; then nothing changes
  locale_t before_;
};

[[noreturn]] void refuse_taken(std::string_view name) {
  throw UsageError(fmt::format("the program adds an option {}", name), "loadshare has one of that name",
                   "rename the program's option");
}

/// Returns the option's value as it was given, otherwise its default; empty if it has neither.
std::string value_of(const CLI::Option& option) {
  const std::string words = fmt::format("{}", fmt::join(option.results(), ","));
  if (option.get_items_expected_max() > 0) return option.count() > 0 ? words : option.get_default_str();
  if (option.count() == 0 || words == "false") return "";
  return words == "true" ? "given" : words;
}

/// Returns the option's default value; --help shows the same as before.
std::string default_word(CLI::Option& option) {
  const std::string shown = option.get_default_str();
  option.capture_default_str();
  std::string word = option.get_default_str();
  option.default_str(shown);
  return word;
}

/// Returns whether a word of the name marks the value as a secret: "--api-key", "--db-password".
bool names_secret(const std::string& name) {
  constexpr std::array<std::string_view, 10> secrets{
      "-password-",   "-passwd-",      "-passphrase-", "-secret-",     "-token-",
      "-credential-", "-credentials-", "-api-key-",    "-access-key-", "-private-key-"};
  std::string words = "-";
  for (const char letter : name + "-") {
    const bool is_letter = std::isalnum(static_cast<unsigned char>(letter)) != 0;
    if (is_letter || words.back() != '-')
      words += is_letter ? static_cast<char>(std::tolower(static_cast<unsigned char>(letter))) : '-';
  }
  return std::ranges::any_of(
      secrets, [&](std::string_view secret) { return words.find(secret) != std::string::npos; });
}

/// Adds the options of `app`, and of the groups and subcommands below it, to `own`.
void add_own_options(CLI::App& app, const std::string& path, std::vector<DeclaredOptions::Own>& own) {
  for (CLI::Option* option : app.get_options())
    if (option != app.get_help_ptr() && option != app.get_version_ptr())
      own.push_back(
          {option, path + option->get_name(), default_word(*option), !names_secret(option->get_name())});
  for (CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; }))
    add_own_options(*below, below->get_name().empty() ? path : path + below->get_name() + " ", own);
}

/// Converts numbers, so that they compare as numbers in any notation.
OptionValue scalar_of(const std::string& word) {
  if (const auto whole = parse_integer<Index>(word)) return *whole;
  const bool is_whole = word.find_first_not_of("+-0123456789") == std::string::npos;
  const auto number =
      is_whole ? std::nullopt : parse_number(word);  // a whole number too large for an Index stays a text
  if (number) return *number;
  return word;
}

/// Returns one value as scalar_of() does, and several as a text that lists them.
OptionValue recorded_words(const std::vector<std::string>& words) {
  if (words.size() == 1) return scalar_of(words.front());
  std::string list;
  for (const std::string& word : words)
    std::visit([&list](const auto& value) { list += fmt::format("{}{}", list.empty() ? "" : ",", value); },
               scalar_of(word));
  return list;
}

/// Splits the default of an option with several values, which CLI11 writes as "[1,2]".
std::vector<std::string> default_words(const DeclaredOptions::Own& own) {
  std::string_view text = own.default_word;
  const bool is_list =
      own.option->get_items_expected_max() > 1 && text.starts_with('[') && text.ends_with(']');
  if (!is_list) return {own.default_word};
  text = text.substr(1, text.size() - 2);
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    words.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

OptionValue recorded_value(const DeclaredOptions::Own& own) {
  const CLI::Option& option = *own.option;
  const bool is_flag = option.get_items_expected_max() == 0;
  if (option.count() == 0) return is_flag ? OptionValue(false) : recorded_words(default_words(own));
  const std::vector<std::string>& words = option.results();
  if (is_flag && words == std::vector<std::string>{"true"}) return true;
  return recorded_words(words);
}

/// Refuses a name that an option of the program has taken.
void require_free(const CLI::App& app, const char* name) {
  if (app.get_option_no_throw(name) != nullptr) refuse_taken(name);
}

/// Reports why CLI11 cannot add the program's own options: a name is taken, or is not valid.
[[noreturn]] void refuse_own(const CLI::App& app, const CLI::ConstructionError& error) {
  const std::string text = error.what();
  for (const CLI::Option* option : {app.get_help_ptr(), app.get_version_ptr()})
    for (const auto& [dashes, names] : {std::pair("-", option->get_snames()), {"--", option->get_lnames()}})
      for (const std::string& name : names)
        if (text.ends_with(fmt::format(": {} is already added", name))) refuse_taken(dashes + name);
  throw UsageError("the program's own options cannot be added", text, "correct what it adds to CLI11's app");
}

}  // namespace

Form<Index> whole(Index least, Index most) {
  return {[least, most](std::string_view option, const std::string& word) {
            return whole_number(option, word, least, most);
          },
          [](Index value) { return std::to_string(value); }};
}

Form<double> real(double (*read)(std::string_view option, std::string_view word)) {
  return {read, [](double value) { return fmt::format("{}", value); }};
}

void require_values(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options())
    for (const std::string& word : option->get_positional() ? std::vector<std::string>() : option->results())
      if (word.starts_with('-') && app.get_option_no_throw(word.substr(0, word.find('='))) != nullptr)
        throw UsageError(fmt::format("{} has no value", option->get_name()),
                         fmt::format("{}; {} follows", example_of(*option), word), "add the value");
}

std::map<std::string, std::string> option_values(const CLI::App& app) {
  // Waiting and output may differ between hosts.
  constexpr std::array<std::string_view, 3> of_each_rank{"--wait", "--progress", "--explain"};
  std::map<std::string, std::string> values;
  for (const CLI::Option* option : app.get_options())
    if (std::ranges::find(of_each_rank, option->get_name()) == of_each_rank.end())
      values[option->get_name()] = value_of(*option);
  return values;
}

OptionGroup::OptionGroup(DeclaredOptions& options, std::string heading)
    : options_(options), heading_(std::move(heading)) {}

void OptionGroup::add(const char* name, std::string& place, const char* type, const std::string& text) const {
  add_word(
      name, [&place](const std::string& word) { place = word; }, place, type, text);
}

void OptionGroup::add_word(const char* name, std::function<void(const std::string&)> take,
                           const std::string& shown, const char* type, const std::string& text) const {
  require_free(options_.app, name);
  auto& added = options_.declared.emplace_back(nullptr, std::move(take));
  added.option =
      options_.app.add_option(name, added.word, text)->type_name(type)->default_str(shown)->group(heading_);
}

void OptionGroup::add_flag(const char* name, std::function<void()> take, const std::string& text) const {
  require_free(options_.app, name);
  auto& added =
      options_.declared.emplace_back(nullptr, [take = std::move(take)](const std::string&) { take(); });
  added.is_on = false;
  added.option = options_.app.add_flag(name, added.is_on, text)->group(heading_);
}

CommandLineParser::CommandLineParser(const std::string& program, const std::string& purpose)
    : options_(std::make_unique<DeclaredOptions>(purpose, program)) {
  options_->app.set_version_flag("--version", version_text());
  fit_help(options_->app);
}

CommandLineParser::~CommandLineParser() = default;

OptionGroup CommandLineParser::group(const char* heading) {
  return {*options_, heading};
}

void CommandLineParser::add_own(const std::function<void(CLI::App&)>& add) {
  try {
    add(options_->app);
  } catch (const CLI::ConstructionError& error) {
    refuse_own(options_->app, error);
  }
  add_own_options(options_->app, "", options_->own);
}

void CommandLineParser::leave_unrecorded(std::span<const std::string> names) {
  for (const std::string& name : names) {
    const auto own = std::ranges::find(options_->own, name, &DeclaredOptions::Own::name);
    if (own == options_->own.end())
      throw UsageError(fmt::format("{} is in the program's list of unrecorded options", name),
                       "the program has no option of its own with that name", "correct Program::unrecorded");
    own->is_recorded = false;
  }
}

void CommandLineParser::leave_to_master(std::function<void(CLI::App&)> add) {
  options_->add_masters = std::move(add);
}

std::map<std::string, std::string> CommandLineParser::values() const {
  return option_values(options_->app);
}

std::string CommandLineParser::own_words() const {
  std::vector<std::string> words;
  for (const DeclaredOptions::Own& own : options_->own)
    if (own.is_recorded && own.option->count() > 0)
      words.push_back(fmt::format("{}={}", own.name, fmt::join(own.option->results(), ",")));
  return fmt::format("{}", fmt::join(words, " "));
}

std::map<std::string, OptionValue> CommandLineParser::own_values() const {
  std::map<std::string, OptionValue> values;
  for (const DeclaredOptions::Own& own : options_->own)
    if (own.is_recorded) values[own.name] = recorded_value(own);
  return values;
}

void CommandLineParser::leave_others_to_master(std::span<const std::string_view> names) const {
  for (const CLI::Option* option : std::as_const(options_->app).get_options())
    if (option->count() > 0 && std::ranges::find(names, option->get_name()) == names.end())
      refuse_masters(option->get_name());
}

void CommandLineParser::answer_help(const char* option, const char* what,
                                    std::function<std::string(std::size_t)> text) {
  options_->answers.push_back({option, what, std::move(text)});
}

void CommandLineParser::check(std::function<void()> check) {
  options_->declared.emplace_back(nullptr, [check = std::move(check)](const std::string&) { check(); });
}

bool CommandLineParser::parse(int argc, const char* const* argv) {
  if (is_question(argc, argv)) return false;
  for (const auto& declared : options_->declared)
    if (declared.option == nullptr || (declared.option->count() > 0 && declared.is_on))
      declared.take(declared.word);
  return true;
}

bool CommandLineParser::is_question(int argc, const char* const* argv) {
  CLI::App& app = options_->app;
  const std::span words(argv + 1, argv + std::max(argc, 1));
  refuse_empty_values(words);
  const PlainNumbers plain;
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    answer(app, "the help", app.help());
    return true;
  } catch (const CLI::CallForVersion& version) {
    answer(app, "the version", fmt::format("{}\n", version.what()));
    return true;
  } catch (const CLI::ParseError& error) {
    require_values(app);
    if (!app.remaining().empty()) refuse_extra(*options_, app.remaining().front());
    if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ArgumentMismatch))
      refuse_count(app, error.what(), words);
    refuse_value(app, error);
  }
  require_values(app);
  const auto asked = std::ranges::find_if(options_->answers, [&](const auto& known) {
    return app.get_option(known.option)->results() == std::vector<std::string>{"help"};
  });
  if (asked == options_->answers.end()) return false;
  constexpr int most_columns = 100;
  const auto columns = static_cast<std::size_t>(text_columns(STDOUT_FILENO, most_columns));
  answer(app, asked->what, fitted_to(STDOUT_FILENO, asked->text(columns)));
  return true;
}

void add_load_option(CommandLineParser& parser, std::string& place, std::string_view targets,
                     std::string_view note) {
  parser.group("Background load")
      .add("--load", place, "SPEC",
           fmt::format(
               "background load next to the {}: on=1s,off=1s, constant or trace=FILE; also share=0.5 (of "
               "the processor), phase=0|250ms|random, seed=1, where=workers|all|0-3+5{}",
               targets, note));
}

}  // namespace loadshare
