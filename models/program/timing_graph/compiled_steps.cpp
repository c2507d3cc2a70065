#include "models/program/timing_graph/compiled_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>
#include <variant>

#include "base/names.hpp"

namespace loadshare::timing_graph {
namespace {

using collectives::BytesOf;
using collectives::Kind;

const Kind& kind_of(const std::string& call, const Place& place) {
  const auto kinds = collectives::collective_table();
  const auto at = std::ranges::find(kinds, call, &Kind::name);
  if (at != kinds.end()) return *at;
  std::vector<std::string> names;
  for (const Kind& kind : kinds) names.push_back(kind.name);
  throw problem_at(place, fmt::format("unknown collective call '{}'", call),
                   fmt::format("valid: {}", list_names(names)), did_you_mean(call, names));
}

struct CompiledGroup {
  CompiledExpression first;
  CompiledExpression last;
  CompiledExpression stride;
};

class CompiledCollective final : public CompiledStep {
 public:
  CompiledCollective(const Collective& collective, const Place& place, std::uint32_t origin, Scope& scope)
      : scope_(scope),
        kind_(kind_of(collective.call, place)),
        place_(place),
        name_{kind_.name, place},
        peer_(kind_.bytes_of == BytesOf::pair ? &scope.enter("peer") : nullptr),
        bytes_(collective.bytes, scope),
        root_(collective.root, scope),
        origin_(origin) {
    if (peer_ != nullptr) scope.leave();
    if (!collective.group) return;
    const Group& group = *collective.group;
    group_.emplace(CompiledGroup{{group.first, scope}, {group.last, scope}, {group.stride, scope}});
  }

  void run(ProcessRun& process) override {
    CollectiveUse use;
    use.position = process.list.ops().size();
    use.kind = &kind_;
    use.origin = origin_;
    use.group = group_of(process);
    if (kind_.root == collectives::Root::one) use.root = root_in(use.group, process);
    use.bytes = bytes_for(use.group, process);
    process.collectives.push_back(std::move(use));
  }

 private:
  RankGroup group_of(const ProcessRun& process) {
    const std::int32_t last_rank = process.process_count - 1;
    if (!group_) return {0, last_rank, 1};
    const auto whole = [](CompiledExpression& of, const char* what, std::int32_t least, std::int32_t most) {
      return static_cast<std::int32_t>(of.whole(what, least, most));
    };
    RankGroup group{whole(group_->first, "the group's first rank", 0, last_rank),
                    whole(group_->last, "the group's last rank", 0, last_rank),
                    whole(group_->stride, "the group's stride", 1, process.process_count)};
    if (!group.contains(process.rank))
      throw problem_at(place_,
                       fmt::format("rank {} is not in the group it makes this call with", process.rank),
                       fmt::format("ranks {} to {}, every {}", group.first, group.last, group.stride));
    // The last rank that is really in it, so that equal groups are equal.
    group.last = group.rank_of(group.size() - 1);
    return group;
  }

  std::int32_t root_in(const RankGroup& group, const ProcessRun& process) {
    const auto root = static_cast<std::int32_t>(root_.whole("root", 0, process.process_count - 1));
    if (!group.contains(root))
      throw problem_at(place_, fmt::format("root is {}", root), "that rank is not in the group");
    return root;
  }

  std::vector<double> bytes_for(const RankGroup& group, ProcessRun& process) {
    if (peer_ == nullptr) return {bytes_.bytes()};
    // A number for each pair is much to keep, long before there is an op.
    process.budget->spend(name_, static_cast<std::size_t>(group.size()));
    std::vector<double> bytes;
    for (int member = 0; member < group.size(); ++member) {
      scope_.set(*peer_, group.rank_of(member));
      bytes.push_back(bytes_.bytes());
    }
    return bytes;
  }

  Scope& scope_;
  const Kind& kind_;
  Place place_;
  Origin name_;
  Variable* peer_;
  CompiledExpression bytes_;
  CompiledExpression root_;
  std::optional<CompiledGroup> group_;
  std::uint32_t origin_;
};

constexpr std::int64_t most_rounds = std::int64_t{1} << 53;

class CompiledLoop final : public CompiledStep {
 public:
  CompiledLoop(const Loop& loop, const Place& place, std::uint32_t origin, Compilation& compilation)
      : scope_(compilation.scope),
        times_(loop.times, compilation.scope),
        origin_(compilation.origins[origin]) {
    if (!loop.variable.empty()) {
      require_fit_name(loop.variable, place, scope_);
      variable_ = &scope_.enter(loop.variable);
    }
    steps_ = compile(loop.steps, compilation);
    if (variable_ != nullptr) scope_.leave();
  }

