#include "apps/loadshare/graph_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/names.hpp"
#include "base/quantities.hpp"
#include "experiments/yaml/document.hpp"
#include "models/program/collectives/table.hpp"

namespace loadshare::tool {
namespace {

using namespace timing_graph;
using communication::parse_send_mode;
using communication::SendMode;

constexpr double widest_spread = 10;

/// A list of steps, at least one. Throws UsageError as `file:line:column: ...`.
Steps read_steps(const yaml::Value& list);

Place place_of(const yaml::Value& value) {
  return {std::make_shared<const std::string>(value.file()), value.position().line, value.position().column};
}

Expression read_expression(const yaml::Value& value) {
  return {value.text(), place_of(value)};
}

/// A slip in a key is told before what is missing by it.
yaml::Map map_with(const yaml::Value& value, const std::vector<std::string>& keys) {
  yaml::Map map = value.map();
  map.require_known(keys);
  return map;
}

std::optional<Expression> optional_expression(yaml::Map& map, const std::string& key) {
  const auto value = map.find(key);
  if (!value) return std::nullopt;
  return read_expression(*value);
}

std::optional<Expression> unless_any(yaml::Map& map, const std::string& key) {
  auto expression = optional_expression(map, key);
  if (expression && expression->text == "any") return std::nullopt;
  return expression;
}

std::optional<std::string> read_request(yaml::Map& map) {
  const auto value = map.find("request");
  if (!value) return std::nullopt;
  return value->text();
}

SendMode read_mode(yaml::Map& map) {
  const auto value = map.find("mode");
  if (!value) return SendMode::standard;
  try {
    return parse_send_mode("mode", value->text());
  } catch (const UsageError& error) {
    throw value->error(error.what());
  }
}

Send read_send_half(yaml::Map& map) {
  Send send{read_expression(map.at("to")), read_expression(map.at("bytes"))};
  if (const auto tag = optional_expression(map, "tag")) send.tag = *tag;
  send.mode = read_mode(map);
  return send;
}

Action read_compute(const yaml::Value& value, yaml::Map& step) {
  Compute compute{read_expression(value)};
  if (const auto spread = step.find("spread")) compute.spread = spread->number(0, widest_spread);
  return compute;
}

Action read_send(const yaml::Value& value, yaml::Map&) {
  yaml::Map map = map_with(value, {"to", "bytes", "tag", "mode", "request"});
  Send send = read_send_half(map);
  send.request = read_request(map);
  return send;
}

Action read_receive(const yaml::Value& value, yaml::Map&) {
  yaml::Map map = map_with(value, {"from", "tag", "request"});
  Receive receive{unless_any(map, "from"), unless_any(map, "tag"), read_request(map)};
  return receive;
}

Action read_exchange(const yaml::Value& value, yaml::Map&) {
  yaml::Map map = map_with(value, {"to", "bytes", "tag", "mode", "from", "receive_tag"});
  Exchange exchange{read_send_half(map), {unless_any(map, "from"), unless_any(map, "receive_tag"), {}}};
  return exchange;
}

Action read_wait(const yaml::Value& value, yaml::Map&) {
  Wait wait;
  if (value.is_list())
    for (const yaml::Value& name : value.list()) wait.requests.push_back(name.text());
  else if (value.text() != "all")
    wait.requests.push_back(value.text());
  return wait;
}

Action read_loop(const yaml::Value& value, yaml::Map& step) {
  Loop loop{read_expression(value), {}, {}};
  if (const auto variable = step.find("as")) loop.variable = variable->text();
  loop.steps = read_steps(step.at("steps"));
  return loop;
}

Action read_branch(const yaml::Value& value, yaml::Map& step) {
  Branch branch{read_expression(value), read_steps(step.at("then")), {}};
  if (const auto otherwise = step.find("else")) branch.otherwise = read_steps(*otherwise);
  return branch;
}

Group read_group(const yaml::Value& value) {
  yaml::Map map = map_with(value, {"first", "last", "stride"});
  Group group{read_expression(map.at("first")), read_expression(map.at("last"))};
  if (const auto stride = optional_expression(map, "stride")) group.stride = *stride;
  return group;
}

Action read_collective(const collectives::Kind& kind, const yaml::Value& value) {
  Collective collective{kind.name};
  const bool has_bytes = kind.bytes_of != collectives::BytesOf::nothing;
  if (!has_bytes && value.is_scalar())
    throw value.wrong("it has no bytes", fmt::format("write {}: {{}}", kind.name));
  if (value.is_scalar()) collective.bytes = read_expression(value);
  if (value.is_scalar() || value.is_null()) return collective;
  yaml::Map map = value.map();
  if (has_bytes) collective.bytes = read_expression(map.at("bytes"));
  if (kind.root == collectives::Root::one)
    if (const auto root = optional_expression(map, "root")) collective.root = *root;
  if (const auto group = map.find("group")) collective.group = read_group(*group);
  map.finish();
  return collective;
}

/// Reads the value of the key a step is named by; keys beside it are found in the step.
using Reader = std::function<Action(const yaml::Value& value, yaml::Map& step)>;

struct Verb {
  std::string name;
  std::vector<std::string> beside;
  Reader read;
};

Verb collective_verb(const collectives::Kind& kind) {
  return {kind.name, {}, [&kind](const yaml::Value& value, yaml::Map&) {
            if (value.is_null() && kind.bytes_of != collectives::BytesOf::nothing)
              throw value.wrong(fmt::format("it must say its bytes: {}", kind.bytes_meaning));
            return read_collective(kind, value);
          }};
}

const std::vector<Verb>& verbs() {
  static const std::vector<Verb> table = [] {
    std::vector<Verb> all{
        {"compute", {"spread"}, read_compute}, {"send", {}, read_send}, {"receive", {}, read_receive},
        {"exchange", {}, read_exchange},       {"wait", {}, read_wait}, {"loop", {"as", "steps"}, read_loop},
        {"if", {"then", "else"}, read_branch}};
    for (const collectives::Kind& kind : collectives::collective_table())
      all.push_back(collective_verb(kind));
    return all;
  }();
  return table;
}

std::vector<std::string> verb_names() {
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) names.push_back(verb.name);
  return names;
}

/// The one of a step's keys that says what it does.
const Verb& verb_of(const yaml::Value& value) {
  const Verb* found = nullptr;
  yaml::Map map = value.map();
  for (const Verb& verb : verbs()) {
    if (!map.find(verb.name)) continue;
    if (found != nullptr)
      throw value.error(fmt::format("a step is both {} and {}", found->name, verb.name), "it does one thing",
                        "make two of it, each behind a -");
    found = &verb;
  }
  if (found != nullptr) return *found;
  std::vector<std::string> names = verb_names();
  names.emplace_back("label");
  map.require_known(names);
  throw value.error("a step does nothing", fmt::format("it has one of {}", list_names(names)));
}

Step read_step(const yaml::Value& value) {
  const Verb& verb = verb_of(value);
  yaml::Map map = value.map();
  std::vector<std::string> known{verb.name, "label"};
  known.insert(known.end(), verb.beside.begin(), verb.beside.end());
  map.require_known(known);
  Step step;
  if (const auto label = map.find("label")) step.label = label->text();
  step.place = place_of(value);
  step.action = verb.read(map.at(verb.name), map);
  return step;
}

Steps read_steps(const yaml::Value& list) {
  Steps steps;
  for (const yaml::Value& step : list.list()) steps.push_back(read_step(step));
  if (steps.empty()) throw list.wrong("there is nothing to do", "list at least one step");
  return steps;
}

const std::array<std::string, 3> file_keys{"name", "parameters", "processes"};
const std::array<std::string, 2> process_keys{"ranks", "steps"};

/// `all`, `0`, `1..p-1`.
std::optional<RankRange> read_ranks(const yaml::Value& value) {
  const Expression text = read_expression(value);
  if (text.text == "all") return std::nullopt;
  const std::size_t dots = text.text.find("..");
  if (dots == std::string::npos) return RankRange{text, text};
  const RankRange range{{text.text.substr(0, dots), text.place}, {text.text.substr(dots + 2), text.place}};
  if (range.first.text.empty() || range.last.text.empty())
    throw value.wrong("it must be all, a rank, or the first and the last like 1..p-1");
  return range;
}

Process read_process(const yaml::Value& value) {
  yaml::Map map = value.map();
  map.require_known(process_keys);
  return {read_ranks(map.at("ranks")), read_steps(map.at("steps")), place_of(value)};
}

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

Graph read_graph(const yaml::Value& file) {
  yaml::Map map = file.map();
  map.require_known(file_keys);
  Graph graph;
  graph.name = map.at("name").text();
  for (const auto& [name, value] : map.at("parameters").map().all())
    graph.parameters.push_back({name, read_expression(value)});
  const yaml::Value processes = map.at("processes");
  for (const yaml::Value& process : processes.list()) graph.processes.push_back(read_process(process));
  if (graph.processes.empty()) throw processes.wrong("a program has at least one process");
  return graph;
}

Graph load_graph(const std::string& path) {
  return read_graph(yaml::load(path));
}

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
