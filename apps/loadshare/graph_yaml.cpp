#include "apps/loadshare/graph_yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/quantities.hpp"

namespace loadshare::tool {
namespace {

using namespace timing_graph;

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

/// In single quotes line breaks would become blanks.
std::string quoted(const std::string& text) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < ' '; };
  const bool has_control = std::ranges::any_of(text, is_control);
  std::string inside;
  for (const char c : text) {
    if (is_control(c))
      inside += fmt::format("\\x{:02x}", static_cast<unsigned>(c));
    else if (has_control && (c == '"' || c == '\\'))
      inside += {'\\', c};
    else
      inside += c == '\'' && !has_control ? std::string("''") : std::string(1, c);
  }
  return has_control ? "\"" + inside + "\"" : "'" + inside + "'";
}

/// Whether a text that begins with a letter or a digit means nothing else to YAML, neither to its
/// version 1.1, which PyYAML reads, nor to 1.2.
bool is_plain(const std::string& text) {
  static const std::array<std::string, 7> words{"null", "true", "false", "yes", "no", "on", "off"};
  const auto is_alphanumeric = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  const auto is_harmless = [&](char c) {
    return is_alphanumeric(c) || std::string_view(" ()+-*/%^.<=>_").find(c) != std::string_view::npos;
  };
  if (text.empty() || text.back() == ' ' || !std::ranges::all_of(text, is_harmless)) return false;
  std::string small = text;
  std::ranges::transform(small, small.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool is_word = std::ranges::find(words, small) != words.end();
  return (is_alphanumeric(text.front()) || text.front() == '(') && !is_word;
}

/// 010 and 2026-01-31 would be read as a number and a date.
std::string name_scalar(const std::string& name) {
  return is_plain(name) && !is_digit(name.front()) ? name : quoted(name);
}

/// To YAML 1.1 a number with an exponent is none without a point.
std::string number_scalar(double number) {
  std::string text = fmt::format("{}", number);
  const std::size_t exponent = text.find('e');
  if (exponent != std::string::npos && text.find('.') == std::string::npos) text.insert(exponent, ".0");
  return text;
}

std::string expression_scalar(const std::string& text) {
  if (const auto number = parse_number(text)) return number_scalar(*number);
  // What begins with a digit may stand as it is where it has what no number, date or time has.
  const bool is_formula =
      text.find_first_of(" ()+*/%^<>=") != std::string::npos || text.find("..") != std::string::npos;
  return is_formula && is_plain(text) ? text : name_scalar(text);
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

/// `{to: 1, bytes: 8}`.
std::string flow_map(const Pairs& pairs) {
  std::string text;
  for (const auto& [key, value] : pairs)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", key, value);
  return "{" + text + "}";
}

void add(Pairs& pairs, const char* key, const std::optional<Expression>& expression) {
  if (expression) pairs.emplace_back(key, expression_scalar(expression->text));
}

void add_request(Pairs& pairs, const std::optional<std::string>& request) {
  if (request) pairs.emplace_back("request", name_scalar(*request));
}

Pairs pairs_of(const Send& send) {
  Pairs pairs{{"to", expression_scalar(send.to.text)}, {"bytes", expression_scalar(send.bytes.text)}};
  if (send.tag.text != "0") add(pairs, "tag", send.tag);
  if (send.mode != communication::SendMode::standard) pairs.emplace_back("mode", name_of(send.mode));
  return pairs;
}

/// Writes the lines of a step behind its `- `.
class StepWriter final {
 public:
  StepWriter(std::string& text, const Step& step, int indent) : text_(text), indent_(indent) {
    text_ += std::string(static_cast<std::size_t>(indent_ - 2), ' ') + "- ";
    std::visit(*this, step.action);
    if (!step.label.empty()) line("label", name_scalar(step.label));
  }

  void operator()(const Compute& compute) {
    line("compute", expression_scalar(compute.seconds.text));
    if (compute.spread != 0) line("spread", number_scalar(compute.spread));
  }
  void operator()(const Send& send) {
    Pairs pairs = pairs_of(send);
    add_request(pairs, send.request);
    line("send", flow_map(pairs));
  }
  void operator()(const Receive& receive) {
    Pairs pairs;
    add(pairs, "from", receive.from);
    add(pairs, "tag", receive.tag);
    add_request(pairs, receive.request);
    line("receive", flow_map(pairs));
  }
  void operator()(const Exchange& exchange) {
    Pairs pairs = pairs_of(exchange.send);
    add(pairs, "from", exchange.receive.from);
    add(pairs, "receive_tag", exchange.receive.tag);
    line("exchange", flow_map(pairs));
  }
  void operator()(const Wait& wait) {
    std::string names;
    for (const std::string& name : wait.requests) names += (names.empty() ? "" : ", ") + name_scalar(name);
    line("wait", names.empty() ? "all" : "[" + names + "]");
  }
  void operator()(const Collective& collective) {
    Pairs pairs;
    if (collective.call != "barrier") add(pairs, "bytes", collective.bytes);
    if (collective.root.text != "0") add(pairs, "root", collective.root);
    if (collective.group)
      pairs.emplace_back("group", flow_map({{"first", expression_scalar(collective.group->first.text)},
                                            {"last", expression_scalar(collective.group->last.text)},
                                            {"stride", expression_scalar(collective.group->stride.text)}}));
    line(collective.call, flow_map(pairs));
  }
  void operator()(const Loop& loop) {
    line("loop", expression_scalar(loop.times.text));
    if (!loop.variable.empty()) line("as", name_scalar(loop.variable));
    steps("steps", loop.steps);
  }
  void operator()(const Branch& branch) {
    line("if", expression_scalar(branch.condition.text));
    steps("then", branch.then);
    if (!branch.otherwise.empty()) steps("else", branch.otherwise);
  }

 private:
  void line(const std::string& key, const std::string& value) {
    if (!is_first_) text_ += std::string(static_cast<std::size_t>(indent_), ' ');
    is_first_ = false;
    text_ += fmt::format("{}: {}\n", key, value);
  }

  void steps(const char* key, const Steps& steps) {
    text_ += fmt::format("{:{}}{}:\n", "", indent_, key);
    for (const Step& step : steps) StepWriter(text_, step, indent_ + 4);
  }

  std::string& text_;
  int indent_;
  bool is_first_ = true;
};

std::string ranks_value(const std::optional<RankRange>& ranks) {
  if (!ranks) return "all";
  if (ranks->first.text == ranks->last.text) return expression_scalar(ranks->first.text);
  return expression_scalar(ranks->first.text + ".." + ranks->last.text);
}

}  // namespace

std::string graph_yaml(const Graph& graph) {
  std::string text = fmt::format("name: {}\nparameters:\n", name_scalar(graph.name));
  for (const Parameter& parameter : graph.parameters)
    text += fmt::format("  {}: {}\n", name_scalar(parameter.name), expression_scalar(parameter.value.text));
  text += "processes:\n";
  for (const Process& process : graph.processes) {
    text += fmt::format("  - ranks: {}\n    steps:\n", ranks_value(process.ranks));
    for (const Step& step : process.steps) StepWriter(text, step, 8);
  }
  return text;
}

}  // namespace loadshare::tool
