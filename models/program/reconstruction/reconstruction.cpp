#include "models/program/reconstruction/reconstruction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <ranges>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/io/text.hpp"
#include "models/program/reconstruction/role_view.hpp"

namespace loadshare::reconstruction {
namespace {

using timing_graph::Expression;
using timing_graph::Place;
using timing_graph::Step;
using timing_graph::Steps;

/// Writes the steps of one role, node by node of its pattern.
class StepWriter {
 public:
  StepWriter(const Role& role, Reconstruction& result)
      : role_(role),
        view_(role),
        least_(result.least),
        largest_(result.largest),
        times_(result.times),
        notes_(result.notes),
        begun_(role) {}

  Steps written() {
    Steps steps;
    for (const PatternNode& node : role_.pattern.nodes) write_with_entry(node, steps);
    write_end(steps);
    return steps;
  }

 private:
  template <class Number>
  Expression rule(std::uint32_t node, const std::string& what, Number number) {
    const std::vector<Observation> observed = view_.observations(node, number);
    if (const auto found = find_rule(observed)) return said(*found, what);
    refuse(what, observed);
  }

  /// Its text; with a note where it is one of several.
  Expression said(const Rule& rule, const std::string& what) {
    if (!rule.others.empty())
      notes_.push_back(
          fmt::format("{}: {} is assumed to be {}, but may also be {}: add runs on more numbers of ranks",
                      *place_.source, what, rule.text, fmt::join(rule.others, " or ")));
    return {rule.text, place_};
  }

  [[noreturn]] void refuse(const std::string& what, const std::vector<Observation>& observed) const {
    require_no_contradiction(what, observed);
    throw UsageError(
        fmt::format("{}: {} follows no known rule", *place_.source, what),
        "a graph for other sizes needs one",
        "predict only programs whose partners are neighbours in a line, ring, grid or hypercube");
  }

  /// No rule gives two numbers where all that it is made of is the same.
  void require_no_contradiction(const std::string& what, const std::vector<Observation>& observed) const {
    using Where = std::tuple<scaling::Setting, double, std::vector<std::uint32_t>>;
    std::map<Where, const Observation*> first_there;
    for (const Observation& one : observed) {
      const Where where{*one.setting, one.rank, {one.counters.begin(), one.counters.end()}};
      const Observation& first = *first_there.try_emplace(where, &one).first->second;
      if (first.value == one.value || first.setting == one.setting) continue;
      throw UsageError(
          fmt::format("{} and {} have the same parameters and differ: {}, {}, is {} and {}",
                      name_of_run(first), name_of_run(one), *place_.source, what, first.value, one.value),
          "a parameter that distinguishes the runs is missing",
          "give it with every run, as n=400:FILE and n=600:FILE");
    }
  }

  const std::string& name_of_run(const Observation& observed) const {
    return std::ranges::find(role_.members, observed.setting,
                             [](const MemberRank& member) { return &member.run->setting; })
        ->run->name;
  }

  /// Of a rank that is sent to: everybody in turn, too.
  Expression destination(std::uint32_t node) {
    const std::vector<Observation> observed = view_.observations(
        node, [](const MemberRank& member, const Meeting& met) { return RoleView::element(member, met).to; });
    if (const auto found = find_rule(observed)) return said(*found, "its destination");
    if (const auto text = find_rule_of_turns(observed)) return {*text, place_};
    refuse("its destination", observed);
  }

  template <class Number>
  Expression element_rule(std::uint32_t node, const std::string& what, Number number) {
    return rule(node, what, [&](const MemberRank& member, const Meeting& met) {
      return number(RoleView::element(member, met));
    });
  }

  /// Bytes are whole, and a fraction below a border of Open MPI's another algorithm.
  Expression bytes(std::uint32_t node) const {
    const auto all = view_.observed(node, [](const Element& observed) { return observed.bytes; });
    const scaling::Law law = law_of_bytes(all);
    const bool gives_all = std::ranges::all_of(
        all, [&](const Observed& observed) { return law.at(observed.run->setting) == observed.value; });
    return {gives_all ? law.text() : fmt::format("round({})", law.short_text()), place_};
  }