  void run(ProcessRun& process) override {
    const std::int64_t times = times_.whole("loop", 0, most_rounds);
    for (std::int64_t round = 0; round < times; ++round) {
      process.budget->spend(origin_);
      if (variable_ != nullptr) scope_.set(*variable_, static_cast<double>(round));
      run_all(steps_, process);
    }
  }

 private:
  Scope& scope_;
  CompiledExpression times_;
  Origin origin_;
  Variable* variable_ = nullptr;
  CompiledSteps steps_;
};

class CompiledBranch final : public CompiledStep {
 public:
  CompiledBranch(const Branch& branch, Compilation& compilation)
      : condition_(branch.condition, compilation.scope),
        then_(compile(branch.then, compilation)),
        otherwise_(compile(branch.otherwise, compilation)) {}

  void run(ProcessRun& process) override { run_all(condition_.value() != 0 ? then_ : otherwise_, process); }

 private:
  CompiledExpression condition_;
  CompiledSteps then_;
  CompiledSteps otherwise_;
};

constexpr std::int32_t most_tag = std::numeric_limits<std::int32_t>::max();

/// The number of a request's name, which it gets here if it is new.
std::size_t request_slot(const std::string& name, Compilation& compilation) {
  const auto at = std::ranges::find(compilation.request_names, name);
  if (at == compilation.request_names.end()) compilation.request_names.push_back(name);
  return static_cast<std::size_t>(std::ranges::find(compilation.request_names, name) -
                                  compilation.request_names.begin());
}

std::optional<std::size_t> request_slot(const std::optional<std::string>& name, Compilation& compilation) {
  if (!name) return std::nullopt;
  return request_slot(*name, compilation);
}

/// Of a name that a step before has.
std::size_t known_slot(const std::string& name, const Place& place, const Compilation& compilation) {
  const std::vector<std::string>& names = compilation.request_names;
  const auto at = std::ranges::find(names, name);
  if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
  throw problem_at(place, fmt::format("no step before it begins a request '{}'", name),
                   names.empty() ? "there are no requests" : fmt::format("begun: {}", list_names(names)),
                   did_you_mean(name, names));
}

/// A send or a receive: an op whose peer, tag and size are known only now.
void begin_or_add(ProcessRun& process, const Op& op, std::optional<std::size_t> slot) {
  if (slot)
    process.open_requests[*slot].push_back(process.list.begin(op));
  else
    process.list.add(op);
}

class CompiledSend final : public CompiledStep {
 public:
  CompiledSend(const Send& send, std::uint32_t origin, Compilation& compilation)
      : to_(send.to, compilation.scope),
        bytes_(send.bytes, compilation.scope),
        tag_(send.tag, compilation.scope),
        mode_(send.mode),
        slot_(request_slot(send.request, compilation)),
        origin_(origin) {}

  void run(ProcessRun& process) override { begin_or_add(process, op(process), slot_); }

  Op op(const ProcessRun& process) {
    const std::int64_t to = to_.whole("to", 0, process.process_count - 1);
    const double bytes = bytes_.bytes();
    const std::int64_t tag = tag_.whole("tag", 0, most_tag);
    return {bytes,
            static_cast<std::int32_t>(to),
            static_cast<std::int32_t>(tag),
            no_request,
            origin_,
            OpKind::send,
            mode_};
  }

 private:
  CompiledExpression to_;
  CompiledExpression bytes_;
  CompiledExpression tag_;
  communication::SendMode mode_;
  std::optional<std::size_t> slot_;
  std::uint32_t origin_;
};

std::optional<CompiledExpression> compile_if(const std::optional<Expression>& expression,
                                             const Scope& scope) {
  if (!expression) return std::nullopt;
  return CompiledExpression(*expression, scope);
}

class CompiledReceive final : public CompiledStep {
 public:
  CompiledReceive(const Receive& receive, std::uint32_t origin, Compilation& compilation)
      : from_(compile_if(receive.from, compilation.scope)),
        tag_(compile_if(receive.tag, compilation.scope)),
        slot_(request_slot(receive.request, compilation)),
        origin_(origin) {}

  void run(ProcessRun& process) override { begin_or_add(process, op(process), slot_); }

  Op op(const ProcessRun& process) {
    const std::int64_t from = from_ ? from_->whole("from", 0, process.process_count - 1) : any_source;
    const std::int64_t tag = tag_ ? tag_->whole("tag", 0, most_tag) : any_tag;
    return {0,
            static_cast<std::int32_t>(from),
            static_cast<std::int32_t>(tag),
            no_request,
            origin_,
            OpKind::receive};
  }

