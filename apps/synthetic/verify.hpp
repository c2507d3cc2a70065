#pragma once

#include <string>

#include "apps/synthetic/workload.hpp"

namespace loadshare::synthetic {

/// What the check of all results found.
struct Verdict {
  Index iterations = 0;
  Index wrong = 0;        ///< how many of them
  Index first_wrong = 0;  ///< if any is

  bool is_right() const { return wrong == 0; }
};

/// "iteration 17 (1 of 60)", "3 of 60 iterations, the first of them 17".
std::string describe_wrong(const Verdict& verdict);

/// Makes all inputs and results again from the seed, and compares; `memory` is the master's.
Verdict verify(const LoopSizes& sizes, const LoopMemory& memory);

}  // namespace loadshare::synthetic
