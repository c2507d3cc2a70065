#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/program/reconstruction/rule.hpp"

namespace loadshare::reconstruction {

/// Something that a observation has a value of, and how an expression says it.
struct Quantity {
  std::string text;
  std::function<double(const Observation&)> of;
};

/// The family of rules prefix + scale * mod(base + c, modulus), or prefix + base + c without a modulus, with
/// any whole number c.
struct Family {
  Quantity base;
  std::optional<Quantity> modulus{};
  std::optional<Quantity> scale{};
  std::optional<Quantity> prefix{};
};

/// The number of ranks, and a parameter of the runs.
Quantity ranks_quantity();
Quantity parameter_quantity(const std::string& name);
/// All families that rules of these observations may be of, the likeliest first. Grids are only among them
/// where every run was on a square number of ranks.
std::vector<Family> families_for(std::span<const Observation> observations);
double value_of(const Family& family, double c, const Observation& observed);
/// The numbers c with which the family gives the value that was observed.
std::vector<double> constants_for(const Family& family, const Observation& observed);
/// In the language of timing graphs.
std::string text_of(const Family& family, double c);

}  // namespace loadshare::reconstruction
