#include "experiments/yaml/parse.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

namespace loadshare::yaml {
namespace {

struct Rewording {
  std::string_view theirs;
  std::string_view problem;
  std::string_view suggestion;
};

/// The parser's most frequent messages in plain words.
constexpr std::array rewordings{
    Rewording{"end of map not found", "this line of a map is not `key: value`",
              "compare the indentation with the line above"},
    Rewording{"end of sequence not found", "this line of a list is not `- item`",
              "compare the indentation with the line above"},
    Rewording{"illegal map value", "a colon where no value can start",
              "put text that contains `: ` in quotes, and check the indentation"},
    Rewording{"end of map flow not found", "the closing } of a map is missing", "add it"},
    Rewording{"end of sequence flow not found", "the closing ] of a list is missing", "add it"},
    Rewording{"unknown token", "no value can start with this character",
              "put text that starts with it in quotes"},
    Rewording{"the referenced anchor is not defined", "an alias to an unknown anchor",
              "define it first with &NAME"},
};

std::string_view line_of(std::string_view text, int line) {
  for (int skipped = 1; skipped < line; ++skipped)
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  return text.substr(0, text.find('\n'));
}

/// Returns the column of a tab in a line's indentation.
std::optional<int> indenting_tab(std::string_view line) {
  const std::size_t first = line.find_first_not_of(' ');
  if (first == std::string_view::npos || line[first] != '\t') return std::nullopt;
  return static_cast<int>(first) + 1;
}

/// Converts the parser's mark, which counts from 0 and is -1 if the position is unknown.
Position position_of(const YAML::Mark& mark) {
  return {std::max(mark.line, 0) + 1, std::max(mark.column, 0) + 1};
}

/// Returns the parser's error in the words of this project.
UsageError syntax_error(const std::string& text, const std::string& file,
                        const YAML::ParserException& error) {
  const Position position = position_of(error.mark);
  if (const auto column = indenting_tab(line_of(text, position.line)))
    return error_at(file, {position.line, *column}, "a tab indents this line", "not valid YAML",
                    "use blanks");
  for (const Rewording& words : rewordings)
    if (error.msg.starts_with(words.theirs))
      return error_at(file, position, words.problem, "not valid YAML", words.suggestion);
  return error_at(file, position, error.msg, "not valid YAML");
}

/// Deeper than any file that a person writes; code that reads the tree may recurse.
constexpr std::size_t most_depth = 64;

/// Whether a quote that opens at `position` is closed. Otherwise the parser takes the rest of the file as the
/// text.
bool is_closed(std::string_view text, int position) {
  const auto start = static_cast<std::size_t>(std::max(position, 0));
  const char quote = start < text.size() ? text[start] : ' ';
  if (quote != '"' && quote != '\'') return true;
  for (std::size_t at = start + 1; at < text.size(); ++at) {
    if (text[at] == quote) return true;  // a doubled single quote is followed by a second one
    if (quote == '"' && text[at] == '\\') ++at;
  }
  return false;
}

/// A builder of the tree from the parser's events. (yaml-cpp's own nodes accept a repeated key and do not
/// record whether a text was quoted.)
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(const std::string& text, const std::string& file) : text_(text), file_(file) {}

  NodePointer root() const { return root_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    place(make(Kind::null, mark), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchored_.find(anchor);
    if (known == anchored_.end())
      throw error_at(file_, position_of(mark), "an alias refers to the value that contains it",
                     "it would never end");
    add(known->second, position_of(mark));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    const auto node = make(Kind::scalar, mark);
    node->text = text;
    node->is_quoted = tag == "!";
    if (!is_closed(text_, mark.pos))
      throw error_at(file_, node->position, "the closing quote of this text is missing", "not valid YAML");
    place(node, anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Kind::list, mark, anchor);
  }
  void OnSequenceEnd() override { finish(); }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Kind::map, mark, anchor);
  }
  void OnMapEnd() override { finish(); }

 private:
  struct Open {
    std::shared_ptr<Node> node;
    YAML::anchor_t anchor;
    Position position;
    std::optional<Entry> entry;  ///< a key that waits for its value
  };

  static std::shared_ptr<Node> make(Kind kind, const YAML::Mark& mark) {
    auto node = std::make_shared<Node>();
    node->kind = kind;
    node->position = position_of(mark);
    return node;
  }

  void open(Kind kind, const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (open_.size() >= most_depth)
      throw error_at(file_, position_of(mark), "lists and maps are nested too deeply",
                     fmt::format("at most {} deep", most_depth));
    open_.push_back({make(kind, mark), anchor, position_of(mark), std::nullopt});
  }

  void finish() {
    const Open done = std::move(open_.back());
    open_.pop_back();
    place(done.node, done.anchor);
  }

  void place(const NodePointer& node, YAML::anchor_t anchor) {
    if (anchor != 0) anchored_[anchor] = node;
    add(node, node->position);
  }

  void add(const NodePointer& node, Position position) {
    if (open_.empty()) {
      root_ = node;
      return;
    }
    Open& parent = open_.back();
    if (parent.node->kind == Kind::list)
      parent.node->items.push_back(node);
    else if (parent.entry)
      take_value(parent, node);
    else
      take_key(parent, *node, position);
  }

  void take_key(Open& map, const Node& key, Position position) {
    if (key.kind != Kind::scalar || key.text.empty())
      throw error_at(file_, position, "a key is not a name", "keys of a map are plain names");
    for (const Entry& other : map.node->entries)
      if (other.key == key.text)
        throw error_at(file_, position, fmt::format("the key '{}' is repeated", key.text),
                       fmt::format("it is already in line {}", other.key_position.line),
                       "remove one of them");
    map.entry = Entry{key.text, position, nullptr};
  }

  static void take_value(Open& map, const NodePointer& value) {
    map.entry->value = value;
    map.node->entries.push_back(std::move(*map.entry));
    map.entry.reset();
  }

  const std::string& text_;
  const std::string& file_;
  NodePointer root_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, NodePointer> anchored_;
};

void require_text(const std::string& text, const std::string& file) {
  const auto nul = std::ranges::find(text, '\0');
  if (nul == text.end()) return;
  const auto lines_before = static_cast<int>(std::count(text.begin(), nul, '\n'));
  throw error_at(file, {lines_before + 1, 1}, "the file contains a byte of value 0", "it is not a text file");
}

}  // namespace

UsageError error_at(const std::string& file, Position position, std::string_view problem,
                    std::string_view why, std::string_view suggestion) {
  return UsageError(fmt::format("{}:{}:{}: {}", file, position.line, position.column, problem), why,
                    suggestion);
}

NodePointer parse(const std::string& text, const std::string& file) {
  require_text(text, file);
  std::istringstream stream(text);
  TreeBuilder tree(text, file), rest(text, file);
  try {
    YAML::Parser parser(stream);
    if (!parser.HandleNextDocument(tree)) throw error_at(file, {}, "the file is empty");
    if (parser.HandleNextDocument(rest) && rest.root())
      throw error_at(file, rest.root()->position, "there is text after the end of the document",
                     "a file contains one list or map", "check the indentation");
  } catch (const YAML::ParserException& error) {
    throw syntax_error(text, file, error);
  }
  return tree.root();
}

}  // namespace loadshare::yaml
