#include "models/program/reconstruction/rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "base/error.hpp"
#include "models/program/scaling/fit_law.hpp"
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

/// Something that a observation has a value of, and how an expression says it.
struct Quantity {
  std::string text;
  std::function<double(const Observation&)> of;
};

Quantity parameter_quantity(const std::string& name);

/// The family of rules prefix + scale * mod(base + c, modulus), or prefix + base + c without a modulus, with
/// any whole number c.
struct Family {
  Quantity base;
  std::optional<Quantity> modulus{};
  std::optional<Quantity> scale{};
  std::optional<Quantity> prefix{};
};

double ranks(const Observation& observed) {
  return observed.setting->at("p");
}

double side(const Observation& observed) {
  return std::round(std::sqrt(ranks(observed)));
}

const Quantity nothing{"0", [](const Observation&) { return 0.0; }};
const Quantity rank{"rank", [](const Observation& observed) { return observed.rank; }};
const Quantity all_ranks{"p", ranks};
const Quantity half_of_ranks{"floor(p / 2)",
                             [](const Observation& observed) { return std::floor(ranks(observed) / 2); }};
const Quantity doublings{"log2(p)", [](const Observation& observed) { return std::log2(ranks(observed)); }};
const Quantity grid_side{"sqrt(p)", side};
const Quantity grid_row{"floor(rank / sqrt(p))", [](const Observation& observed) {
                          return std::floor(observed.rank / side(observed));
                        }};
const Quantity grid_row_begin{"floor(rank / sqrt(p)) * sqrt(p)", [](const Observation& observed) {
                                return grid_row.of(observed) * side(observed);
                              }};
const Quantity grid_column{"mod(rank, sqrt(p))", [](const Observation& observed) {
                             return std::fmod(observed.rank, side(observed));
                           }};

Quantity counter(std::size_t depth) {
  return {loop_variable(depth),
          [depth](const Observation& observed) { return static_cast<double>(observed.counters[depth]); }};
}

Quantity sum(const Quantity& one, const Quantity& other) {
  return {fmt::format("{} + {}", one.text, other.text),
          [=](const Observation& observed) { return one.of(observed) + other.of(observed); }};
}

Quantity difference(const Quantity& one, const Quantity& other) {
  return {fmt::format("{} - {}", one.text, other.text),
          [=](const Observation& observed) { return one.of(observed) - other.of(observed); }};
}

Quantity quotient(const Quantity& one, const Quantity& other) {
  return {fmt::format("{} / {}", one.text, other.text),
          [=](const Observation& observed) { return one.of(observed) / other.of(observed); }};
}

/// The number whose binary digit of that worth differs.
Quantity twin(double digit) {
  const std::string text = digit == 1
                               ? "rank + 1 - 2 * mod(rank, 2)"
                               : fmt::format("rank + (1 - 2 * mod(floor(rank / {0}), 2)) * {0}", digit);
  return {text, [digit](const Observation& observed) {
            return observed.rank + (1 - 2 * std::fmod(std::floor(observed.rank / digit), 2)) * digit;
          }};
}

/// The number whose digit of 2^counter differs.
Quantity hypercube_neighbour(std::size_t depth) {
  const std::string i = loop_variable(depth);
  return {fmt::format("rank + (1 - 2 * mod(floor(rank / 2^{0}), 2)) * 2^{0}", i),
          [depth](const Observation& observed) {
            const double digit = std::exp2(observed.counters[depth]);
            return observed.rank + (1 - 2 * std::fmod(std::floor(observed.rank / digit), 2)) * digit;
          }};
}

/// Who holds item `counter` of so many, dealt out in equal parts.
Quantity holder(std::size_t depth, const std::string& items) {
  return {fmt::format("floor({} * p / {})", loop_variable(depth), items),
          [depth, items](const Observation& observed) {
            return std::floor(observed.counters[depth] * ranks(observed) / observed.setting->at(items));
          }};
}

std::vector<Family> families_of_places() {
  return {{nothing},   {rank},         {all_ranks}, {rank, all_ranks}, {difference(all_ranks, rank)},
          {doublings}, {half_of_ranks}};
}

