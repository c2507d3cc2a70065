#include "models/program/reconstruction/rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "models/program/reconstruction/families.hpp"
#include "models/program/scaling/fit_law.hpp"
#include "models/program/timing_graph/compiled_steps.hpp"
#include "models/program/timing_graph/expression.hpp"

namespace loadshare::reconstruction {
namespace {

using timing_graph::Scope;
using timing_graph::Variable;

/// The names that expressions of a rebuilt graph may use, with the values of one observation after the other.
class Names {
 public:
  explicit Names(const Observation& first) {
    for (const auto& [name, value] : *first.setting) parameters_.emplace_back(name, &scope_.enter(name));
    rank_ = &scope_.enter("rank");
    for (std::size_t depth = 0; depth < first.counters.size(); ++depth)
      counters_.push_back(&scope_.enter(loop_variable(depth)));
  }

  void take(const Observation& observed) {
    for (const auto& [name, variable] : parameters_) scope_.set(*variable, observed.setting->at(name));
    scope_.set(*rank_, observed.rank);
    for (std::size_t depth = 0; depth < counters_.size(); ++depth)
      scope_.set(*counters_[depth], observed.counters[depth]);
  }

  const Scope& scope() const { return scope_; }

 private:
  Scope scope_;
  std::vector<std::pair<std::string, Variable*>> parameters_;
  Variable* rank_ = nullptr;
  std::vector<Variable*> counters_;
};

/// What an expression gives at each of these, as timing graphs evaluate it; nothing where one of its values
/// is no number, or where it has names that are unknown there.
std::optional<std::vector<double>> values_of_text(const std::string& text,
                                                  std::span<const Observation> observations) {
  try {
    Names names(observations.front());
    timing_graph::CompiledExpression expression({text, {}}, names.scope());
    std::vector<double> values;
    for (const Observation& observed : observations) {
      names.take(observed);
      values.push_back(expression.value());
    }
    return values;
  } catch (const UsageError&) {
    return std::nullopt;
  }
}

constexpr double rounding = 1e-6;

bool gives_all(const Family& family, double c, std::span<const Observation> observations) {
  return std::abs(c - std::round(c)) < rounding &&
         std::ranges::all_of(observations, [&](const Observation& observed) {
           return std::abs(value_of(family, c, observed) - observed.value) < rounding;
         });
}

/// Whether the text, as timing graphs read it, gives all as well.
bool says_all(const std::string& text, std::span<const Observation> observations) {
  const auto values = values_of_text(text, observations);
  return values && std::ranges::equal(*values, observations, [](double value, const Observation& observed) {
           return std::abs(value - observed.value) < rounding;
         });
}

std::optional<std::string> rule_of(const Family& family, std::span<const Observation> observations) {
  for (const double c : constants_for(family, observations.front()))
    if (gives_all(family, c, observations))
      if (std::string text = text_of(family, std::round(c)); says_all(text, observations)) return text;
  return std::nullopt;
}

std::set<double> values_of(const Quantity& quantity, std::span<const Observation> observations) {
  std::set<double> values;
  for (const Observation& observed : observations) values.insert(quantity.of(observed));
  return values;
}

/// a * quantity + c with whole a and c. A line through the origin takes two values of the quantity, any other
/// three: with fewer there is none left that could contradict it.
std::optional<std::string> multiple_of(const Quantity& quantity, std::span<const Observation> observations) {
  const std::size_t observed = values_of(quantity, observations).size();
  if (observed < 2) return std::nullopt;
  const auto [least, most] = std::ranges::minmax_element(observations, {}, quantity.of);
  const double a = std::round((most->value - least->value) / (quantity.of(*most) - quantity.of(*least)));
  const double c = std::round(least->value - a * quantity.of(*least));
  const std::string multiple = fmt::format("{} * {}", a, quantity.text);
  const std::string text =
      c == 0 ? multiple : fmt::format("{} {} {}", multiple, c < 0 ? '-' : '+', std::abs(c));
  if ((c != 0 && observed < 3) || !says_all(text, observations)) return std::nullopt;
  return text;
}

std::optional<std::string> multiple_of_any(std::span<const Observation> observations) {
  std::vector<Quantity> quantities{ranks_quantity()};
  for (const auto& [name, value] : *observations.front().setting)
    if (name != "p") quantities.push_back(parameter_quantity(name));
  for (const Quantity& quantity : quantities)
    if (auto text = multiple_of(quantity, observations)) return text;
  return std::nullopt;
}

/// Where nothing but the setting decides: a law, if it gives all values exactly.
std::optional<std::string> exact_law(std::span<const Observation> observations) {
  std::map<scaling::Setting, double> values;
  std::vector<scaling::Observation> by_setting;
  for (const Observation& observed : observations) {
    if (observed.value < 0 ||
        values.try_emplace(*observed.setting, observed.value).first->second != observed.value)
      return std::nullopt;
    by_setting.push_back({*observed.setting, observed.value});
  }
  const scaling::Law law = scaling::fit_law(by_setting);
  const std::string text = fmt::format("round({})", law.text());
  return law.is_exact() && says_all(text, observations) ? std::optional(text) : std::nullopt;
}

/// Ranks and rounds of a run on far more ranks than any that was observed, a square number of them.
class Beyond {
 public:
  explicit Beyond(std::span<const Observation> observations) {
    const Quantity p = ranks_quantity();
    setting_ = *observations.front().setting;
    const double most = p.of(std::ranges::max(observations, {}, p.of));
    setting_["p"] = 4 * most * most;
    for (const Observation& observed : observations.first(std::min(most_shown, observations.size())))
      observations_.push_back({&setting_, observed.rank, observed.counters, 0});
  }
  Beyond(const Beyond&) = delete;
  Beyond& operator=(const Beyond&) = delete;

