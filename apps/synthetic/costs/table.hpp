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
  /// Makes the costs of a loop; throws UsageError when a parameter's value makes no sense.
  std::function<std::unique_ptr<Cost>(const Spec&, const CostContext&)> make;
  /// Reads what the spec points to, on the master; every rank then gets it in CostContext::data.
  std::function<std::string(const Spec&)> fetch = [](const Spec&) { return std::string(); };
};

/// The distributions there are.
const std::vector<CostEntry>& cost_entries();

/// Reads `gamma:mean=200us,cv=0.5` ...; throws UsageError (unknown names say which is nearest).
Spec parse_cost(std::string_view text);

/// What CostContext::data must hold for this spec; throws UsageError where it cannot be read.
std::string fetch_cost_data(const Spec& spec);

/// Throws UsageError.
std::unique_ptr<Cost> make_cost(const Spec& spec, const CostContext& context);

/// The text of `--cost help`.
std::string cost_help();

}  // namespace loadshare::synthetic