  /// A node and the computing before it. A loop is come to in two ways: from what stands before it, and from
  /// its own end; the time before its first call is of the one or of the other.
  void write_with_entry(const PatternNode& node, Steps& steps) {
    const PatternNode& first = first_call(node);
    if (enter(first.number))
      add_computing(first.number, steps, [this](const Meeting& met) { return turned_last(met) <= depth_; });
    write(node, steps);
  }

  void write(const PatternNode& node, Steps& steps) {
    if (node.is_loop()) return write_loop(node, steps);
    if (enter(node.number)) write_call(node.number, *view_.sample(node.number), steps);
  }

  static const PatternNode& first_call(const PatternNode& node) {
    return node.is_loop() ? first_call(node.body.front()) : node;
  }

  /// How many loops, from the outside, had begun when the last of them that was not in its first round began
  /// this one: all within were just entered.
  static std::size_t turned_last(const Meeting& met) {
    std::size_t depth = met.counters.size();
    while (depth > 0 && met.counters[depth - 1] == 0) --depth;
    return depth;
  }

  /// Steps from here on come from that node; false where no run came to it.
  bool enter(std::uint32_t node) {
    const Element* met = view_.sample(node);
    if (met != nullptr) place_ = {std::make_shared<const std::string>(met->site), 0, 0};
    return met != nullptr;
  }

  template <class Condition>
  void add_computing(std::uint32_t node, Steps& steps, Condition holds) {
    const auto all =
        view_.observed_where(node, holds, [](const Element& observed) { return observed.computing_s; });
    if (!all.empty()) add_measured(steps, "computing before " + view_.sample(node)->site, all);
  }

  void write_loop(const PatternNode& node, Steps& steps) {
    timing_graph::Loop loop;
    loop.variable = loop_variable(depth_++);
    write_turn(node, loop);
    write(node.body.front(), loop.steps);
    for (std::size_t i = 1; i < node.body.size(); ++i) write_with_entry(node.body[i], loop.steps);
    --depth_;
    loop.times = rule(node.number, "the number of repetitions of the loop around it",
                      [](const MemberRank&, const Meeting& met) { return met.times; });
    steps.push_back({"", place_, std::move(loop)});
  }

  /// What is computed from the end of one round to the begin of the next.
  void write_turn(const PatternNode& node, timing_graph::Loop& loop) {
    const std::uint32_t first = first_call(node).number;
    if (!enter(first)) return;
    timing_graph::Branch turn{{loop.variable + " > 0", place_}, {}, {}};
    add_computing(first, turn.then, [this](const Meeting& met) { return turned_last(met) == depth_; });
    if (!turn.then.empty()) loop.steps.push_back({"", place_, std::move(turn)});
  }

  void write_end(Steps& steps) {
    std::vector<Observed> all;
    for (const MemberRank& member : role_.members)
      all.push_back({member.run, member.trace->rank, member.trace->computing_at_end_s});
    place_ = {};
    add_measured(steps, "computing at the end", all);
  }

  void write_call(std::uint32_t node, const Element& met, Steps& steps) {
    switch (met.kind) {
      case ElementKind::send:
        return add(steps, send(node, met));
      case ElementKind::receive:
        return add(steps, receive(node, met));
      case ElementKind::exchange:
        return add(steps, timing_graph::Exchange{send(node, met), receive(node, met)});
      case ElementKind::wait:
        return write_wait(node, steps);
      case ElementKind::collective:
        return add(steps, collective(node, met));
      case ElementKind::other:
        return write_other(node, met, steps);
    }
  }

  void add(Steps& steps, timing_graph::Action action) const {
    steps.push_back({"", place_, std::move(action)});
  }

  static std::string request_name(std::uint32_t node) { return fmt::format("r{}", node); }

  timing_graph::Send send(std::uint32_t node, const Element& met) {
    timing_graph::Send send;
    send.to = destination(node);
    send.tag = element_rule(node, "its tag", [](const Element& observed) { return observed.tag; });
    send.bytes = bytes(node);
    send.mode = met.mode;
    if (met.request != 0) send.request = request_name(node);
    return send;
  }

