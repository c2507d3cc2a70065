#include "models/scaling/term_pool.hpp"

#include <algorithm>
#include <set>

namespace loadshare::scaling {

namespace {

/// Factors of one parameter side by side: n log2(n) is two of them.
using Alternative = std::vector<Term::Factor>;

std::vector<Alternative> alternatives_of_ranks() {
  return {{},           {{"p", -1}}, {{"p", 1}}, {{"p", 1, true}}, {{"p", -0.5}},
          {{"p", 0.5}}, {{"p", -2}}, {{"p", 2}}};
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

/// The names whose values differ.
std::vector<std::string> varying(std::span<const Setting> settings) {
  std::map<std::string, std::set<double>> values;
  for (const Setting& setting : settings)
    for (const auto& [name, value] : setting) values[name].insert(value);
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

std::vector<Term> term_pool(std::span<const Setting> settings) {
  std::vector<std::string> names = varying(settings);
  // What is divided stands before what divides: n / p.
  std::ranges::stable_partition(names, [](const std::string& name) { return name != "p"; });
  std::vector<Term> terms{{}};
  for (const std::string& name : names)
    terms = products(terms, name == "p" ? alternatives_of_ranks() : alternatives_of(name));
  std::erase_if(terms, [](const Term& term) { return term.factors.empty(); });
  std::ranges::stable_sort(terms, {}, &Term::complexity);
  return terms;
}

}  // namespace loadshare::scaling
