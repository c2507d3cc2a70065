#include "models/program/reconstruction/families.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace loadshare::reconstruction {
namespace {

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

}  // namespace

Quantity ranks_quantity() {
  return all_ranks;
}

Quantity parameter_quantity(const std::string& name) {
  return {name, [name](const Observation& observed) { return observed.setting->at(name); }};
}

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

std::vector<double> constants_for(const Family& family, const Observation& observed) {
  const double wanted =
      (observed.value - part_of(family.prefix, observed, 0)) / part_of(family.scale, observed, 1);
  const double c = wanted - family.base.of(observed);
  if (!family.modulus) return {c};
  const double modulus = family.modulus->of(observed);
  const double above = positive_mod(c, modulus);
  return {above, above - modulus};
}

std::string text_of(const Family& family, double c) {
  std::string text = shifted(family, c);
  if (family.modulus) text = fmt::format("mod({}, {})", text, family.modulus->text);
  if (family.scale) text = fmt::format("{} * {}", family.scale->text, text);
  if (family.prefix) text = fmt::format("{} + {}", family.prefix->text, text);
  return text;
}

}  // namespace loadshare::reconstruction