  timing_graph::Receive receive(std::uint32_t node, const Element& met) {
    timing_graph::Receive receive;
    // Without a rule it took them as they came, or knew from a probe who had sent.
    const auto source = [](const MemberRank& member, const Meeting& at) {
      return RoleView::element(member, at).from;
    };
    if (met.from >= 0)
      if (const auto found = find_rule(view_.observations(node, source)))
        receive.from = said(*found, "its source");
    if (met.from_tag >= 0)
      receive.tag = element_rule(node, "its tag", [](const Element& observed) { return observed.from_tag; });
    if (met.request != 0) receive.request = request_name(node);
    return receive;
  }

  /// Nothing where all that it completes was for nobody.
  void write_wait(std::uint32_t node, Steps& steps) {
    timing_graph::Wait wait;
    for (const std::uint32_t call : begun_.begun_for(node)) wait.requests.push_back(request_name(call));
    if (wait.requests.empty()) return;
    if (begun_.leaves_some_open(node))
      notes_.push_back(
          fmt::format("{}: the program waits for some of the messages begun at one place, but the graph for "
                      "all of them: it may overlap less than the program",
                      *place_.source));
    add(steps, std::move(wait));
  }

  timing_graph::Collective collective(std::uint32_t node, const Element& met) {
    timing_graph::Collective collective{met.call, bytes(node), {"0", place_}, {}};
    if (met.root >= 0)
      collective.root = element_rule(node, "its root", [](const Element& observed) { return observed.root; });
    if (!met.is_of_all)
      collective.group =
          timing_graph::Group{element_rule(node, "the first rank of its group",
                                           [](const Element& observed) { return observed.row.first; }),
                              element_rule(node, "the last rank of its group",
                                           [](const Element& observed) { return observed.row.last; }),
                              element_rule(node, "the distance of ranks in its group",
                                           [](const Element& observed) { return observed.row.stride; })};
    return collective;
  }

  /// A call that graphs do not know: who waits for all in it does so, and then it takes its time.
  void write_other(std::uint32_t node, const Element& met, Steps& steps) {
    if (met.loses_waiting)
      notes_.push_back(
          fmt::format("{}: its ranks are not evenly spaced, which timing graphs cannot express: waiting in "
                      "it is left out",
                      *place_.source));
    if (met.meets_all) add(steps, timing_graph::Collective{"barrier", {"0", place_}, {"0", place_}, {}});
    add_seconds_of(node, steps, met.site, [](const Element& observed) { return observed.own_s; });
  }

  template <class Seconds>
  void add_seconds_of(std::uint32_t node, Steps& steps, const std::string& label, Seconds seconds) {
    add_measured(steps, label, view_.observed(node, seconds));
  }

  void add_measured(Steps& steps, const std::string& label, const std::vector<Observed>& all) {
    Measure measure = measure_seconds(all, least_);
    if (measure.law.parts().empty()) return;
    const std::string name = fmt::format("{} [{}]", label, times_.size() + 1);
    const double spread = deviation_at(measure.singles, measure.law.at(largest_));
    steps.push_back({name, place_, timing_graph::Compute{{measure.law.short_text(), place_}, spread}});
    times_.push_back({name, std::move(measure.law), measure.share, measure.singles, measure.ranks,
                      measure.is_held_constant});
  }

