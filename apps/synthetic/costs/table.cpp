#include "apps/synthetic/costs/table.hpp"

#include <algorithm>

#include "apps/synthetic/costs/file.hpp"
#include "apps/synthetic/costs/random.hpp"
#include "apps/synthetic/costs/regular.hpp"
#include "schedulers/spec.hpp"

namespace loadshare::synthetic {
namespace {

const CostEntry& entry_of(const Spec& spec) {
  return *std::ranges::find(cost_entries(), spec.name, &CostEntry::name);
}

}  // namespace

const std::vector<CostEntry>& cost_entries() {
  static const std::vector<CostEntry> entries = {
      constant_entry(), uniform_entry(), normal_entry(),  exponential_entry(), gamma_entry(),
      rising_entry(),   falling_entry(), bimodal_entry(), file_entry(),
  };
  return entries;
}

Spec parse_cost(std::string_view text) {
  return parse_spec("cost", text, forms_of(cost_entries()));
}

std::string fetch_cost_data(const Spec& spec) {
  return entry_of(spec).fetch(spec);
}

std::unique_ptr<Cost> make_cost(const Spec& spec, const CostContext& context) {
  return entry_of(spec).make(spec, context);
}

std::string cost_help() {
  return spec_help({"cost", "gamma:200us,0.5", "gamma:mean=200us,cv=0.5"}, forms_of(cost_entries())) +
         "\nCosts are in seconds, as 200us, 1.5ms or 2s: of work on the master's processor, or of sleep "
         "(--how).\n"
         "They depend on --seed and the iteration alone, not on the technique, the worker or the order.\n";
}

}  // namespace loadshare::synthetic
