#pragma once

#include <map>
#include <string>
#include <vector>

namespace loadshare::scaling {

/// What a run was given: its parameters by name, the number of ranks `p` among them.
using Setting = std::map<std::string, double>;

/// A product of powers and logarithms of parameters: n, n / p, n * log2(n) / p, 1.
struct Term {
  struct Factor {
    std::string parameter;
    double exponent = 1;
    bool is_logarithm = false;  ///< log2(parameter) instead of the parameter
  };
  std::vector<Factor> factors;  ///< none: the constant 1

  /// Throws std::out_of_range where `setting` lacks a parameter.
  double at(const Setting& setting) const;

  /// In the language of timing graphs: "n * log2(n) / p".
  std::string text() const;

  /// How far it is from what programs usually do: 0 for the constant, 1 for n, more for roots, logarithms and
  /// products.
  double complexity() const;
};

}  // namespace loadshare::scaling