 private:
  std::optional<CompiledExpression> from_;
  std::optional<CompiledExpression> tag_;
  std::optional<std::size_t> slot_;
  std::uint32_t origin_;
};

class CompiledExchange final : public CompiledStep {
 public:
  CompiledExchange(const Exchange& exchange, std::uint32_t origin, Compilation& compilation)
      : send_(exchange.send, origin, compilation),
        receive_(exchange.receive, origin, compilation),
        origin_(origin) {}

  void run(ProcessRun& process) override {
    const std::uint32_t received = process.list.begin(receive_.op(process));
    process.list.add(send_.op(process));
    process.list.wait(received, origin_);
  }

 private:
  CompiledSend send_;
  CompiledReceive receive_;
  std::uint32_t origin_;
};

class CompiledWait final : public CompiledStep {
 public:
  CompiledWait(const Wait& wait, const Place& place, std::uint32_t origin, const Compilation& compilation)
      : origin_(origin) {
    for (const std::string& name : wait.requests) slots_.push_back(known_slot(name, place, compilation));
  }

  void run(ProcessRun& process) override {
    if (slots_.empty())
      for (auto& requests : process.open_requests) wait(process, requests);
    for (const std::size_t slot : slots_) wait(process, process.open_requests[slot]);
  }

 private:
  void wait(ProcessRun& process, std::vector<std::uint32_t>& requests) const {
    for (const std::uint32_t request : requests) process.list.wait(request, origin_);
    requests.clear();
  }

  std::vector<std::size_t> slots_;  ///< none: all
  std::uint32_t origin_;
};

class CompiledCompute final : public CompiledStep {
 public:
  CompiledCompute(const Compute& compute, std::uint32_t origin, const Scope& scope)
      : seconds_(compute.seconds, scope), origin_(origin) {}

  void run(ProcessRun& process) override {
    process.list.add(
        {.amount = seconds_.not_negative("compute"), .origin = origin_, .kind = OpKind::compute});
  }

 private:
  CompiledExpression seconds_;
  std::uint32_t origin_;
};

/// Makes the compiled form of each kind of step.
class Compiler final {
 public:
  Compiler(const Step& step, Compilation& compilation)
      : step_(step), in_(compilation), origin_(static_cast<std::uint32_t>(compilation.origins.size())) {
    compilation.origins.push_back({name_of(step), step.place});
  }

  std::unique_ptr<CompiledStep> operator()(const Compute& compute) const {
    return std::make_unique<CompiledCompute>(compute, origin_, in_.scope);
  }
  std::unique_ptr<CompiledStep> operator()(const Send& send) const {
    return std::make_unique<CompiledSend>(send, origin_, in_);
  }
  std::unique_ptr<CompiledStep> operator()(const Receive& receive) const {
    return std::make_unique<CompiledReceive>(receive, origin_, in_);
  }
  std::unique_ptr<CompiledStep> operator()(const Exchange& exchange) const {
    return std::make_unique<CompiledExchange>(exchange, origin_, in_);
  }
  std::unique_ptr<CompiledStep> operator()(const Wait& wait) const {
    return std::make_unique<CompiledWait>(wait, step_.place, origin_, in_);
  }
  std::unique_ptr<CompiledStep> operator()(const Collective& collective) const {
    return std::make_unique<CompiledCollective>(collective, step_.place, origin_, in_.scope);
  }
  std::unique_ptr<CompiledStep> operator()(const Loop& loop) const {
    return std::make_unique<CompiledLoop>(loop, step_.place, origin_, in_);
  }
  std::unique_ptr<CompiledStep> operator()(const Branch& branch) const {
    return std::make_unique<CompiledBranch>(branch, in_);
  }

 private:
  const Step& step_;
  Compilation& in_;
  std::uint32_t origin_;
};

bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_letter_or_digit(char c) {
  return is_letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

CompiledSteps compile(const Steps& steps, Compilation& compilation) {
  CompiledSteps compiled;
  for (const Step& step : steps) compiled.push_back(std::visit(Compiler(step, compilation), step.action));
  return compiled;
}

void run_all(const CompiledSteps& steps, ProcessRun& process) {
  for (const auto& step : steps) step->run(process);
}

void require_fit_name(const std::string& name, const Place& place, const Scope& scope) {
  const bool is_word =
      !name.empty() && is_letter(name.front()) && std::ranges::all_of(name, is_letter_or_digit);
  if (!is_word)
    throw problem_at(place, fmt::format("'{}' is not a valid name", name),
                     "a name is a letter, then letters, digits and _");
  if (scope.sees(name) || name == "rank" || name == "peer")
    throw problem_at(place, fmt::format("the name '{}' is taken", name), "it already has a meaning here",
                     "choose another");
}

}  // namespace loadshare::timing_graph
