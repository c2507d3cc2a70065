#include "apps/loadshare/graph/show.hpp"

#include <fmt/format.h>

#include "apps/loadshare/graph/costs.hpp"
#include "apps/loadshare/graph/drawing.hpp"
#include "apps/loadshare/graph/graph_file.hpp"
#include "apps/loadshare/graph/graph_yaml.hpp"
#include "apps/loadshare/output.hpp"
#include "apps/loadshare/wording.hpp"
#include "base/io/files.hpp"
#include "base/io/text.hpp"
#include "base/quantities.hpp"

namespace loadshare::tool {
namespace {

using namespace timing_graph;

void add_steps(std::string& text, const Steps& steps, int indent);

void add_side(std::string& text, const char* name, const Steps& steps, int indent) {
  if (steps.empty()) return;
  text += fmt::format("{:{}}{}\n", "", indent, name);
  add_steps(text, steps, indent + 2);
}

void add_steps(std::string& text, const Steps& steps, int indent) {
  for (const Step& step : steps) {
    text += fmt::format("{:{}}{}\n", "", indent, step_text(step));
    if (const auto* loop = std::get_if<Loop>(&step.action)) add_steps(text, loop->steps, indent + 2);
    if (const auto* branch = std::get_if<Branch>(&step.action)) {
      add_side(text, "then", branch->then, indent + 2);
      add_side(text, "else", branch->otherwise, indent + 2);
    }
  }
}

std::string parameters_text(const Graph& graph, const std::vector<timing_graph::Setting>& settings) {
  std::string text;
  for (const Parameter& parameter : graph.parameters) {
    std::string value = parameter.value.text;
    for (const timing_graph::Setting& setting : settings)
      if (setting.name == parameter.name) value = fmt::format("{}", setting.value);
    text += fmt::format("{}{} = {}", text.empty() ? "" : ", ", parameter.name, value);
  }
  return text;
}

std::string graph_text(const Graph& graph, const std::vector<timing_graph::Setting>& settings,
                       const MessageEdges& found) {
  std::string text = fmt::format("{}: {}\n", graph.name, parameters_text(graph, settings));
  for (const Process& process : graph.processes) {
    text += "\n" + ranks_text(process) + "\n";
    add_steps(text, process.steps, 2);
  }
  if (!found.trouble.empty())
    return text + "\n" + notes_text({"its messages are not known: " + found.trouble});
  return text + fmt::format("\n{}, {} of {} in all\n",
                            count_text(static_cast<Index>(found.ops), "step", "steps"),
                            count_text(static_cast<Index>(found.messages), "message", "messages"),
                            human_bytes(static_cast<Bytes>(found.bytes)));
}

void write(const std::string& path, const std::string& text) {
  if (!path.empty()) replace_file(path, text);
}

void require_outputs(const GraphShowRequest& request) {
  require_own_files({{"FILE", request.file}},
                    {{"--dot", request.dot}, {"--svg", request.svg}, {"--yaml", request.yaml}});
  for (const auto& [path, what] :
       {std::pair{request.dot, "the DOT file"}, {request.svg, "the drawing"}, {request.yaml, "the graph"}})
    if (!path.empty()) require_writable(path, what);
  if (!request.svg.empty()) require_dot();
}

}  // namespace

std::vector<timing_graph::Setting> parse_settings(const std::string& text) {
  std::vector<timing_graph::Setting> settings;
  for (const Assignment& given : parse_assignments("--set", text))
    settings.push_back({given.name, number("--set " + given.name, given.value)});
  return settings;
}

ExitCode show_graph(const GraphShowRequest& request) {
  require_outputs(request);
  const Graph graph = load_graph(request.file);
  const std::vector<timing_graph::Setting> settings = parse_settings(request.settings);
  const MessageEdges found = find_message_edges(graph, settings);
  const std::string dot = graph_dot(graph, found);
  write(request.dot, dot);
  if (!request.svg.empty()) write(request.svg, svg_of_dot(dot));
  write(request.yaml, graph_yaml(graph));
  print(graph_text(graph, settings, found));
  return ExitCode::good;
}

}  // namespace loadshare::tool
