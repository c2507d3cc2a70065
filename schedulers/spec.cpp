#include "schedulers/spec.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <limits>
#include <system_error>

#include "base/error.hpp"
#include "base/quantities.hpp"

namespace loadshare {
namespace {

bool is_signed_number(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string quoted(std::string_view text) {
  return std::string(1, '\'').append(text).append(1, '\'');
}

std::vector<std::string> names_of(const auto& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

std::string without_spaces(std::string_view text) {
  std::string result(text);
  std::erase_if(result, [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
  return result;
}

void require_no_spaces(std::string_view kind, std::string_view text) {
  const std::string tight = without_spaces(text);
  if (tight.size() == text.size()) return;
  throw UsageError(std::string(kind) + " " + quoted(text) + " has a space in it",
                   "specs are written without spaces", tight.empty() ? "" : "write " + quoted(tight));
}

const SpecForm& find_form(std::string_view kind, std::string_view name, const std::vector<SpecForm>& forms) {
  const auto found = std::ranges::find(forms, name, &SpecForm::name);
  if (found != forms.end()) return *found;
  const auto names = names_of(forms);
  if (name.empty()) throw UsageError("no " + std::string(kind) + " named", "valid: " + list_names(names));
  throw unknown_name(kind, name, names);
}

/// Reads the values of one spec.
class ValueReader {
 public:
  ValueReader(std::string_view kind, const SpecForm& form)
      : form_(form), spec_{form.name, {}, std::string(kind)} {}

  void read_list(std::string_view values) {
    for (auto comma = values.find(','); comma != std::string_view::npos; comma = values.find(',')) {
      read(values.substr(0, comma));
      values.remove_prefix(comma + 1);
    }
    read(values);
  }

  /// Reads the only value, which may contain characters that separate others. Its name is optional.
  void read_rest(std::string_view value) {
    const std::string& parameter = form_.parameters.front().name;
    if (value.starts_with(parameter + "=")) value.remove_prefix(parameter.size() + 1);
    set(parameter, value);
  }

  Spec take() { return std::move(spec_); }

 private:
  void read(std::string_view item) {
    const auto equals = item.find('=');
    if (equals == std::string_view::npos) return read_positional(item);
    has_named_ = true;
    set(known(item.substr(0, equals)), item.substr(equals + 1));
  }

  void read_positional(std::string_view value) {
    if (has_named_)
      fail("value " + quoted(value) + " without a name", "it follows a named one",
           "put values without a name first");
    if (position_ == form_.parameters.size())
      fail("one value too many, " + quoted(value), own_parameters("parameters: "), "leave it out");
    set(form_.parameters[position_++].name, value);
  }

  const std::string& known(std::string_view parameter) const {
    const auto found = std::ranges::find(form_.parameters, parameter, &ParameterInfo::name);
    if (found != form_.parameters.end()) return found->name;
    fail("unknown parameter " + quoted(parameter), own_parameters("valid: "),
         did_you_mean(parameter, names_of(form_.parameters)));
  }

  std::string own_parameters(const std::string& before) const {
    return form_.parameters.empty() ? "it has none" : before + list_names(names_of(form_.parameters));
  }

  void set(const std::string& parameter, std::string_view value) {
    if (value.empty())
      fail("no value for " + parameter, "nothing stands there", "give one, or leave out the comma or colon");
    if (!spec_.values.emplace(parameter, value).second)
      fail(parameter + " given twice", "the second time as " + quoted(value), "give it once");
  }

  [[noreturn]] void fail(const std::string& problem, std::string_view why,
                         std::string_view suggestion) const {
    throw UsageError(spec_.kind + " " + form_.name + ": " + problem, why, suggestion);
  }

  const SpecForm& form_;
  Spec spec_;
  std::size_t position_ = 0;
  bool has_named_ = false;
};

bool takes_rest(const SpecForm& form) {
  return !form.parameters.empty() && form.parameters.front().extent == Extent::rest;
}

/// Returns the form that `name` refers to if it takes one value with any characters, otherwise null.
const SpecForm* form_with_rest(std::string_view name, const std::vector<SpecForm>& forms) {
  const auto found = std::ranges::find(forms, name, &SpecForm::name);
  return found != forms.end() && takes_rest(*found) ? &*found : nullptr;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

/// `head`, then the words of `text` in lines of at most `columns` that all begin under its first word.
std::string wrapped(const std::string& head, std::string_view text, std::size_t columns) {
  std::string result, line = head;
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const bool is_first = line.size() == head.size();
    if (!is_first && line.size() + 1 + end > columns) {
      result.append(line).append("\n");
      line.assign(head.size(), ' ');
      line.append(text.substr(0, end));
    } else {
      line.append(is_first ? "" : " ").append(text.substr(0, end));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return result + line + "\n";
}

std::string shape(const SpecForm& form) {
  std::string text = form.name;
  char separator = ':';
  for (const auto& parameter : form.parameters) {
    text.append(1, separator).append(parameter.name);
    separator = ',';
  }
  return text;
}

std::string describe(const SpecForm& form, std::size_t columns) {
  std::size_t name_width = 0, default_width = 0;
  for (const auto& parameter : form.parameters) {
    name_width = std::max(name_width, parameter.name.size());
    default_width = std::max(default_width, parameter.default_text.size());
  }
  std::string text = shape(form) + "\n" + wrapped("  ", form.description, columns);
  for (const auto& parameter : form.parameters)
    text += wrapped(padded(std::string(4, ' ') + parameter.name, 4 + name_width) + " = " +
                        padded(parameter.default_text, default_width) + "  ",
                    parameter.description, columns);
  return text;
}

/// Reads `text` as a number in [least, most]. The error begins with `words`; its reason and the range are
/// appended.
double number_within(double least, double most, std::string_view text, const ErrorText& words) {
  const std::optional<double> value = parse_number(text);
  if (value && least <= *value && *value <= most) return *value;
  throw UsageError(words.problem, words.why + (value ? " is out of range" : " is not a number"),
                   words.suggestion + " from " + short_number_text(least) + " to " + short_number_text(most));
}

}  // namespace

const std::string* Spec::given(std::string_view parameter) const {
  const auto found = values.find(parameter);
  return found == values.end() ? nullptr : &found->second;
}

std::optional<Index> Spec::integer(std::string_view parameter, Index least) const {
  const std::string* const found = given(parameter);
  if (found == nullptr) return std::nullopt;
  const std::string& text = *found;
  if (!is_signed_number(text))
    throw UsageError(said(parameter, text), "it is not a whole number",
                     "give a whole number of at least " + std::to_string(least));
  Index value = 0;
  const auto status = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_too_large = status.ec == std::errc::result_out_of_range && !text.starts_with('-');
  if (is_too_large)
    throw UsageError(said(parameter, text), "it is too large",
                     "give at most " + std::to_string(std::numeric_limits<Index>::max()));
  if (status.ec != std::errc() || value < least)
    throw UsageError(said(parameter, text), "it is too small", "give at least " + std::to_string(least));
  return value;
}

std::optional<double> Spec::real(std::string_view parameter, double least, double most) const {
  const std::string* const text = given(parameter);
  if (text == nullptr) return std::nullopt;
  return number_within(least, most, *text, {said(parameter, *text), "it", "give a number"});
}

std::optional<std::vector<double>> Spec::list(std::string_view parameter, double least, double most) const {
  const std::string* const text = given(parameter);
  if (text == nullptr) return std::nullopt;
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= text->size();) {
    const std::size_t end = std::min(text->find(':', begin), text->size());
    const std::string item = text->substr(begin, end - begin);
    numbers.push_back(number_within(
        least, most, item, {said(parameter, *text), quoted(item), "give numbers with ':' between them,"}));
    begin = end + 1;
  }
  return numbers;
}

void Spec::require_ordered(std::string_view low, std::string_view high) const {
  const auto low_value = integer(low), high_value = integer(high);
  if (!low_value || !high_value || *low_value <= *high_value) return;
  throw UsageError(said(low, *given(low)),
                   "it is more than " + std::string(high) + ", which is " + std::to_string(*high_value),
                   "give a smaller " + std::string(low) + " or a larger " + std::string(high));
}

std::string Spec::said(std::string_view parameter, std::string_view value) const {
  return kind + " " + name + ": " + std::string(parameter) + " is '" + std::string(value) + "'";
}

std::string Spec::text() const {
  std::string text = name;
  char separator = ':';
  for (const auto& [parameter, value] : values) {
    text.append(1, separator).append(parameter).append("=").append(value);
    separator = ',';
  }
  return text;
}

Spec parse_spec(std::string_view kind, std::string_view text, const std::vector<SpecForm>& forms) {
  const auto colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const SpecForm* const with_rest = form_with_rest(name, forms);
  if (with_rest == nullptr) require_no_spaces(kind, text);
  ValueReader reader(kind, find_form(kind, name, forms));
  if (colon == std::string_view::npos) return reader.take();
  const std::string_view values = text.substr(colon + 1);
  if (with_rest != nullptr)
    reader.read_rest(values);
  else
    reader.read_list(values);
  return reader.take();
}

std::string spec_help(const SpecKind& kind, const std::vector<SpecForm>& forms, std::size_t columns) {
  const std::string name(kind.name);
  const std::string rules[] = {
      "A " + name + " is NAME, NAME:VALUE,... with values in the order shown, or NAME:PARAMETER=VALUE,...",
      "Values without a name come first. If a value is left out, it has the default shown after '='.",
      "Example: " + std::string(kind.example) + " is the same as " + std::string(kind.in_full)};
  std::string text;
  for (const std::string& rule : rules) text += wrapped("", rule, columns);
  for (const auto& form : forms) text.append("\n").append(describe(form, columns));
  return text;
}

}  // namespace loadshare
