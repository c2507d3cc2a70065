#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "models/program/collectives/table.hpp"
#include "models/program/timing_graph/expression.hpp"
#include "models/program/timing_graph/graph.hpp"
#include "models/program/timing_graph/program.hpp"

namespace loadshare::timing_graph {

/// A collective call of one process, which the others have yet to join.
struct CollectiveUse {
  std::size_t position = 0;  ///< so many of the process's own ops come before it
  const collectives::Kind* kind = nullptr;
  std::uint32_t origin = 0;
  RankGroup group;
  std::int32_t root = 0;
  std::vector<double> bytes;  ///< one number, or one for each member
};

/// What one process has done so far, while its steps are gone through.
struct ProcessRun {
  std::int32_t rank = 0;
  std::int32_t process_count = 1;
  OpBudget* budget = nullptr;
  OpList list;
  std::vector<std::vector<std::uint32_t>> open_requests;  ///< by name
  std::vector<CollectiveUse> collectives;
};

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
