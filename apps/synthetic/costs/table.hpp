#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apps/synthetic/costs/cost.hpp"
#include "schedulers/spec.hpp"

namespace loadshare::synthetic {

/// One distribution in the table.
struct CostEntry {
  std::string name;
  std::string description;
  std::vector<ParameterInfo> parameters;
  /// Makes the costs of a loop. Throws UsageError if a parameter's value is invalid.
  std::function<std::unique_ptr<Cost>(const Spec&, const CostContext&)> make;
  /// Reads the data that the spec refers to, on the master. Every rank gets them in CostContext::data.
  std::function<std::string(const Spec&)> fetch = [](const Spec&) { return std::string(); };
};

/// Returns the available distributions.
const std::vector<CostEntry>& cost_entries();

/// Reads `gamma:mean=200us,cv=0.5` ... Throws UsageError; for an unknown name it suggests the nearest.
Spec parse_cost(std::string_view text);

/// Returns CostContext::data for this spec. Throws UsageError if it cannot be read.
std::string fetch_cost_data(const Spec& spec);

/// Makes the costs of a loop. Throws UsageError.
std::unique_ptr<Cost> make_cost(const Spec& spec, const CostContext& context);

/// The text of `--cost help`; lines of the table are broken between words at `columns`.
std::string cost_help(std::size_t columns = 100);

}  // namespace loadshare::synthetic
