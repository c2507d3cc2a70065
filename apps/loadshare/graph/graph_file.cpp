#include "apps/loadshare/graph/graph_file.hpp"

#include <array>
#include <string>

#include "apps/loadshare/graph/step_reader.hpp"
#include "experiments/yaml/document.hpp"

namespace loadshare::tool {
namespace {

using namespace timing_graph;

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
