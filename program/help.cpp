#include "program/help.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>

#include "base/io/terminal.hpp"
#include "base/io/text.hpp"

namespace loadshare {
namespace {

constexpr int most_help_columns = 110;

int help_columns() {
  return text_columns(STDOUT_FILENO, most_help_columns);
}

/// `name`, and beside it the text that describes it, or below if the name is too long.
std::string help_entry(const std::string& name, const std::string& text) {
  constexpr int widest_name = 30;
  const int columns = help_columns();
  const int indent = std::min(widest_name, columns / 3);
  std::string entry = "  " + hung(wrapped(name, columns - 2, 4), 2);
  if (text.empty()) return entry + "\n";
  const std::size_t last_line = entry.size() - (entry.rfind('\n') + 1);
  constexpr std::size_t gap = 2;
  const bool is_beside = last_line + gap <= static_cast<std::size_t>(indent);
  if (!is_beside) entry += '\n';
  entry.append(static_cast<std::size_t>(indent) - (is_beside ? last_line : 0), ' ');
  return entry + hung(fitted(text, columns - indent, 0), indent) + "\n";
}

/// CLI11's help in lines that fit the terminal.
class FittedHelp final : public CLI::Formatter {
 public:
  std::string make_description(const CLI::App* app) const override {
    return fitted_paragraphs(CLI::Formatter::make_description(app), help_columns());
  }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    return fitted(CLI::Formatter::make_usage(app, name), help_columns());
  }
  std::string make_footer(const CLI::App* app) const override {
    return fitted_paragraphs(CLI::Formatter::make_footer(app), help_columns());
  }
  std::string make_subcommand(const CLI::App* sub) const override {
    return help_entry(sub->get_display_name(true), sub->get_description());
  }
  std::string make_option(const CLI::Option* option, bool is_positional) const override {
    return help_entry(make_option_name(option, is_positional) + make_option_opts(option),
                      make_option_desc(option));
  }
};

}  // namespace

void fit_help(CLI::App& app) {
  app.formatter(std::make_shared<FittedHelp>());
}

}  // namespace loadshare