  const Role& role_;
  RoleView view_;
  scaling::LeastValues least_;
  const scaling::Setting& largest_;
  std::vector<PartialTime>& times_;
  std::vector<std::string>& notes_;
  Place place_;
  std::size_t depth_ = 0;
  BegunRequests begun_;
};

/// The run whose parameters a graph has by default: on most ranks, of those that which took longest.
const ProfiledRun& largest(std::span<const ProfiledRun> runs) {
  return *std::ranges::max_element(
      runs, {}, [](const ProfiledRun& run) { return std::pair(run.traces.size(), run.makespan_s); });
}

timing_graph::Process process_of(const Role& role, bool is_only_one, Reconstruction& result) {
  timing_graph::Process process;
  if (!is_only_one) process.ranks = timing_graph::RankRange{{role.first, {}}, {role.last, {}}};
  process.steps = StepWriter(role, result).written();
  return process;
}

/// Rules and laws are of all parameters, in every run.
void require_same_parameters(std::span<const ProfiledRun> runs) {
  for (const auto& [name, value] : runs.front().setting) require_parameter_name(name);
  const auto name = &scaling::Setting::value_type::first;
  for (const ProfiledRun& run : runs)
    if (!std::ranges::equal(run.setting, runs.front().setting, {}, name, name))
      throw UsageError(fmt::format("{} and {} have different parameters", runs.front().name, run.name),
                       "a graph is built from runs that all have the same ones");
}

/// What runs took is averaged where they had the same parameters, which far apart they hardly had.
void tell_unlike(std::span<const ProfiledRun> runs, Reconstruction& result) {
  constexpr double far_apart = 1.5;
  std::map<scaling::Setting, std::pair<const ProfiledRun*, const ProfiledRun*>> extremes;
  for (const ProfiledRun& run : runs) {
    auto& [fastest, slowest] = extremes.try_emplace(run.setting, &run, &run).first->second;
    if (run.makespan_s < fastest->makespan_s) fastest = &run;
    if (run.makespan_s > slowest->makespan_s) slowest = &run;
  }
  for (const auto& [setting, pair] : extremes) {
    const auto& [fastest, slowest] = pair;
    if (slowest->makespan_s > far_apart * fastest->makespan_s)
      result.guesses.push_back(
          fmt::format("{} and {} have the same parameters, but took {} and {}: if their inputs differed, a "
                      "parameter is missing",
                      fastest->name, slowest->name, duration_text(fastest->makespan_s),
                      duration_text(slowest->makespan_s)));
  }
}

double stolen_share(const ProfiledRun& run) {
  double stolen_s = 0;
  for (const Trace& trace : run.traces) stolen_s += trace.stolen_s;
  return stolen_s / (run.makespan_s * static_cast<double>(run.traces.size()));
}

/// A graph is of processors that are the program's own: what a run took without others is, of one that they
/// disturbed much, a guess.
void tell_stolen(std::span<const ProfiledRun> runs, Reconstruction& result) {
  constexpr double least = 0.01, much = 0.05;
  constexpr std::size_t most_named = 3;
  std::vector<std::pair<double, std::string>> disturbed;
  for (const ProfiledRun& run : runs)
    if (const double share = stolen_share(run); share >= least) disturbed.emplace_back(share, run.name);
  if (disturbed.empty()) return;
  std::ranges::stable_sort(disturbed, std::greater(), &std::pair<double, std::string>::first);
  std::vector<std::string> texts;
  for (const auto& [share, name] : disturbed | std::views::take(most_named))
    texts.push_back(fmt::format("for {} of {}", percent_text(share), name));
  if (disturbed.size() > most_named)
    texts.push_back(fmt::format(
        "for less of {}",
        count_text(static_cast<Index>(disturbed.size() - most_named), "other run", "other runs")));
  (disturbed.front().first >= much ? result.guesses : result.notes)
      .push_back(fmt::format("other programs, or other ranks, had the processors {}: the prediction is "
                             "without that time, the measured times include it",
                             fmt::join(texts, ", ")));
}

}  // namespace

Reconstruction reconstruct(std::span<const ProfiledRun> runs, scaling::LeastValues least) {
  require_same_parameters(runs);
  Reconstruction result;
  result.least = least;
  for (const ProfiledRun& run : runs) result.settings.push_back(run.setting);
  tell_stolen(runs, result);
  tell_unlike(runs, result);
  result.largest = largest(runs).setting;
  for (const auto& [name, value] : result.largest)
    result.graph.parameters.push_back({name, timing_graph::constant(value)});
  const std::vector<Role> roles = roles_of(runs);
  for (const Role& role : roles)
    result.graph.processes.push_back(process_of(role, roles.size() == 1, result));
  return result;
}

}  // namespace loadshare::reconstruction
