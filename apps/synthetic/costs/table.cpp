#include "apps/synthetic/costs/table.hpp"

#include <algorithm>

#include "apps/synthetic/costs/file.hpp"
#include "apps/synthetic/costs/random.hpp"
#include "schedulers/spec.hpp"

namespace loadshare::synthetic {
namespace {

/// Returns the entry of `constant[:mean]`, for loops such as a matrix product's.
CostEntry constant_entry() {
  return {"constant",
          "the same for every iteration",
          {{"mean", "1ms", "cost of each iteration"}},
          [](const Spec& spec, const CostContext&) {
            return cost_by([each_s = duration_s(spec, "mean", 1e-3)](Index) { return each_s; });
          }};
}

/// Returns costs from `first_s` at the first iteration to `last_s` at the last. A single iteration costs the
/// mean.
std::unique_ptr<Cost> in_equal_steps(double first_s, double last_s, Index iterations) {
  return cost_by([=](Index iteration) {
    const double way =
        iterations > 1 ? static_cast<double>(iteration) / static_cast<double>(iterations - 1) : 0.5;
    return first_s + (last_s - first_s) * way;
  });
}

/// Returns the entry of `rising[:low,high]`, as in a triangular loop nest: late iterations, in small chunks,
/// are expensive.
CostEntry rising_entry() {
  return {"rising",
          "in equal steps from low to high",
          {{"low", "0us", "the first iteration's"}, {"high", "2ms", "the last one's"}},
          [](const Spec& spec, const CostContext& context) {
            const CostRange range = cost_range(spec, {0, 2e-3});
            return in_equal_steps(range.low_s, range.high_s, context.iterations);
          }};
}

/// Returns the entry of `falling[:low,high]`: early iterations, in large chunks that may outlast the rest,
/// are expensive.
CostEntry falling_entry() {
  return {"falling",
          "in equal steps from high to low",
          {{"low", "0us", "the last iteration's"}, {"high", "2ms", "the first one's"}},
          [](const Spec& spec, const CostContext& context) {
            const CostRange range = cost_range(spec, {0, 2e-3});
            return in_equal_steps(range.high_s, range.low_s, context.iterations);
          }};
}

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

std::string cost_help(std::size_t columns) {
  return spec_help({"cost", "gamma:200us,0.5", "gamma:mean=200us,cv=0.5"}, forms_of(cost_entries()),
                   columns) +
         "\nCosts are in seconds, as 200us, 1.5ms or 2s: of work on the master's processor, or of sleep "
         "(--how).\n"
         "They depend on --seed and the iteration alone, not on the technique, the worker or the order.\n";
}

}  // namespace loadshare::synthetic
