#pragma once

#include <string>

#include "apps/loadshare/output.hpp"
#include "runtime/load/load_plan.hpp"
#include "runtime/load/spinner.hpp"
#include "schedulers/error.hpp"

namespace loadshare::tool {

/// A load that the tool is by itself, beside whatever runs on its processor.
struct LoadRequest {
  LoadPlan plan;
  std::string text;  ///< the plan in words, as it was asked for
  LoadPlace place;
  double length_s = 0;
  OutputForm form = OutputForm::text;
};

/// Checks that this process may use the processor. Throws UsageError.
void require_cpu(int cpu);

/// Is the load for its time, or until it is interrupted, and prints what it took. Returns `interrupted` then.
ExitCode be_load(const LoadRequest& request);

}  // namespace loadshare::tool
