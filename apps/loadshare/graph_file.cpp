#include "apps/loadshare/graph_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/names.hpp"
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
      throw value.error(fmt::format("a step is both {} and {}", found->name, verb.name),
                        "a step does one thing", "write two steps, each after a -");
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

}  // namespace loadshare::tool
