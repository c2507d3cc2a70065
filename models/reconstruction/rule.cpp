#include "models/reconstruction/rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "models/scaling/fit_law.hpp"

namespace loadshare::reconstruction {

namespace {

using Value = std::function<double(const Sighting&)>;

/// Something that a sighting has a value of, and how an expression says it.
struct Quantity {
  std::string text;
  Value of;
};

/// The family of rules prefix + scale * mod(base + c, modulus), or prefix + base + c without a modulus, with
/// any whole number c.
struct Family {
  Quantity base;
  std::optional<Quantity> modulus;
  std::optional<Quantity> scale;
  std::optional<Quantity> prefix;
};

double ranks(const Sighting& seen) {
  return seen.setting->at("p");
}

double side(const Sighting& seen) {
  return std::floor(std::sqrt(ranks(seen)) + 1e-9);
}

const Quantity nothing{"0", [](const Sighting&) { return 0.0; }};
const Quantity rank{"rank", [](const Sighting& seen) { return seen.rank; }};
const Quantity all_ranks{"p", ranks};
const Quantity grid_side{"sqrt(p)", side};
const Quantity grid_row{"floor(rank / sqrt(p))",
                        [](const Sighting& seen) { return std::floor(seen.rank / side(seen)); }};
const Quantity grid_row_begin{"floor(rank / sqrt(p)) * sqrt(p)",
                              [](const Sighting& seen) { return grid_row.of(seen) * side(seen); }};
const Quantity grid_column{"mod(rank, sqrt(p))",
                           [](const Sighting& seen) { return std::fmod(seen.rank, side(seen)); }};

Quantity counter(std::size_t depth) {
  return {loop_variable(depth),
          [depth](const Sighting& seen) { return static_cast<double>(seen.counters[depth]); }};
}

Quantity parameter(const std::string& name) {
  return {name, [name](const Sighting& seen) { return seen.setting->at(name); }};
}

Quantity sum(const Quantity& one, const Quantity& other) {
  return {fmt::format("{} + {}", one.text, other.text),
          [=](const Sighting& seen) { return one.of(seen) + other.of(seen); }};
}

Quantity difference(const Quantity& one, const Quantity& other) {
  return {fmt::format("{} - {}", one.text, other.text),
          [=](const Sighting& seen) { return one.of(seen) - other.of(seen); }};
}

Quantity quotient(const Quantity& one, const Quantity& other) {
  return {fmt::format("{} / {}", one.text, other.text),
          [=](const Sighting& seen) { return one.of(seen) / other.of(seen); }};
}

/// The number whose digit of 2^counter differs.
Quantity hypercube_neighbour(std::size_t depth) {
  const std::string i = loop_variable(depth);
  return {fmt::format("rank + (1 - 2 * mod(floor(rank / 2^{0}), 2)) * 2^{0}", i),
          [depth](const Sighting& seen) {
            const double digit = std::exp2(seen.counters[depth]);
            return seen.rank + (1 - 2 * std::fmod(std::floor(seen.rank / digit), 2)) * digit;
          }};
}

/// Who holds item `counter` of so many, dealt out in equal parts.
Quantity holder(std::size_t depth, const std::string& items) {
  return {fmt::format("floor({} * p / {})", loop_variable(depth), items),
          [depth, items](const Sighting& seen) {
            return std::floor(seen.counters[depth] * ranks(seen) / seen.setting->at(items));
          }};
}

std::vector<Family> families_of_places() {
  return {{nothing, {}, {}, {}},
          {rank, {}, {}, {}},
          {all_ranks, {}, {}, {}},
          {rank, all_ranks, {}, {}},
          {difference(all_ranks, rank), {}, {}, {}},
          {grid_side, {}, {}, {}},
          {{"log2(p)", [](const Sighting& seen) { return std::log2(ranks(seen)); }}, {}, {}, {}},
          {grid_column, grid_side, {}, grid_row_begin},
          {grid_row, grid_side, grid_side, grid_column},
          {grid_row_begin, {}, {}, {}},
          {grid_column, {}, {}, {}}};
}

void add_families_of_loop(std::vector<Family>& families, std::size_t depth, const scaling::Setting& setting) {
  const Quantity i = counter(depth);
  families.push_back({i, {}, {}, {}});
  families.push_back({i, all_ranks, {}, {}});
  families.push_back({sum(rank, i), {}, {}, {}});
  families.push_back({difference(rank, i), {}, {}, {}});
  families.push_back({sum(rank, i), all_ranks, {}, {}});
  families.push_back({difference(rank, i), all_ranks, {}, {}});
  families.push_back({hypercube_neighbour(depth), {}, {}, {}});
  for (const auto& [name, value] : setting)
    if (name != "p") families.push_back({holder(depth, name), {}, {}, {}});
}

void add_families_of_parameters(std::vector<Family>& families, const scaling::Setting& setting) {
  for (const auto& [name, value] : setting) {
    if (name == "p") continue;
    families.push_back({parameter(name), {}, {}, {}});
    families.push_back({quotient(parameter(name), all_ranks), {}, {}, {}});
  }
}

std::vector<Family> families_for(const Sighting& seen) {
  std::vector<Family> families = families_of_places();
  for (std::size_t depth = seen.counters.size(); depth-- > 0;)
    add_families_of_loop(families, depth, *seen.setting);
  add_families_of_parameters(families, *seen.setting);
  return families;
}

double part_of(const std::optional<Quantity>& quantity, const Sighting& seen, double otherwise) {
  return quantity ? quantity->of(seen) : otherwise;
}

double positive_mod(double value, double modulus) {
  return value - modulus * std::floor(value / modulus);
}

double value_of(const Family& family, double c, const Sighting& seen) {
  double value = family.base.of(seen) + c;
  if (family.modulus) value = positive_mod(value, family.modulus->of(seen));
  return part_of(family.prefix, seen, 0) + part_of(family.scale, seen, 1) * value;
}

/// The numbers c with which the family gives the value that was seen.
std::vector<double> constants_for(const Family& family, const Sighting& seen) {
  const double wanted = (seen.value - part_of(family.prefix, seen, 0)) / part_of(family.scale, seen, 1);
  const double c = wanted - family.base.of(seen);
  if (!family.modulus) return {c};
  const double modulus = family.modulus->of(seen);
  const double above = positive_mod(c, modulus);
  return {above, above - modulus};
}

bool gives_all(const Family& family, double c, std::span<const Sighting> sightings) {
  constexpr double rounding = 1e-6;
  return std::abs(c - std::round(c)) < rounding && std::ranges::all_of(sightings, [&](const Sighting& seen) {
           return std::abs(value_of(family, c, seen) - seen.value) < rounding;
         });
}

/// base + c as a person writes it.
std::string shifted(const Family& family, double c) {
  if (c == 0) return family.base.text;
  if (family.base.text == "0") return fmt::format("{}", c);
  if (c > 0) return fmt::format("{} + {}", family.base.text, c);
  if (!family.modulus) return fmt::format("{} - {}", family.base.text, -c);
  return fmt::format("{} + {} - {}", family.base.text, family.modulus->text, -c);
}

std::string text_of(const Family& family, double c) {
  std::string text = shifted(family, c);
  if (family.modulus) text = fmt::format("mod({}, {})", text, family.modulus->text);
  if (family.scale) text = fmt::format("{} * {}", family.scale->text, text);
  if (family.prefix) text = fmt::format("{} + {}", family.prefix->text, text);
  return text;
}

/// a * quantity + c with whole a and c, from two values of the quantity; nothing where it has but one.
std::optional<std::string> multiple_of(const Quantity& quantity, std::span<const Sighting> sightings) {
  const Sighting& first = sightings.front();
  const auto other = std::ranges::find_if(
      sightings, [&](const Sighting& seen) { return quantity.of(seen) != quantity.of(first); });
  if (other == sightings.end()) return std::nullopt;
  const double a = std::round((other->value - first.value) / (quantity.of(*other) - quantity.of(first)));
  const double c = std::round(first.value - a * quantity.of(first));
  constexpr double rounding = 1e-6;
  const bool gives_all = std::ranges::all_of(sightings, [&](const Sighting& seen) {
    return std::abs(a * quantity.of(seen) + c - seen.value) < rounding;
  });
  if (!gives_all) return std::nullopt;
  const std::string multiple = fmt::format("{} * {}", a, quantity.text);
  return c == 0 ? multiple : fmt::format("{} {} {}", multiple, c < 0 ? '-' : '+', std::abs(c));
}

std::optional<std::string> multiple_of_any(std::span<const Sighting> sightings) {
  std::vector<Quantity> quantities{all_ranks, grid_side};
  for (const auto& [name, value] : *sightings.front().setting)
    if (name != "p") quantities.push_back(parameter(name));
  for (const Quantity& quantity : quantities)
    if (auto text = multiple_of(quantity, sightings)) return text;
  return std::nullopt;
}

/// Where nothing but the setting decides: a multiple of a parameter, if it gives all values exactly.
std::optional<std::string> exact_law(std::span<const Sighting> sightings) {
  std::map<scaling::Setting, double> values;
  std::vector<scaling::Observation> observations;
  for (const Sighting& seen : sightings) {
    if (seen.value < 0 || values.try_emplace(*seen.setting, seen.value).first->second != seen.value)
      return std::nullopt;
    observations.push_back({*seen.setting, seen.value});
  }
  const scaling::Law law = scaling::fit_law(observations);
  if (!law.is_exact()) return std::nullopt;
  return fmt::format("round({})", law.text());
}

/// Whether each rank named every other rank equally often.
bool names_all_alike(std::span<const Sighting> sightings) {
  using Named = std::map<double, int>;
  std::map<std::pair<const scaling::Setting*, double>, Named> named_by;
  for (const Sighting& seen : sightings) ++named_by[{seen.setting, seen.rank}][seen.value];
  return std::ranges::all_of(named_by, [](const auto& entry) {
    const auto& [who, named] = entry;
    return static_cast<double>(named.size() + 1) == who.first->at("p") && !named.contains(who.second) &&
           std::ranges::all_of(named, [&](const auto& one) { return one.second == named.begin()->second; });
  });
}

}  // namespace

std::string loop_variable(std::size_t depth) {
  return fmt::format("i{}", depth + 1);
}

std::optional<std::string> find_rule(std::span<const Sighting> sightings) {
  if (sightings.empty()) return "0";
  for (const Family& family : families_for(sightings.front()))
    for (const double c : constants_for(family, sightings.front()))
      if (gives_all(family, c, sightings)) return text_of(family, std::round(c));
  if (auto text = multiple_of_any(sightings)) return text;
  return exact_law(sightings);
}

std::optional<std::string> find_rule_of_turns(std::span<const Sighting> sightings) {
  if (sightings.empty() || sightings.front().counters.empty() || !names_all_alike(sightings))
    return std::nullopt;
  return fmt::format("mod(rank + 1 + mod({}, p - 1), p)",
                     loop_variable(sightings.front().counters.size() - 1));
}

}  // namespace loadshare::reconstruction
