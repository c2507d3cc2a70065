#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "schedulers/spec_form.hpp"

namespace loadshare {
namespace {

constexpr std::size_t columns = 100;

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

// `head`, then the words of `text` in lines that all begin under its first word.
std::string wrapped(const std::string& head, std::string_view text) {
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

std::string describe(const SpecForm& form) {
  std::size_t name_width = 0, default_width = 0;
  for (const auto& parameter : form.parameters) {
    name_width = std::max(name_width, parameter.name.size());
    default_width = std::max(default_width, parameter.default_text.size());
  }
  std::string text = shape(form) + "\n" + wrapped("  ", form.description);
  for (const auto& parameter : form.parameters)
    text += wrapped(padded(std::string(4, ' ') + parameter.name, 4 + name_width) + " = " +
                        padded(parameter.default_text, default_width) + "  ",
                    parameter.description);
  return text;
}

}  // namespace

std::string spec_help(const SpecKind& kind, const std::vector<SpecForm>& forms) {
  const std::string name(kind.name);
  std::string text =
      "A " + name + " is NAME, NAME:VALUE,... with values in the order shown, or NAME:PARAMETER=VALUE,...\n" +
      "Values without a name come first; what is left out has the default shown after '='.\n" +
      "Example: " + std::string(kind.example) + " is the same as " + std::string(kind.in_full) + "\n";
  for (const auto& form : forms) text.append("\n").append(describe(form));
  return text;
}

}  // namespace loadshare
