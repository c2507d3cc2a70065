#pragma once

#include <string>

#include "apps/synthetic/costs/cost.hpp"

namespace loadshare::synthetic {

/// The total cost of a loop's iterations, in seconds.
struct Bill {
  Index iterations = 0;
  double total_s = 0;
  double costliest_s = 0;  ///< cost of the most expensive iteration
  double cv = 0;           ///< standard deviation over mean of these iterations

  double mean_s() const { return iterations > 0 ? total_s / static_cast<double>(iterations) : 0; }
  /// Returns the minimum makespan with equal and undisturbed workers: that of an even distribution, but at
  /// least the cost of the most expensive iteration.
  double least_makespan_s(Index workers) const;
};

/// Adds up the costs of all iterations.
Bill add_up(const Cost& cost, Index iterations);

/// Returns "10,000 iterations cost 2.00 s, 200 us each (cv 0.50); 4 equal, undisturbed workers need at least
/// 500 ms".
std::string bill_text(const Bill& bill, Index workers);

}  // namespace loadshare::synthetic
