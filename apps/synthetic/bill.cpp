#include "apps/synthetic/bill.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/io/text.hpp"

namespace loadshare::synthetic {

double Bill::least_makespan_s(Index workers) const {
  return std::max(costliest_s, total_s / static_cast<double>(std::max<Index>(1, workers)));
}

Bill add_up(const Cost& cost, Index iterations) {
  Bill bill{.iterations = iterations};
  double mean_s = 0, squares = 0;  // Welford's method: equal costs have exactly no deviation
  for (Index i = 0; i < iterations; ++i) {
    const double cost_s = cost.seconds(i);
    const double from_mean_s = cost_s - mean_s;
    mean_s += from_mean_s / static_cast<double>(i + 1);
    squares += from_mean_s * (cost_s - mean_s);
    bill.total_s += cost_s;
    bill.costliest_s = std::max(bill.costliest_s, cost_s);
  }
  if (mean_s > 0) bill.cv = std::sqrt(squares / static_cast<double>(iterations)) / mean_s;
  return bill;
}

std::string bill_text(const Bill& bill, Index workers) {
  return fmt::format("{} cost {}, {} each (cv {:.2f}); {} at least {}",
                     count_text(bill.iterations, "iteration", "iterations"), duration_text(bill.total_s),
                     duration_text(bill.mean_s()), bill.cv,
                     workers == 1 ? "an undisturbed worker needs"
                                  : fmt::format("{} equal, undisturbed workers need", grouped_text(workers)),
                     duration_text(bill.least_makespan_s(workers)));
}

}  // namespace loadshare::synthetic
