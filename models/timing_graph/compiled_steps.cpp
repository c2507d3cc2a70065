#include "models/timing_graph/compiled_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <optional>
#include <utility>

#include "models/timing_graph/compiled_collective.hpp"
#include "models/timing_graph/compiled_expression.hpp"
#include "models/timing_graph/problem.hpp"
#include "schedulers/nearest.hpp"

namespace loadshare::timing_graph {
namespace {

constexpr std::int64_t most_rounds = std::int64_t{1} << 53;
constexpr std::int32_t most_tag = std::numeric_limits<std::int32_t>::max();

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
  /// No slots: all.
  CompiledWait(std::vector<std::size_t> slots, std::uint32_t origin)
      : slots_(std::move(slots)), origin_(origin) {}

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

  std::vector<std::size_t> slots_;
  std::uint32_t origin_;
};

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
    std::vector<std::size_t> slots;
    for (const std::string& name : wait.requests) slots.push_back(known_slot(name));
    return std::make_unique<CompiledWait>(std::move(slots), origin_);
  }
  std::unique_ptr<CompiledStep> operator()(const Collective& collective) const {
    return compile_collective(collective, step_.place, origin_, in_.scope);
  }
  std::unique_ptr<CompiledStep> operator()(const Loop& loop) const {
    return std::make_unique<CompiledLoop>(loop, step_.place, origin_, in_);
  }
  std::unique_ptr<CompiledStep> operator()(const Branch& branch) const {
    return std::make_unique<CompiledBranch>(branch, in_);
  }

 private:
  std::size_t known_slot(const std::string& name) const {
    const std::vector<std::string>& names = in_.request_names;
    const auto at = std::ranges::find(names, name);
    if (at != names.end()) return static_cast<std::size_t>(at - names.begin());
    throw problem_at(step_.place, fmt::format("nothing before it begins a request '{}'", name),
                     names.empty() ? "no step begins any" : fmt::format("begun: {}", list_names(names)),
                     did_you_mean(name, names));
  }

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
    throw problem_at(place, fmt::format("'{}' is no name for a number", name),
                     "a letter, then letters, digits and _ only");
  if (scope.sees(name) || name == "rank" || name == "peer")
    throw problem_at(place, fmt::format("the name '{}' is taken", name), "it means something else here",
                     "choose another");
}

}  // namespace loadshare::timing_graph
