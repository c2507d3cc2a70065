#include "models/program/scaling/term_pool.hpp"

#include <algorithm>

namespace loadshare::scaling {
namespace {

/// Factors of one parameter side by side: n log2(n) is two of them.
using Alternative = std::vector<Term::Factor>;

std::vector<Alternative> alternatives_of_ranks() {
  return {{},           {{"p", -1}}, {{"p", 1}}, {{"p", 1, true}},          {{"p", -0.5}},
          {{"p", 0.5}}, {{"p", -2}}, {{"p", 2}}, {{"p", 1}, {"p", 1, true}}};
}

std::vector<Alternative> alternatives_of(const std::string& parameter) {
  return {{},
          {{parameter, 1}},
          {{parameter, 2}},
          {{parameter, 3}},
          {{parameter, 0.5}},
          {{parameter, 1, true}},
          {{parameter, 1}, {parameter, 1, true}},
          {{parameter, 1.5}}};
}

/// Of a parameter with too few values to choose from.
std::vector<Alternative> assumed_alternatives(const std::string& parameter) {
  std::vector<Alternative> alternatives{{}, {{parameter, 1}}};
  if (parameter == "p") alternatives.push_back({{parameter, -1}});
  return alternatives;
}

/// The names whose values differ.
std::vector<std::string> varying(const std::map<std::string, std::set<double>>& values) {
  std::vector<std::string> names;
  for (const auto& [name, seen] : values)
    if (seen.size() > 1) names.push_back(name);
  return names;
}

std::vector<Term> products(const std::vector<Term>& terms, const std::vector<Alternative>& alternatives) {
  std::vector<Term> all;
  for (const Term& term : terms)
    for (const Alternative& alternative : alternatives) {
      Term product = term;
      product.factors.insert(product.factors.end(), alternative.begin(), alternative.end());
      all.push_back(product);
    }
  return all;
}

}  // namespace

std::map<std::string, std::set<double>> values_of(std::span<const Setting> settings) {
  std::map<std::string, std::set<double>> values;
  for (const Setting& setting : settings)
    for (const auto& [name, value] : setting) values[name].insert(value);
  return values;
}

bool are_too_few(const std::set<double>& values, LeastValues least) {
  return values.size() > 1 && values.size() < static_cast<std::size_t>(least);
}

std::vector<Term> term_pool(std::span<const Setting> settings, LeastValues least) {
  const auto values = values_of(settings);
  std::vector<std::string> names = varying(values);
  // What is divided stands before what divides: n / p.
  std::ranges::stable_partition(names, [](const std::string& name) { return name != "p"; });
  std::vector<Term> terms{{}};
  for (const std::string& name : names) {
    const bool is_assumed = are_too_few(values.at(name), least);
    terms = products(terms, is_assumed    ? assumed_alternatives(name)
                            : name == "p" ? alternatives_of_ranks()
                                          : alternatives_of(name));
  }
  std::erase_if(terms, [](const Term& term) { return term.factors.empty(); });
  std::ranges::stable_sort(terms, {}, &Term::complexity);
  return terms;
}

}  // namespace loadshare::scaling
