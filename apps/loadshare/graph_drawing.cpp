#include "apps/loadshare/graph_drawing.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "base/error.hpp"
#include "base/io/files.hpp"
#include "base/io/process.hpp"
#include "base/io/text.hpp"
#include "experiments/sweep/process.hpp"
#include "models/messages/message_costs.hpp"

namespace loadshare::tool {
namespace {

using namespace timing_graph;

std::string or_any(const std::optional<Expression>& expression) {
  return expression ? expression->text : "any";
}

std::string request_text(const std::optional<std::string>& request) {
  return request ? fmt::format(" (begins {})", *request) : "";
}

struct TextOfAction {
  std::string operator()(const Compute& compute) const { return "compute " + compute.seconds.text + " s"; }
  std::string operator()(const Send& send) const {
    std::string text = fmt::format("send {} bytes to {}", send.bytes.text, send.to.text);
    if (send.tag.text != "0") text += ", tag " + send.tag.text;
    if (send.mode != communication::SendMode::standard) text += ", " + name_of(send.mode);
    return text + request_text(send.request);
  }
  std::string operator()(const Receive& receive) const {
    std::string text = "receive from " + or_any(receive.from);
    if (receive.tag) text += ", tag " + receive.tag->text;
    return text + request_text(receive.request);
  }
  std::string operator()(const Exchange& exchange) const {
    return fmt::format("exchange: {}, {}", (*this)(exchange.send), (*this)(exchange.receive));
  }
  std::string operator()(const Wait& wait) const {
    return wait.requests.empty() ? "wait for all"
                                 : fmt::format("wait for {}", fmt::join(wait.requests, ", "));
  }
  std::string operator()(const Collective& collective) const {
    if (collective.call == "barrier") return collective.call;
    std::string text = fmt::format("{} {} bytes", collective.call, collective.bytes.text);
    if (collective.root.text != "0") text += ", root " + collective.root.text;
    return text;
  }
  std::string operator()(const Loop& loop) const {
    const std::string variable = loop.variable.empty() ? "" : fmt::format(" ({})", loop.variable);
    return fmt::format("loop {} times{}", loop.times.text, variable);
  }
  std::string operator()(const Branch& branch) const { return "if " + branch.condition.text; }
};

constexpr std::size_t most_ops = 2'000'000;

constexpr int widest_line = 28;

/// In quotes, long lines broken between words.
std::string dot_quoted(std::string_view text) {
  std::string result = "\"";
  for (const char c : wrapped(text, widest_line, 0)) {
    if (c == '"' || c == '\\') result += '\\';
    result += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return result + "\"";
}

struct Look {
  std::string_view shape;
  std::string_view fill;
  std::string_view margin = "0.12,0.06";
};

struct LookOfAction {
  Look operator()(const Compute&) const { return {"box", "#dcecf9"}; }
  Look operator()(const Send&) const { return {"cds", "#fde3c8", "0.3,0.1"}; }
  Look operator()(const Receive&) const { return {"larrow", "#dff0d8", "0.3,0.02"}; }
  Look operator()(const Exchange&) const { return {"hexagon", "#f3ead0"}; }
  Look operator()(const Wait&) const { return {"octagon", "#eeeeee"}; }
  Look operator()(const Collective&) const { return {"doubleoctagon", "#e8ddf3"}; }
  Look operator()(const Loop&) const { return {"box", "#ffffff"}; }
  Look operator()(const Branch&) const { return {"diamond", "#ffffff"}; }
};

/// Where the path through some steps begins and ends.
struct Ends {
  std::string first;
  std::string last;
};

class Drawing final {
 public:
  explicit Drawing(const MessageEdges& messages) : messages_(messages) {}

  std::string of(const Graph& graph) {
    text_ = fmt::format("digraph {} {{\n", dot_quoted(graph.name));
    text_ +=
        "  graph [fontname=\"Helvetica\", fontsize=11, rankdir=TB, nodesep=0.5, ranksep=0.3, newrank=true];\n"
        "  node [fontname=\"Helvetica\", fontsize=10, style=filled, color=\"#555555\", "
        "margin=\"0.12,0.06\"];\n"
        "  edge [fontname=\"Helvetica\", fontsize=9, color=\"#555555\", arrowsize=0.6];\n";
    for (const Process& process : graph.processes) draw(process);
    draw_messages();
    return text_ + "}\n";
  }

 private:
  void line(const std::string& words) { text_ += std::string(2 * depth_, ' ') + words + "\n"; }

  void open_frame(const std::string& label, std::string_view style) {
    line(fmt::format("subgraph cluster_{} {{", frames_++));
    ++depth_;
    line(fmt::format("label={}; labeljust=l; {}", dot_quoted(label), style));
  }

  void close_frame() {
    --depth_;
    line("}");
  }

  std::string point(const char* shape, const char* label) {
    const std::string name = fmt::format("point{}", points_++);
    line(fmt::format("{} [shape={}, label=\"{}\", width=0.25, fixedsize=true, fillcolor=\"#555555\"];", name,
                     shape, label));
    return name;
  }

  void draw(const Process& process) {
    open_frame(ranks_text(process), "style=rounded; color=\"#999999\"; fontsize=13;");
    const std::string begin = point("circle", "");
    const Ends ends = draw(process.steps);
    const std::string end = point("doublecircle", "");
    connect(begin, ends.first);
    connect(ends.last, end);
    close_frame();
  }

  Ends draw(const Steps& steps) {
    Ends all;
    for (const Step& step : steps) {
      const Ends ends = draw(step);
      if (all.first.empty())
        all.first = ends.first;
      else
        connect(all.last, ends.first);
      all.last = ends.last;
    }
    return all;
  }

  /// In the order in which expand() numbers the origins: a step before the steps inside it.
  Ends draw(const Step& step) {
    const std::uint32_t number = origins_++;
    if (const auto* loop = std::get_if<Loop>(&step.action)) return draw_loop(step, *loop);
    const std::string name = fmt::format("step{}", number);
    const Look look = std::visit(LookOfAction{}, step.action);
    line(fmt::format("{} [shape={}, fillcolor=\"{}\", margin=\"{}\", label={}];", name, look.shape, look.fill,
                     look.margin, dot_quoted(step_text(step))));
    if (std::holds_alternative<Collective>(step.action)) collectives_.insert(number);
    if (const auto* branch = std::get_if<Branch>(&step.action)) return draw_branch(name, *branch);
    return {name, name};
  }

  Ends draw_loop(const Step& step, const Loop& loop) {
    open_frame(step_text(step), "style=dashed; color=\"#4477aa\"; fontcolor=\"#4477aa\";");
    const Ends ends = draw(loop.steps);
    close_frame();
    line(fmt::format("{} -> {} [style=dashed, color=\"#4477aa\", constraint=false];", ends.last, ends.first));
    return ends;
  }

  Ends draw_branch(const std::string& name, const Branch& branch) {
    const std::string meeting = point("point", "");
    draw_side("then", name, branch.then, meeting);
    draw_side("else", name, branch.otherwise, meeting);
    return {name, meeting};
  }

  void draw_side(const char* label, const std::string& from, const Steps& steps, const std::string& to) {
    if (steps.empty()) return connect(from, to, label);
    const Ends ends = draw(steps);
    connect(from, ends.first, label);
    connect(ends.last, to);
  }

  void connect(const std::string& from, const std::string& to, const char* label = "") {
    line(fmt::format("{} -> {} [label=\"{}\", weight=10];", from, to, label));
  }

  void draw_messages() {
    for (const MessageEdge& edge : messages_.edges) {
      const bool is_collective = collectives_.contains(edge.from);
      // Of a collective call the picture shows with whom it is made, once.
      if (is_collective && (edge.from >= edge.to)) continue;
      const std::string_view style =
          is_collective ? "style=dotted, dir=none, color=\"#8855aa\"" : "color=\"#cc5500\", penwidth=1.4";
      line(fmt::format("step{} -> step{} [{}, constraint=false];", edge.from, edge.to, style));
      if (is_collective) line(fmt::format("{{ rank=same; step{}; step{} }}", edge.from, edge.to));
    }
  }

  const MessageEdges& messages_;
  std::string text_;
  std::size_t depth_ = 1;
  int frames_ = 0;
  int points_ = 0;
  std::uint32_t origins_ = 0;
  std::set<std::uint32_t> collectives_;
};

constexpr double patience_s = 60;

/// A folder that is gone with its owner.
class TemporaryFolder final {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "loadshare-graph-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw_errno("cannot make a temporary folder");
    path_ = name;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    try {
      std::filesystem::remove_all(path_);
    } catch (...) {  // the folder stays if it cannot be removed, or if no memory is left to list it
    }
  }

  std::string file(const char* name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

void run_dot(const Words& command) {
  sweep::Child dot(command);
  for (double waited_s = 0; !dot.wait(1);)
    if (++waited_s >= patience_s)
      throw Error(ExitCode::run_failed, "dot did not finish", fmt::format("it may take {} s", patience_s),
                  "draw a smaller graph");
  if (const int code = dot.finish(); code != 0)
    throw Error(ExitCode::run_failed, fmt::format("dot ended with {}", code), dot.last_errors());
}

}  // namespace

std::string step_text(const Step& step) {
  const std::string text = std::visit(TextOfAction{}, step.action);
  return step.label.empty() ? text : fmt::format("{}: {}", step.label, text);
}

std::string ranks_text(const Process& process) {
  if (!process.ranks) return "all ranks";
  const RankRange& ranks = *process.ranks;
  if (ranks.first.text == ranks.last.text) return "rank " + ranks.first.text;
  return fmt::format("ranks {} to {}", ranks.first.text, ranks.last.text);
}

MessageEdges find_message_edges(const timing_graph::Graph& graph,
                                const std::vector<timing_graph::Setting>& settings) {
  MessageEdges found;
  timing_graph::Program program;
  try {
    program = expand(graph, settings, {.most_ops = most_ops});
  } catch (const UnknownMeetings& error) {
    found.trouble = error.what();
    return found;
  }
  found.ops = program.ops.size();
  try {
    // Which costs does not matter: who meets whom depends on them only where a receive takes from anybody.
    for (const auto& message : evaluate(program, communication::LinearCosts({})).messages) {
      found.edges.insert({program.ops[message.send].origin, program.ops[message.receive].origin});
      ++found.messages;
      found.bytes += message.bytes;
    }
  } catch (const UsageError& error) {
    found.trouble = error.what();
  }
  return found;
}

std::string graph_dot(const Graph& graph, const MessageEdges& messages) {
  return Drawing(messages).of(graph);
}

void require_dot() {
  if (find_in_path("dot").empty())
    throw UsageError("there is no program 'dot'", "it draws the graph", "install the package graphviz");
}

std::string svg_of_dot(const std::string& dot) {
  require_dot();
  const TemporaryFolder folder;
  replace_file(folder.file("graph.dot"), dot);
  run_dot({find_in_path("dot"), "-Tsvg", "-o", folder.file("graph.svg"), folder.file("graph.dot")});
  return content_of(folder.file("graph.svg"));
}

}  // namespace loadshare::tool
