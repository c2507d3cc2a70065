#include "models/timing_graph/compiled_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <variant>

#include "models/timing_graph/compiled_collective.hpp"
#include "models/timing_graph/compiled_control.hpp"
#include "models/timing_graph/compiled_expression.hpp"
#include "models/timing_graph/compiled_messages.hpp"
#include "models/timing_graph/problem.hpp"

namespace loadshare::timing_graph {
namespace {

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
    return compile_send(send, origin_, in_);
  }
  std::unique_ptr<CompiledStep> operator()(const Receive& receive) const {
    return compile_receive(receive, origin_, in_);
  }
  std::unique_ptr<CompiledStep> operator()(const Exchange& exchange) const {
    return compile_exchange(exchange, origin_, in_);
  }
  std::unique_ptr<CompiledStep> operator()(const Wait& wait) const {
    return compile_wait(wait, step_.place, origin_, in_);
  }
  std::unique_ptr<CompiledStep> operator()(const Collective& collective) const {
    return compile_collective(collective, step_.place, origin_, in_.scope);
  }
  std::unique_ptr<CompiledStep> operator()(const Loop& loop) const {
    return compile_loop(loop, step_.place, origin_, in_);
  }
  std::unique_ptr<CompiledStep> operator()(const Branch& branch) const { return compile_branch(branch, in_); }

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
    throw problem_at(place, fmt::format("'{}' is no name for a number", name),
                     "a letter, then letters, digits and _ only");
  if (scope.sees(name) || name == "rank" || name == "peer")
    throw problem_at(place, fmt::format("the name '{}' is taken", name), "it means something else here",
                     "choose another");
}

}  // namespace loadshare::timing_graph
