#pragma once

#include <string>

#include "apps/synthetic/costs/cost.hpp"

namespace loadshare::synthetic {

/// What a loop's iterations cost together, in seconds.
struct Bill {
  Index iterations = 0;
  double total_s = 0;
  double dearest_s = 0;  ///< the one that costs most
  double cv = 0;         ///< standard deviation over mean of these very iterations

  double mean_s() const { return iterations > 0 ? total_s / static_cast<double>(iterations) : 0; }
  /// The least makespan with equal and undisturbed workers: nobody can do better than to share the cost
  /// evenly, nor be done before the dearest iteration is.
  double least_makespan_s(Index workers) const;
};

/// Adds up what all iterations cost.
Bill add_up(const Cost& cost, Index iterations);

/// "10,000 iterations cost 2.00 s, 200 us each (cv 0.50); 4 equal, undisturbed workers need at least 500 ms".
std::string bill_text(const Bill& bill, Index workers);

}  // namespace loadshare::synthetic
