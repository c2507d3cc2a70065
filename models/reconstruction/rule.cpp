#include "models/reconstruction/rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "models/reconstruction/rule_families.hpp"
#include "models/reconstruction/text_values.hpp"
#include "models/scaling/fit_law.hpp"

namespace loadshare::reconstruction {

namespace {

constexpr double rounding = 1e-6;

bool gives_all(const Family& family, double c, std::span<const Sighting> sightings) {
  return std::abs(c - std::round(c)) < rounding && std::ranges::all_of(sightings, [&](const Sighting& seen) {
           return std::abs(value_of(family, c, seen) - seen.value) < rounding;
         });
}

/// Whether the text, as timing graphs read it, gives all as well.
bool says_all(const std::string& text, std::span<const Sighting> sightings) {
  const auto values = values_of_text(text, sightings);
  return values && std::ranges::equal(*values, sightings, [](double value, const Sighting& seen) {
           return std::abs(value - seen.value) < rounding;
         });
}

std::optional<std::string> rule_of(const Family& family, std::span<const Sighting> sightings) {
  for (const double c : constants_for(family, sightings.front()))
    if (gives_all(family, c, sightings))
      if (std::string text = text_of(family, std::round(c)); says_all(text, sightings)) return text;
  return std::nullopt;
}

std::set<double> values_of(const Quantity& quantity, std::span<const Sighting> sightings) {
  std::set<double> values;
  for (const Sighting& seen : sightings) values.insert(quantity.of(seen));
  return values;
}

/// a * quantity + c with whole a and c. A line through the origin takes two values of the quantity, any other
/// three: with fewer there is none left that could contradict it.
std::optional<std::string> multiple_of(const Quantity& quantity, std::span<const Sighting> sightings) {
  const std::size_t seen = values_of(quantity, sightings).size();
  if (seen < 2) return std::nullopt;
  const auto [least, most] = std::ranges::minmax_element(sightings, {}, quantity.of);
  const double a = std::round((most->value - least->value) / (quantity.of(*most) - quantity.of(*least)));
  const double c = std::round(least->value - a * quantity.of(*least));
  const std::string multiple = fmt::format("{} * {}", a, quantity.text);
  const std::string text =
      c == 0 ? multiple : fmt::format("{} {} {}", multiple, c < 0 ? '-' : '+', std::abs(c));
  if ((c != 0 && seen < 3) || !says_all(text, sightings)) return std::nullopt;
  return text;
}

std::optional<std::string> multiple_of_any(std::span<const Sighting> sightings) {
  std::vector<Quantity> quantities{ranks_quantity()};
  for (const auto& [name, value] : *sightings.front().setting)
    if (name != "p") quantities.push_back(parameter_quantity(name));
  for (const Quantity& quantity : quantities)
    if (auto text = multiple_of(quantity, sightings)) return text;
  return std::nullopt;
}

/// Where nothing but the setting decides: a law, if it gives all values exactly.
std::optional<std::string> exact_law(std::span<const Sighting> sightings) {
  std::map<scaling::Setting, double> values;
  std::vector<scaling::Observation> observations;
  for (const Sighting& seen : sightings) {
    if (seen.value < 0 || values.try_emplace(*seen.setting, seen.value).first->second != seen.value)
      return std::nullopt;
    observations.push_back({*seen.setting, seen.value});
  }
  const scaling::Law law = scaling::fit_law(observations);
  const std::string text = fmt::format("round({})", law.text());
  return law.is_exact() && says_all(text, sightings) ? std::optional(text) : std::nullopt;
}

/// Ranks and rounds of a run on far more ranks than any that was seen, a square number of them.
class Beyond {
 public:
  explicit Beyond(std::span<const Sighting> sightings) {
    const Quantity p = ranks_quantity();
    setting_ = *sightings.front().setting;
    const double most = p.of(std::ranges::max(sightings, {}, p.of));
    setting_["p"] = 4 * most * most;
    for (const Sighting& seen : sightings.first(std::min(most_shown, sightings.size())))
      sightings_.push_back({&setting_, seen.rank, seen.counters, 0});
  }
  Beyond(const Beyond&) = delete;
  Beyond& operator=(const Beyond&) = delete;

  bool differ(const std::string& one, const std::string& other) const {
    return values_of_text(one, sightings_) != values_of_text(other, sightings_);
  }

 private:
  static constexpr std::size_t most_shown = 16;

  scaling::Setting setting_;
  std::vector<Sighting> sightings_;
};

/// The other rules that give the same so far, and something else on more ranks. A constant that was seen on
/// several numbers of ranks is one.
std::vector<std::string> other_rules(const std::string& rule, std::span<const Sighting> sightings,
                                     std::span<const Family> families) {
  if (values_of(ranks_quantity(), sightings).size() < 2 ||
      values_of({"", &Sighting::value}, sightings).size() < 2)
    return {};
  const Beyond beyond(sightings);
  std::vector<std::string> others;
  for (const Family& family : families)
    if (const auto text = rule_of(family, sightings); text && beyond.differ(rule, *text))
      others.push_back(*text);
  return others;
}

/// Whether each rank named every other rank equally often.
bool names_all_alike(std::span<const Sighting> sightings) {
  using Named = std::map<double, int>;
  std::map<std::pair<const scaling::Setting*, double>, Named> named_by;
  for (const Sighting& seen : sightings) ++named_by[{seen.setting, seen.rank}][seen.value];
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

std::optional<Rule> find_rule(std::span<const Sighting> sightings) {
  if (sightings.empty()) return Rule{"0", {}};
  const std::vector<Family> families = families_for(sightings);
  for (std::size_t i = 0; i < families.size(); ++i)
    if (const auto text = rule_of(families[i], sightings))
      return Rule{*text, other_rules(*text, sightings, std::span(families).subspan(i + 1))};
  if (auto text = multiple_of_any(sightings)) return Rule{*text, {}};
  if (auto text = exact_law(sightings)) return Rule{*text, {}};
  return std::nullopt;
}

std::optional<std::string> find_rule_of_turns(std::span<const Sighting> sightings) {
  if (sightings.empty() || sightings.front().counters.empty() || !names_all_alike(sightings))
    return std::nullopt;
  return fmt::format("mod(rank + 1 + mod({}, p - 1), p)",
                     loop_variable(sightings.front().counters.size() - 1));
}

}  // namespace loadshare::reconstruction
