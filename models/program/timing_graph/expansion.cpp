#include "models/program/timing_graph/expansion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "base/names.hpp"
#include "models/program/timing_graph/compiled_steps.hpp"
#include "models/program/timing_graph/expression.hpp"

namespace loadshare::timing_graph {
namespace {

/// What collective calls cost beside their messages, or instead of them.
struct CallCosts {
  double reduction_s_per_byte = 0;
  const communication::CollectiveCosts* whole = nullptr;  ///< none: all calls are written as messages
};

/// One collective call of all members of a group.
struct Meeting {
  std::vector<const CollectiveUse*> uses;  ///< by member; null: it has not come
  collectives::Call call;
  std::optional<std::int32_t>
      whole;  ///< its place among the program's calls, if its time is known as a whole
};

bool must_be_alike(collectives::BytesOf bytes_of) {
  return bytes_of == collectives::BytesOf::message || bytes_of == collectives::BytesOf::equal_block;
}

/// Up to what laws differ that were fitted to the same sizes, rank by rank.
bool are_alike(double bytes, double others_bytes) {
  constexpr double tolerance = 0.01;
  return std::abs(bytes - others_bytes) <= tolerance * std::max(bytes, others_bytes);
}

/// Whether they are known.
bool add_times(CollectiveCall& call, int root, const communication::CollectiveCosts& costs) {
  const int members = call.members.size();
  if (auto times = costs.times_by_member(call.name, members, call.bytes)) {
    call.root = root;
    call.by_member = std::move(*times);
    for (const communication::MemberTime& member : call.by_member)
      for (const communication::Estimate& time : {member.after_own, member.after_awaited})
        if (time.seconds > call.time.seconds) call.time = time;
    return true;
  }
  const auto time = costs.time(call.name, members, call.bytes);
  if (time) call.time = *time;
  return time.has_value();
}

class Meetings final {
 public:
  Meetings(const std::vector<ProcessRun>& runs, const std::vector<Origin>& origins) : origins_(origins) {
    by_process_.resize(runs.size());
    for (std::size_t process = 0; process < runs.size(); ++process)
      for (const CollectiveUse& use : runs[process].collectives) join(process, use);
    for (Meeting& meeting : all_) resolve(meeting);
  }

  /// Tells the program the calls whose time is known as a whole, and the meetings their places among them.
  void add_to(Program& program, const communication::CollectiveCosts* costs) {
    for (Meeting& meeting : all_) {
      if (meeting.call.size == 1) continue;
      const CollectiveUse& use = *meeting.uses.front();
      CollectiveCall call{use.kind->name, use.group, collectives::bytes_of(*use.kind, meeting.call), {}};
      if (costs == nullptr || !add_times(call, meeting.call.root, *costs)) {
        program.calls_as_messages.insert({call.name, meeting.call.size});
        continue;
      }
      meeting.whole = static_cast<std::int32_t>(program.calls.size());
      program.calls.push_back(std::move(call));
    }
  }

  /// The nth collective call of a process, and the meeting's number.
  std::pair<const Meeting&, std::int32_t> of(std::size_t process, std::size_t nth) const {
    const std::size_t number = by_process_[process][nth];
    return {all_[number], static_cast<std::int32_t>(number)};
  }

 private:
  void join(std::size_t process, const CollectiveUse& use) {
    const auto member = static_cast<std::size_t>(use.group.member_of(static_cast<std::int32_t>(process)));
    auto& numbers = by_group_[use.group];
    std::size_t& count = counts_[{use.group, process}];
    if (count == numbers.size()) {
      numbers.push_back(all_.size());
      all_.emplace_back().uses.resize(static_cast<std::size_t>(use.group.size()));
    }
    const std::size_t number = numbers[count++];
    all_[number].uses[member] = &use;
    by_process_[process].push_back(number);
  }

  void resolve(Meeting& meeting) const {
    const CollectiveUse& first =
        **std::ranges::find_if(meeting.uses, [](auto* use) { return use != nullptr; });
    for (std::size_t member = 0; member < meeting.uses.size(); ++member)
      require_same(first, meeting.uses[member], first.group.rank_of(static_cast<int>(member)));
    meeting.call.size = first.group.size();
    meeting.call.root = first.kind->root == collectives::Root::none ? 0 : first.group.member_of(first.root);
    for (const CollectiveUse* use : meeting.uses)
      meeting.call.bytes.insert(meeting.call.bytes.end(), use->bytes.begin(), use->bytes.end());
  }

