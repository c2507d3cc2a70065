#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <random>
#include <string>

#include "base/statistics.hpp"
#include "models/program/scaling/fit_law.hpp"

/// Over many seeds: whether known laws are found under noise, and whether intervals hold what they promise.
namespace loadshare::scaling {
namespace {

/// A hundred in the suite; the long trial has more (CMakeLists.txt).
unsigned seed_count() {
  const char* asked = std::getenv("LOADSHARE_SEEDS");
  return asked ? static_cast<unsigned>(std::strtoul(asked, nullptr, 10)) : 100;
}

const unsigned seeds = seed_count();

/// Of all seeds the share for which it is so, which is printed.
double share_of(const std::string& what, double scatter, const std::function<bool(unsigned seed)>& is_so) {
  unsigned count = 0;
  for (unsigned seed = 0; seed < seeds; ++seed) count += is_so(seed) ? 1U : 0U;
  const double share = static_cast<double>(count) / seeds;
  std::cout << what << ", noise " << 100 * scatter << " %: " << 100 * share << " % of " << seeds
            << " seeds\n";
  return share;
}

struct Known {
  std::string name;
  std::string term;  ///< of the law's largest part
  std::function<double(double n)> seconds;
};

const std::vector<Known>& laws() {
  static const std::vector<Known> all{
      {"n", "n", [](double n) { return 2e-9 * n; }},
      {"n log2 n", "n * log2(n)", [](double n) { return 1e-10 * n * std::log2(n); }},
      {"n^2", "n^2", [](double n) { return 1e-15 * n * n; }},
      {"c + n", "n", [](double n) { return 1e-3 + 2e-9 * n; }},
      {"n^1.5", "n^1.5", [](double n) { return 1e-13 * std::pow(n, 1.5); }},
  };
  return all;
}

Law law_of(const Known& known, double scatter, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, scatter);
  std::vector<Observation> seen;
  for (const double n : {1e6, 2e6, 4e6, 8e6, 16e6, 32e6, 64e6})
    seen.push_back({{{"n", n}}, known.seconds(n) * std::exp(noise(random))});
  return fit_law(seen, LeastValues::five);
}

/// The term that decides where n is large.
std::string leading_term(const Law& law) {
  const Setting far{{"n", 1e12}};
  const auto& parts = law.parts();
  const auto most = std::ranges::max_element(
      parts, {}, [&](const Law::Part& part) { return part.coefficient * part.term.at(far); });
  return most == parts.end() ? "" : most->term.text();
}

double recovered_share(const Known& known, double scatter) {
  return share_of("found " + known.name, scatter,
                  [&](unsigned seed) { return leading_term(law_of(known, scatter, seed)) == known.term; });
}

TEST(Recovery, OfPowersUnderNoiseOfAHundredth) {
  for (const Known& known : laws()) {
    if (known.term == "n * log2(n)") continue;
    EXPECT_GE(recovered_share(known, 0.01), 0.9) << known.name;
  }
}

/// Over six octaves it differs from powers near 1.05 by little more than the noise.
TEST(Recovery, OfALogarithmUnderNoiseOfAThousandth) {
  EXPECT_GE(recovered_share(laws()[1], 0.001), 0.9);
}

/// How often a new run at 1e9, sixteen times as large as any seen, lies within nine in ten intervals.
double covered_share(const Known& known, double scatter) {
  constexpr double nine_in_ten = 1.645;
  const double n = 1e9;
  return share_of("covered " + known.name, scatter, [&](unsigned seed) {
    const Law law = law_of(known, scatter, seed);
    std::mt19937 random(seeds + seed);
    const double run_s = known.seconds(n) * std::exp(std::normal_distribution<double>(0, scatter)(random));
    const double off = std::abs(std::log(law.at({{"n", n}}) / run_s));
    return off <= nine_in_ten * *law.uncertainty_at({{"n", n}});
  });
}

TEST(Coverage, OfRunsSixteenTimesAsLargeIsNineInTenOrMore) {
  for (const double scatter : {0.01, 0.05})
    for (const Known& known : laws())
      EXPECT_GE(covered_share(known, scatter), 0.88) << known.name << ' ' << scatter;
}

/// A logarithm drowns in noise of a tenth: n is chosen instead, and of a hundred seeds 85 were covered.
TEST(Coverage, FallsShortWhereNoiseHidesALogarithm) {
  for (const Known& known : laws())
    EXPECT_GE(covered_share(known, 0.1), known.term == "n * log2(n)" ? 0.8 : 0.88) << known.name;
}

/// The interval is wider where other terms might have been chosen.
TEST(Coverage, ContainsTheChoiceOfTerms) {
  int wider = 0;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const Law law = law_of(laws()[1], 0.05, seed);
    Law::Fit alone = law.fit();
    alone.others.clear();
    const Law of_one(law.parts(), alone);
    const Setting far{{"n", 1e9}};
    EXPECT_GE(*law.uncertainty_at(far), *of_one.uncertainty_at(far));
    if (*law.uncertainty_at(far) > 1.2 * *of_one.uncertainty_at(far)) ++wider;
  }
  EXPECT_GT(wider, static_cast<int>(seeds / 3));
}

}  // namespace
}  // namespace loadshare::scaling
