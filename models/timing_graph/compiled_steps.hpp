#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/timing_graph/graph.hpp"
#include "models/timing_graph/process_run.hpp"
#include "models/timing_graph/scope.hpp"

namespace loadshare::timing_graph {

/// A step whose expressions are compiled; it can be gone through by any rank of its process.
class CompiledStep {
 public:
  virtual ~CompiledStep() = default;
  virtual void run(ProcessRun& process) = 0;
};

using CompiledSteps = std::vector<std::unique_ptr<CompiledStep>>;

/// What steps are compiled in.
struct Compilation {
  Scope& scope;
  std::vector<Origin>& origins;
  std::vector<std::string> request_names;  ///< of the process, in the order of their numbers
};

/// `scope` has every variable the steps can see; those of loops are added. Throws UsageError with the place.
CompiledSteps compile(const Steps& steps, Compilation& compilation);

void run_all(const CompiledSteps& steps, ProcessRun& process);

/// Throws UsageError at `place` where a parameter or a loop's variable cannot have this name.
void require_fit_name(const std::string& name, const Place& place, const Scope& scope);

}  // namespace loadshare::timing_graph
