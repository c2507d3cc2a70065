#include "models/timing_graph/expansion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/timing_graph/compiled_expression.hpp"
#include "models/timing_graph/compiled_steps.hpp"
#include "models/timing_graph/meetings.hpp"
#include "models/timing_graph/problem.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare::timing_graph {
namespace {

constexpr std::int64_t most_processes = 1'000'000;

/// Where errors of the whole graph point to: its processes begin there.
Place first_place(const Graph& graph) {
  return graph.processes.empty() ? Place{} : graph.processes.front().place;
}

/// The parameters' values, and with them all that expressions outside of loops can see.
class Parameters final {
 public:
  Parameters(const Graph& graph, const std::vector<Setting>& settings) {
    require_known(graph, settings);
    for (const Parameter& parameter : graph.parameters) {
      require_fit_name(parameter.name, parameter.value.place, scope_);
      const double value = value_of(parameter, settings);
      scope_.set(scope_.enter(parameter.name), value);
    }
    process_count_ = count_of(graph, settings);
  }

  Scope& scope() { return scope_; }
  std::int32_t process_count() const { return process_count_; }

  double value(const std::string& name, double otherwise) const {
    for (const Variable* variable : scope_.visible())
      if (variable->name == name) return variable->value;
    return otherwise;
  }

 private:
  static const Setting* setting_of(const std::string& name, const std::vector<Setting>& settings) {
    const auto at = std::ranges::find(settings, name, &Setting::name);
    return at == settings.end() ? nullptr : &*at;
  }

  static void require_known(const Graph& graph, const std::vector<Setting>& settings) {
    std::vector<std::string> names;
    for (const Parameter& parameter : graph.parameters) names.push_back(parameter.name);
    for (const Setting& setting : settings)
      if (std::ranges::find(names, setting.name) == names.end())
        throw unknown_name("parameter", setting.name, names);
  }

  double value_of(const Parameter& parameter, const std::vector<Setting>& settings) const {
    if (const Setting* setting = setting_of(parameter.name, settings)) return setting->value;
    return CompiledExpression(parameter.value, scope_).value();
  }

  std::int32_t count_of(const Graph& graph, const std::vector<Setting>& settings) const {
    const auto at = std::ranges::find(graph.parameters, "p", &Parameter::name);
    if (at == graph.parameters.end())
      throw problem_at(first_place(graph), fmt::format("the graph '{}' has no parameter p", graph.name),
                       "p is the number of its processes", "give it one, like p: 4");
    const double count = value("p", 0);
    if (count == std::floor(count) && count >= 1 && count <= static_cast<double>(most_processes))
      return static_cast<std::int32_t>(count);
    const Place place = setting_of("p", settings) != nullptr ? Place{} : at->value.place;
    throw problem_at(place, fmt::format("p is {}", count),
                     fmt::format("a program has 1 to {} processes", most_processes));
  }

  Scope scope_;
  std::int32_t process_count_ = 0;
};

/// Which process of the graph each rank is.
class Roles final {
 public:
  Roles(const Graph& graph, Parameters& parameters)
      : graph_(graph),
        of_rank_(static_cast<std::size_t>(parameters.process_count()), graph.processes.size()) {
    for (std::size_t role = 0; role < graph.processes.size(); ++role) assign(role, parameters);
    const auto without = std::ranges::find(of_rank_, graph.processes.size());
    if (without != of_rank_.end())
      throw problem_at(
          first_place(graph),
          fmt::format("no process of the graph '{}' is for rank {}", graph.name, without - of_rank_.begin()),
          fmt::format("ranks are 0 to {}", of_rank_.size() - 1));
  }

  std::size_t of(std::size_t rank) const { return of_rank_[rank]; }

 private:
  void assign(std::size_t role, Parameters& parameters) {
    const Process& process = graph_.processes[role];
    const std::int64_t last_rank = parameters.process_count() - 1;
    std::int64_t first = 0, last = last_rank;
    if (process.ranks) {
      first = CompiledExpression(process.ranks->first, parameters.scope())
                  .whole("the first rank", 0, last_rank + 1);
      last =
          CompiledExpression(process.ranks->last, parameters.scope()).whole("the last rank", -1, last_rank);
    }
    for (std::int64_t rank = first; rank <= last; ++rank) {
      std::size_t& of = of_rank_[static_cast<std::size_t>(rank)];
      if (of != graph_.processes.size())
        throw problem_at(process.place, fmt::format("rank {} has two processes", rank),
                         fmt::format("the other: {}", text_of(graph_.processes[of].place)));
      of = role;
    }
  }

  const Graph& graph_;
  std::vector<std::size_t> of_rank_;
};

struct Role {
  CompiledSteps steps;
  std::size_t request_names = 0;
};

Role compile_role(const Process& process, Scope& scope, std::vector<Origin>& origins) {
  Compilation compilation{scope, origins, {}};
  Role role{compile(process.steps, compilation), 0};
  role.request_names = compilation.request_names.size();
  return role;
}

}  // namespace

Program expand(const Graph& graph, const std::vector<Setting>& settings, const ExpansionOptions& options) {
  Parameters parameters(graph, settings);
  const Roles roles(graph, parameters);
  Variable& rank = parameters.scope().enter("rank");
  std::vector<Origin> origins;
  std::vector<Role> compiled;
  for (const Process& process : graph.processes)
    compiled.push_back(compile_role(process, parameters.scope(), origins));
  OpBudget budget(options.most_ops);
  std::vector<ProcessRun> runs;
  for (std::int32_t number = 0; number < parameters.process_count(); ++number) {
    const Role& role = compiled[roles.of(static_cast<std::size_t>(number))];
    parameters.scope().set(rank, number);
    runs.push_back({number,
                    parameters.process_count(),
                    &budget,
                    OpList(budget, origins),
                    std::vector<std::vector<std::uint32_t>>(role.request_names),
                    {}});
    run_all(role.steps, runs.back());
  }
  return joined(runs, origins, {parameters.value("reduction_s_per_byte", 0), options.collectives});
}

}  // namespace loadshare::timing_graph