  void require_same(const CollectiveUse& first, const CollectiveUse* other, std::int32_t rank) const {
    const Origin& origin = origins_[first.origin];
    if (other == nullptr)
      throw problem_at(origin.place, fmt::format("rank {} does not join '{}'", rank, origin.name),
                       "all ranks of a group make a collective call");
    const Origin& others = origins_[other->origin];
    if (other->kind != first.kind)
      throw problem_at(origin.place,
                       fmt::format("'{}' meets '{}' of rank {}{}", first.kind->name, other->kind->name, rank,
                                   behind(others.place)),
                       "all ranks of a group make the same collective calls in the same order");
    if (other->root != first.root)
      throw problem_at(origin.place,
                       fmt::format("root is {} here, but {} for rank {}{}", first.root, other->root, rank,
                                   behind(others.place)),
                       "all ranks of a group name the same root");
    if (must_be_alike(first.kind->bytes_of) && !are_alike(first.bytes.front(), other->bytes.front()))
      throw problem_at(origin.place,
                       fmt::format("'{}' has {} bytes here, but {} for rank {}{}", first.kind->name,
                                   first.bytes.front(), other->bytes.front(), rank, behind(others.place)),
                       "all ranks of a group name the same size");
  }

  const std::vector<Origin>& origins_;
  std::deque<Meeting> all_;
  std::map<RankGroup, std::vector<std::size_t>> by_group_;
  std::map<std::pair<RankGroup, std::size_t>, std::size_t> counts_;
  std::vector<std::vector<std::size_t>> by_process_;
};

/// Puts a process's collective calls, or their messages, where the calls stand.
class Joiner final {
 public:
  Joiner(const Meetings& meetings, double reduction_s_per_byte, Program& program)
      : meetings_(meetings), reduction_s_per_byte_(reduction_s_per_byte), program_(program) {}

  void join(std::size_t process, ProcessRun& run) {
    program_.first_ops.push_back(program_.ops.size());
    const std::vector<Op> own = run.list.take_ops();
    std::size_t copied = 0;
    for (std::size_t nth = 0; nth < run.collectives.size(); ++nth) {
      const CollectiveUse& use = run.collectives[nth];
      copy(own, copied, use.position);
      copied = use.position;
      write(process, nth, use, run.list);
    }
    copy(own, copied, own.size());
    program_.requests.push_back(run.list.requests());
  }

 private:
  void copy(const std::vector<Op>& own, std::size_t from, std::size_t to) {
    const auto begin = own.begin();
    program_.ops.insert(program_.ops.end(), begin + static_cast<std::ptrdiff_t>(from),
                        begin + static_cast<std::ptrdiff_t>(to));
  }

  void write(std::size_t process, std::size_t nth, const CollectiveUse& use, OpList& list) {
    const auto [meeting, number] = meetings_.of(process, nth);
    if (meeting.whole) {
      list.add({.peer = *meeting.whole, .origin = use.origin, .kind = OpKind::collective});
    } else {
      collectives::MessageWriter writer(list, {use.group, -1 - number, use.origin, reduction_s_per_byte_});
      const int member = use.group.member_of(static_cast<std::int32_t>(process));
      collectives::write(*use.kind, meeting.call, member, writer);
    }
    const std::vector<Op> ops = list.take_ops();
    copy(ops, 0, ops.size());
  }

  const Meetings& meetings_;
  double reduction_s_per_byte_;
  Program& program_;
};

/// Brings the processes' collective calls together, the nth of one process in a group with the nth of every
/// other, and writes them between the processes' own ops: as one where its time is known as a whole, else as
/// messages. Throws UsageError with the places where processes do not make the same calls.
Program joined(std::vector<ProcessRun>& runs, std::vector<Origin> origins, const CallCosts& costs) {
  Program program;
  program.origins = std::move(origins);
  Meetings meetings(runs, program.origins);
  meetings.add_to(program, costs.whole);
  Joiner joiner(meetings, costs.reduction_s_per_byte, program);
  for (std::size_t process = 0; process < runs.size(); ++process) joiner.join(process, runs[process]);
  program.first_ops.push_back(program.ops.size());
  return program;
}

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
  const CallCosts costs{parameters.value("reduction_s_per_byte", 0), options.collectives};
  try {
    return joined(runs, origins, costs);
  } catch (const UsageError& error) {
    throw UnknownMeetings(error);
  }
}

}  // namespace loadshare::timing_graph
