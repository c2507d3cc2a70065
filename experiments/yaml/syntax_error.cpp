#include "experiments/yaml/syntax_error.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "experiments/yaml/parse.hpp"

namespace loadshare::yaml {
namespace {

struct Rewording {
  std::string_view theirs;
  std::string_view problem;
  std::string_view suggestion;
};

/// The parser's commonest complaints, as a person would say them.
constexpr std::array rewordings{
    Rewording{"end of map not found", "a map goes on with something else than `key: value`",
              "compare the indentation with the line above"},
    Rewording{"end of sequence not found", "a list goes on with something else than `- item`",
              "compare the indentation with the line above"},
    Rewording{"illegal map value", "a colon where no value can begin",
              "put texts with `: ` into quotes, and check the indentation"},
    Rewording{"end of map flow not found", "the closing } of a map is missing", ""},
    Rewording{"end of sequence flow not found", "the closing ] of a list is missing", ""},
    Rewording{"unknown token", "a character that begins nothing", "put texts that begin with it into quotes"},
    Rewording{"the referenced anchor is not defined", "an alias to what was not named before",
              "name it with & first"},
};

std::string_view line_of(std::string_view text, int line) {
  for (int skipped = 1; skipped < line; ++skipped)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

/// Where a line is indented with a tab, which column.
std::optional<int> indenting_tab(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  if (first == std::string_view::npos || line[first] != '\t') return std::nullopt;
  return static_cast<int>(first) + 1;
}

}  // namespace

Position position_of(const YAML::Mark& mark) {
  return {std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
}

UsageError syntax_error(const std::string& text, const std::string& file,
                        const YAML::ParserException& error) {
  const Position position = position_of(error.mark);
  if (const auto column = indenting_tab(line_of(text, position.line)))
    return error_at(file, {position.line, *column}, "a tab is used to indent", "no valid YAML", "use blanks");
  for (const Rewording& words : rewordings)
    if (error.msg.starts_with(words.theirs))
      return error_at(file, position, words.problem, "no valid YAML", words.suggestion);
  return error_at(file, position, error.msg, "no valid YAML");
}

}  // namespace loadshare::yaml