  bool differ(const std::string& one, const std::string& other) const {
    return values_of_text(one, observations_) != values_of_text(other, observations_);
  }

 private:
  static constexpr std::size_t most_shown = 16;

  scaling::Setting setting_;
  std::vector<Observation> observations_;
};

/// The other rules that give the same so far, and something else on more ranks. A constant that was observed
/// on several numbers of ranks is one.
std::vector<std::string> other_rules(const std::string& rule, std::span<const Observation> observations,
                                     std::span<const Family> families) {
  if (values_of(ranks_quantity(), observations).size() < 2 ||
      values_of({"", &Observation::value}, observations).size() < 2)
    return {};
  const Beyond beyond(observations);
  std::vector<std::string> others;
  for (const Family& family : families)
    if (const auto text = rule_of(family, observations); text && beyond.differ(rule, *text))
      others.push_back(*text);
  return others;
}

/// Whether each rank named every other rank equally often.
bool names_all_alike(std::span<const Observation> observations) {
  using Named = std::map<double, int>;
  std::map<std::pair<const scaling::Setting*, double>, Named> named_by;
  for (const Observation& observed : observations)
    ++named_by[{observed.setting, observed.rank}][observed.value];
  return std::ranges::all_of(named_by, [](const auto& entry) {
    const auto& [who, named] = entry;
    const double p = who.first->at("p");
    return static_cast<double>(named.size() + 1) == p && !named.contains(who.second) &&
           named.begin()->first >= 0 && named.rbegin()->first < p &&
           std::ranges::all_of(named, [&](const auto& one) { return one.second == named.begin()->second; });
  });
}

}  // namespace

std::string loop_variable(std::size_t depth) {
  return fmt::format("i{}", depth + 1);
}

void require_parameter_name(const std::string& name) {
  Scope scope;
  timing_graph::require_fit_name(name, {}, scope);
  const bool is_counter =
      name.size() > 1 && name.front() == 'i' && name.find_first_not_of("0123456789", 1) == std::string::npos;
  if (is_counter)
    throw UsageError(fmt::format("the name '{}' is taken", name), "a loop of the graph counts by it",
                     "choose another");
  scope.enter(name);
  timing_graph::CompiledExpression({name, {}}, scope);
}

std::optional<Rule> find_rule(std::span<const Observation> observations) {
  if (observations.empty()) return Rule{"0", {}};
  const std::vector<Family> families = families_for(observations);
  for (std::size_t i = 0; i < families.size(); ++i)
    if (const auto text = rule_of(families[i], observations))
      return Rule{*text, other_rules(*text, observations, std::span(families).subspan(i + 1))};
  if (auto text = multiple_of_any(observations)) return Rule{*text, {}};
  if (auto text = exact_law(observations)) return Rule{*text, {}};
  return std::nullopt;
}

std::optional<std::string> find_rule_of_turns(std::span<const Observation> observations) {
  if (observations.empty() || observations.front().counters.empty() || !names_all_alike(observations))
    return std::nullopt;
  return fmt::format("mod(rank + 1 + mod({}, p - 1), p)",
                     loop_variable(observations.front().counters.size() - 1));
}

}  // namespace loadshare::reconstruction
