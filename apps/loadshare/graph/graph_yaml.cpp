#include "apps/loadshare/graph/graph_yaml.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>
#include <vector>

#include "models/program/collectives/table.hpp"

namespace loadshare::tool {
namespace {

using namespace timing_graph;

/// A text as a scalar that stays this text: plain where nothing in it means anything to YAML.
std::string scalar(const std::string& text) {
  static const std::array<std::string, 7> words{"", "null", "Null", "NULL", "~", "true", "false"};
  const bool is_word = std::ranges::find(words, text) != words.end();
  const auto is_plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view(" ()+-*/%^.<=>_").find(c) != std::string_view::npos;
  };
  const bool begins_plain =
      !text.empty() && (std::isalnum(static_cast<unsigned char>(text.front())) != 0 || text.front() == '(');
  if (!is_word && begins_plain && text.back() != ' ' && std::ranges::all_of(text, is_plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("''") : std::string(1, c);
  return quoted + "'";
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
  if (expression) pairs.emplace_back(key, scalar(expression->text));
}

void add_request(Pairs& pairs, const std::optional<std::string>& request) {
  if (request) pairs.emplace_back("request", scalar(*request));
}

Pairs pairs_of(const Send& send) {
  Pairs pairs{{"to", scalar(send.to.text)}, {"bytes", scalar(send.bytes.text)}};
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
    if (!step.label.empty()) line("label", scalar(step.label));
  }

  void operator()(const Compute& compute) {
    line("compute", scalar(compute.seconds.text));
    if (compute.spread != 0) line("spread", fmt::format("{}", compute.spread));
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
    for (const std::string& name : wait.requests) names += (names.empty() ? "" : ", ") + scalar(name);
    line("wait", names.empty() ? "all" : "[" + names + "]");
  }
  void operator()(const Collective& collective) {
    Pairs pairs;
    if (collective.call != "barrier") add(pairs, "bytes", collective.bytes);
    if (collective.root.text != "0") add(pairs, "root", collective.root);
    if (collective.group)
      pairs.emplace_back("group", flow_map({{"first", scalar(collective.group->first.text)},
                                            {"last", scalar(collective.group->last.text)},
                                            {"stride", scalar(collective.group->stride.text)}}));
    line(collective.call, flow_map(pairs));
  }
  void operator()(const Loop& loop) {
    line("loop", scalar(loop.times.text));
    if (!loop.variable.empty()) line("as", loop.variable);
    steps("steps", loop.steps);
  }
  void operator()(const Branch& branch) {
    line("if", scalar(branch.condition.text));
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
  if (ranks->first.text == ranks->last.text) return scalar(ranks->first.text);
  return scalar(ranks->first.text + ".." + ranks->last.text);
}

}  // namespace

std::string graph_yaml(const Graph& graph) {
  std::string text = fmt::format("name: {}\nparameters:\n", scalar(graph.name));
  for (const Parameter& parameter : graph.parameters)
    text += fmt::format("  {}: {}\n", parameter.name, scalar(parameter.value.text));
  text += "processes:\n";
  for (const Process& process : graph.processes) {
    text += fmt::format("  - ranks: {}\n    steps:\n", ranks_value(process.ranks));
    for (const Step& step : process.steps) StepWriter(text, step, 8);
  }
  return text;
}

}  // namespace loadshare::tool
