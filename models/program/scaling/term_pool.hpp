#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "models/program/scaling/law.hpp"

namespace loadshare::scaling {

/// From how many values of a parameter on a law chooses how a quantity depends on it. With fewer it is linear
/// in it or without it, or, of the ranks, divided by them, whichever fits; and Law::Fit::assumed says so.
enum class LeastValues {
  /// Of counts and bytes, which are exact: a law that meets all of them is no chance.
  two = 2,
  /// Of times, if somebody asks for it. n^2, n and n^1.5 each meet two values as well as the others, by
  /// whatever disturbed a run; of three they may still.
  three = 3,
  /// Of times, as Extra-P asks for them (Calotoiu, Hoefler, Poke, Wolf, SC'13).
  five = 5
};

/// The terms that a law may consist of, the simplest first: products of one power or logarithm of each
/// parameter that differs among `settings`. The number of ranks `p` may stand below the line, for work that
/// is divided, the others not. Without the constant.
std::vector<Term> term_pool(std::span<const Setting> settings, LeastValues least = LeastValues::two);

/// By parameter the values that it has in some setting.
std::map<std::string, std::set<double>> values_of(std::span<const Setting> settings);

/// Whether how a quantity depends on a parameter of these values is assumed, and not chosen by them.
bool are_too_few(const std::set<double>& values, LeastValues least);

}  // namespace loadshare::scaling
