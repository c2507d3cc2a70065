#include "models/timing_graph/compiled_control.hpp"

#include "models/timing_graph/compiled_expression.hpp"

namespace loadshare::timing_graph {
namespace {

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

}  // namespace

std::unique_ptr<CompiledStep> compile_loop(const Loop& loop, const Place& place, std::uint32_t origin,
                                           Compilation& compilation) {
  return std::make_unique<CompiledLoop>(loop, place, origin, compilation);
}

std::unique_ptr<CompiledStep> compile_branch(const Branch& branch, Compilation& compilation) {
  return std::make_unique<CompiledBranch>(branch, compilation);
}

}  // namespace loadshare::timing_graph