void add_twins(std::vector<Family>& families, std::span<const Observation> observations) {
  const double most = ranks(std::ranges::max(observations, {}, ranks));
  for (double digit = 1; digit < most; digit *= 2) families.push_back({twin(digit)});
}

void add_families_of_grids(std::vector<Family>& families) {
  families.push_back({grid_side});
  families.push_back({grid_column, grid_side, {}, grid_row_begin});
  families.push_back({grid_row, grid_side, grid_side, grid_column});
  families.push_back({grid_row_begin});
  families.push_back({grid_column});
}

void add_families_of_loop(std::vector<Family>& families, std::size_t depth, const scaling::Setting& setting) {
  const Quantity i = counter(depth);
  families.push_back({i});
  families.push_back({i, all_ranks});
  families.push_back({sum(rank, i)});
  families.push_back({difference(rank, i)});
  families.push_back({sum(rank, i), all_ranks});
  families.push_back({difference(rank, i), all_ranks});
  families.push_back({hypercube_neighbour(depth)});
  for (const auto& [name, value] : setting)
    if (name != "p") families.push_back({holder(depth, name)});
}

void add_families_of_parameters(std::vector<Family>& families, const scaling::Setting& setting) {
  for (const auto& [name, value] : setting) {
    if (name == "p") continue;
    families.push_back({parameter_quantity(name)});
    families.push_back({quotient(parameter_quantity(name), all_ranks)});
  }
}

bool is_square(const Observation& observed) {
  return side(observed) * side(observed) == ranks(observed);
}

double part_of(const std::optional<Quantity>& quantity, const Observation& observed, double otherwise) {
  return quantity ? quantity->of(observed) : otherwise;
}

double positive_mod(double value, double modulus) {
  return value - modulus * std::floor(value / modulus);
}

/// base + c as a person writes it.
std::string shifted(const Family& family, double c) {
  if (c == 0) return family.base.text;
  if (family.base.text == "0") return fmt::format("{}", c);
  if (c > 0) return fmt::format("{} + {}", family.base.text, c);
  if (!family.modulus) return fmt::format("{} - {}", family.base.text, -c);
  return fmt::format("{} + {} - {}", family.base.text, family.modulus->text, -c);
}

/// The number of ranks, and a parameter of the runs.
Quantity ranks_quantity() {
  return all_ranks;
}

Quantity parameter_quantity(const std::string& name) {
  return {name, [name](const Observation& observed) { return observed.setting->at(name); }};
}

/// All families that rules of these observations may be of, the likeliest first. Grids are only among them
/// where every run was on a square number of ranks.
std::vector<Family> families_for(std::span<const Observation> observations) {
  const Observation& first = observations.front();
  std::vector<Family> families = families_of_places();
  add_twins(families, observations);
  if (std::ranges::all_of(observations, is_square)) add_families_of_grids(families);
  for (std::size_t depth = first.counters.size(); depth-- > 0;)
    add_families_of_loop(families, depth, *first.setting);
  add_families_of_parameters(families, *first.setting);
  return families;
}

double value_of(const Family& family, double c, const Observation& observed) {
  double value = family.base.of(observed) + c;
  if (family.modulus) value = positive_mod(value, family.modulus->of(observed));
  return part_of(family.prefix, observed, 0) + part_of(family.scale, observed, 1) * value;
}

/// The numbers c with which the family gives the value that was observed.
std::vector<double> constants_for(const Family& family, const Observation& observed) {
  const double wanted =
      (observed.value - part_of(family.prefix, observed, 0)) / part_of(family.scale, observed, 1);
  const double c = wanted - family.base.of(observed);
  if (!family.modulus) return {c};
  const double modulus = family.modulus->of(observed);
  const double above = positive_mod(c, modulus);
  return {above, above - modulus};
}

/// In the language of timing graphs.
std::string text_of(const Family& family, double c) {
  std::string text = shifted(family, c);
  if (family.modulus) text = fmt::format("mod({}, {})", text, family.modulus->text);
  if (family.scale) text = fmt::format("{} * {}", family.scale->text, text);
  if (family.prefix) text = fmt::format("{} + {}", family.prefix->text, text);
  return text;
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
