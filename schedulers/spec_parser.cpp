#include "schedulers/spec_parser.hpp"

#include <algorithm>
#include <string>

#include "schedulers/error.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare {
namespace {

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

/// Fills one spec, value by value.
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

  /// The one value, which may hold what would end others; its name before it is optional.
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
      fail("value " + quoted(value) + " without a name", "it stands after a named one",
           "put values without a name first");
    if (position_ == form_.parameters.size())
      fail("one value too many, " + quoted(value), "parameters: " + list_names(names_of(form_.parameters)),
           "leave it out");
    set(form_.parameters[position_++].name, value);
  }

  const std::string& known(std::string_view parameter) const {
    const auto found = std::ranges::find(form_.parameters, parameter, &ParameterInfo::name);
    if (found != form_.parameters.end()) return found->name;
    const auto names = names_of(form_.parameters);
    const std::string valid = names.empty() ? "it has none" : "valid: " + list_names(names);
    fail("unknown parameter " + quoted(parameter), valid, did_you_mean(parameter, names));
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

/// The form that `name` names, if what stands behind it is one value whatever is in it.
const SpecForm* form_with_rest(std::string_view name, const std::vector<SpecForm>& forms) {
  const auto found = std::ranges::find(forms, name, &SpecForm::name);
  return found != forms.end() && takes_rest(*found) ? &*found : nullptr;
}

}  // namespace

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

}  // namespace loadshare
